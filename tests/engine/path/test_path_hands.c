/* Hand-overs between threads: programs whose threads wait for each other, and others whose threads
 * only seem to. Times are ns. */

#include "engine/path/critical_path.h"
#include "support/test.h"

enum { US = 1000, PROGRAMS = 100 };
#define NO GRAPH_UNKNOWN

static uint64_t seed;
static uint64_t below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

struct program {
    struct graph *g;
    uint32_t thread[2];
    uint64_t at[2]; /* when each goes on */
    uint32_t last;  /* the node added last */
};

static struct program begin(uint64_t number)
{
    struct program p = {.g = graph_new()};
    seed = number;
    uint32_t root = graph_add(p.g, NODE_PROGRAM, graph_intern(p.g, "program"), GRAPH_NONE,
                              EDGE_CONTAINS, NO, NO);
    for (int i = 0; i < 2; i++)
        p.thread[i] = graph_add(p.g, NODE_THREAD, graph_intern(p.g, i ? "other" : "main"), root,
                                EDGE_CONTAINS, NO, NO);
    return p;
}

static void works(struct program *p, int thread, uint64_t ns)
{
    p->last = graph_add(p->g, NODE_FUNCTION, graph_intern(p->g, thread ? "theirs" : "mine"),
                        p->thread[thread], EDGE_CONTAINS, p->at[thread], ns);
    p->at[thread] += ns;
}

/* The threads that the steps of the path are in, and how many steps are inferred. */
struct found {
    uint32_t inferred, length[2];
};

static struct found find(struct program *p)
{
    struct found out = {0};
    struct critical_path path;
    struct error err = ERROR_INIT;
    graph_finish(p->g);
    assert_int_equal(critical_path_find(p->g, &path, &err), 0);
    for (uint32_t i = 0; i < path.nsteps; i++) {
        uint32_t v = path.steps[i].node;
        uint32_t lane = p->g->kind[v] == NODE_THREAD ? v : p->g->parent[v];
        out.inferred += path.steps[i].inferred;
        out.length[lane == p->thread[1]] += (uint32_t)path.steps[i].length;
    }
    critical_path_free(&path);
    graph_unref(p->g);
    return out;
}

/* One works, wakes the other and is quiet until that has done its part: each turn is on the path.
 */
TEST(who_takes_turns_hands_over)
{
    for (int n = 0; n < PROGRAMS; n++) {
        struct program p = begin((uint64_t)n);
        uint32_t turns = 2 + (uint32_t)below(30);
        uint64_t theirs = 0;
        for (uint32_t i = 0; i < turns; i++) {
            works(&p, 0, 20 * US + below(200 * US));
            p.at[1] = p.at[0] + 2 * US + below(4 * US);
            uint64_t ns = 40 * US + below(300 * US);
            works(&p, 1, ns);
            theirs += ns;
            p.at[0] = p.at[1] + 2 * US + below(4 * US);
        }
        works(&p, 0, 10 * US);
        struct found f = find(&p);
        assert_true(f.inferred >= turns);
        assert_true(f.length[1] >= theirs);
    }
}

/* Each works and sleeps as it likes: where one ends just before the other goes on is chance. */
TEST(who_has_nothing_to_do_with_the_other_does_not)
{
    int wrong = 0;
    for (int n = 0; n < PROGRAMS; n++) {
        struct program p = begin((uint64_t)n);
        for (int thread = 0; thread < 2; thread++)
            for (int i = 0; i < 40; i++) {
                works(&p, thread, 10 * US + below(80 * US));
                p.at[thread] += 20 * US + below(80 * US);
            }
        works(&p, 0, p.at[1] > p.at[0] ? p.at[1] - p.at[0] + 200 * US : 10 * US); /* ends last */
        wrong += find(&p).inferred > 0;
    }
    assert_in_range(wrong, 0, PROGRAMS / 10);
}

/* At the end a thread is joined; one that ended beside an earlier pause was not waited for. */
TEST(a_thread_is_joined_at_the_last_pause)
{
    for (int joined = 0; joined < 2; joined++) {
        struct program p = begin(7);
        uint64_t pause = 0;
        for (int i = 0; i < 20; i++) {
            works(&p, 0, 30 * US + below(50 * US));
            pause = i == 10 ? p.at[0] : pause;
            p.at[0] += 60 * US;
        }
        uint64_t end = joined ? p.at[0] : pause + 60 * US;
        works(&p, 0, 30 * US);
        works(&p, 1, end - 4 * US);
        struct found f = find(&p);
        assert_int_equal(f.inferred, joined);
        assert_int_equal(f.length[1] > 0, joined);
    }
}
