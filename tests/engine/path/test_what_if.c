/* Predictions of another speed; compared with slow computations that work differently. (One thread:
 * not for TSan.) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/execution.h"
#include "engine/path/what_if.h"
#include "export/path/path_export.h"
#include "support/played.h"
#include "support/test.h"

#define NO GRAPH_UNKNOWN
enum { RANDOM_GRAPHS = 10000 };

static uint32_t node(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                     uint64_t start, uint64_t duration)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, start, duration);
}

static struct critical_path find(const struct graph *g)
{
    struct critical_path p;
    assert_int_equal(critical_path_find(g, &p, NULL), 0);
    return p;
}

static struct what_if ask(const struct graph *g, const struct critical_path *before,
                          const char *spec)
{
    struct what_if_change c;
    struct what_if w;
    struct error err = ERROR_INIT;
    assert_int_equal(what_if_parse(&c, spec, &err), 0);
    if (what_if_find(g, before, &c, 1, &w, &err) != 0)
        fail_msg("%s: %s", spec, err.why);
    return w;
}

static uint64_t after(const struct graph *g, const struct critical_path *before, const char *spec)
{
    struct what_if w = ask(g, before, spec);
    uint64_t length = w.after, sum = 0;
    for (uint32_t i = 0; i < w.path.nsteps; i++)
        sum += w.path.steps[i].length;
    assert_int_equal(sum, length);
    what_if_free(&w);
    return length;
}

/* --- computed by hand --- */

/*
 *  queue 0   a (0..100)             c (150..200), which waits for both
 *  queue 1   b (0..150)
 */
TEST(the_path_moves_to_what_is_longest_then)
{
    struct graph *g = graph_new();
    uint32_t prog = node(g, NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t q0 = node(g, NODE_QUEUE, "q0", prog, NO, NO),
             q1 = node(g, NODE_QUEUE, "q1", prog, NO, NO);
    uint32_t a = node(g, NODE_KERNEL, "a", q0, 0, 100), b = node(g, NODE_KERNEL, "b", q1, 0, 150);
    uint32_t c = node(g, NODE_KERNEL, "c", q0, 150, 50);
    graph_connect(g, a, c, EDGE_SEQUENCE);
    graph_connect(g, b, c, EDGE_DEPENDS);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 200);
    struct what_if w = ask(g, &p, "b=2");
    assert_int_equal(w.after, 150); /* a and c: 25 less than half of what b took */
    assert_int_equal(w.changed, 1);
    assert_int_equal(w.path.steps[0].node, a);
    assert_int_equal(w.shares.names[0].name, g->name[a]);
    what_if_free(&w);
    assert_int_equal(after(g, &p, "a=2"), 200); /* not on the path */
    assert_int_equal(after(g, &p, "b=gone"), 150);
    assert_int_equal(after(g, &p, "~^[bc]$=2"), 125);
    assert_int_equal(after(g, &p, "~^(a|b|c)$=gone"), 0);
    assert_int_equal(after(g, &p, "#5=5"), 160);
    assert_int_equal(after(g, &p, "b=0.5"), 350);
    assert_int_equal(g->duration[b], 150); /* the graph is not changed */
    struct path_shares s = {0};
    struct what_if_best best[WHAT_IF_BEST];
    uint32_t n = WHAT_IF_BEST;
    struct path_work *work;
    path_names_find(g, &p, &s);
    assert_int_equal(critical_path_begin(g, &work, NULL), 0);
    assert_int_equal(what_if_best(work, g, &p, &s, 2, best, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(best[0].gain, 50);
    assert_int_equal(best[1].gain, 25);
    n = 1; /* no more are asked for */
    assert_int_equal(what_if_best(work, g, &p, &s, 2, best, &n, NULL), 0);
    critical_path_end(work);
    assert_int_equal(n, 1);
    assert_int_equal(best[0].gain, 50);
    path_shares_free(&s);
    critical_path_free(&p);
    graph_unref(g);
}

/* Not inline, because gcc 12 takes what the C library fills in for a dangling pointer. */
__attribute__((noinline)) static char *text_of(const struct path_document *d)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    path_export_text(f, d);
    fclose(f);
    return text;
}

/* The change and its effect in words: shorter, how many times as fast; longer; nothing left. */
TEST(the_answer_is_told_with_its_numbers)
{
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"b=2",
         "  b=2\n  the path takes 150 us instead of 200 us: 50.0 us less, 1.33 times as fast "
         "(1 spans changed)\n"},
        {"b=0.5", "  the path takes 350 us instead of 200 us: 150 us more, 0.57 times as fast (1 "
                  "spans changed)\n"},
        {"~.=gone", "  the path takes 0 s instead of 200 us: 200 us less ("},
    };
    struct graph *g = graph_new();
    uint32_t prog = node(g, NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t q = node(g, NODE_QUEUE, "q", prog, NO, NO), r = node(g, NODE_QUEUE, "r", prog, NO, NO);
    node(g, NODE_KERNEL, "a", q, 0, 100000);
    uint32_t b = node(g, NODE_KERNEL, "b", r, 0, 150000),
             c = node(g, NODE_KERNEL, "c", q, 150000, 50000);
    graph_connect(g, b, c, EDGE_DEPENDS);
    graph_finish(g);
    struct critical_path p = find(g);
    struct path_shares s = {0};
    struct trace t = {.calls = g};
    path_names_find(g, &p, &s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct what_if w = ask(g, &p, cases[i].spec);
        char *text = text_of(&(struct path_document){.trace = &t,
                                                     .path = &p,
                                                     .shares = &s,
                                                     .what_if = &w,
                                                     .asked = cases[i].spec,
                                                     .ascii = true});
        const char *at = strstr(text, "What if:\n");
        if (!at || !strstr(at, cases[i].words))
            fail_msg("%s: no '%s' in\n%s", cases[i].spec, cases[i].words, at ? at : text);
        free(text);
        what_if_free(&w);
    }
    path_shares_free(&s);
    critical_path_free(&p);
    graph_unref(g);
}

static unsigned times_in(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

/* Beside the path: the largest slack first, and how many more spans have some; each queue that the
 * path does not go through. */
TEST(slack_is_told_with_how_many_more)
{
    for (unsigned beside = 0; beside < 40; beside += 13) {
        struct graph *g = graph_new();
        uint32_t prog = node(g, NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
        uint32_t q = node(g, NODE_QUEUE, "q", prog, NO, NO);
        node(g, NODE_KERNEL, "longest", q, 0, 1000000);
        for (unsigned i = 0; i < beside; i++) {
            uint32_t other = node(g, NODE_QUEUE, "other", prog, NO, NO);
            node(g, NODE_KERNEL, "beside", other, 0, 1000 * (i + 1));
        }
        graph_finish(g);
        struct critical_path p = find(g);
        struct path_shares s = {0};
        struct trace t = {.calls = g};
        path_names_find(g, &p, &s);
        char *text =
            text_of(&(struct path_document){.trace = &t, .path = &p, .shares = &s, .ascii = true});
        unsigned told = times_in(text, "  slack "), more = 0;
        const char *rest = strstr(text, " spans more\n");
        if (rest)
            assert_int_equal(sscanf(strstr(text, "  ... and "), "  ... and %u", &more), 1);
        assert_int_equal(told + more, beside);
        assert_true((more > 0) == (rest != NULL));
        assert_int_equal(strstr(text, "nothing: every span is on the path") != NULL, beside == 0);
        const char *lanes = strstr(text, "that the path does not go through:\n");
        assert_true((lanes != NULL) == (beside > 0));
        const char *others = lanes ? strstr(lanes, "  ... and ") : NULL;
        more = others ? (unsigned)strtoul(others + strlen("  ... and "), NULL, 10) : 0;
        assert_int_equal(times_in(text, "  lasts ") + more, beside);
        free(text);
        path_shares_free(&s);
        critical_path_free(&p);
        graph_unref(g);
    }
}

/* A call of 100 with a nested call of 40: both shrink, with the pause around the inner one; the
 * inner one may have a factor of its own. */
TEST(nested_calls_shrink_too)
{
    struct graph *g = graph_new();
    uint32_t thread = node(g, NODE_THREAD, "main", GRAPH_NONE, NO, NO);
    uint32_t outer = node(g, NODE_FUNCTION, "outer", thread, 0, 100);
    node(g, NODE_FUNCTION, "inner", outer, 30, 40);
    uint32_t next = node(g, NODE_FUNCTION, "next", thread, 110, 10);
    execution_sequence(g, 0, g->nnodes);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 120);
    assert_int_equal(after(g, &p, "outer=2"), 70);
    assert_int_equal(after(g, &p, "inner=2"), 100);
    (void)next;
    critical_path_free(&p);
    graph_unref(g);
}

TEST(invalid_changes_are_refused)
{
    static const char *const wrong[] = {"",     "=2",    "a",     "a=",     "a=x", "a=0",
                                        "a=-1", "a=nan", "a=2 x", "a=1e-9", "~=2"};
    struct what_if_change c;
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (what_if_parse(&c, wrong[i], &err) == 0)
            fail_msg("%s was taken", wrong[i]);
    assert_int_equal(what_if_parse(&c, "f<a=b>(int)=1.5", &err), 0);
    assert_string_equal(c.text, "f<a=b>(int)");
    assert_true(c.speed == 1.5 && c.by == WHAT_IF_NAME);
    assert_int_equal(what_if_parse(&c, "a=inf", &err), 0);
    assert_true(isinf(c.speed));
    assert_int_equal(what_if_parse(&c, "#12=2", &err), 0);
    assert_true(c.by == WHAT_IF_NODE && c.node == 12);
    assert_int_equal(what_if_parse(&c, "#include=2", &err), 0);
    assert_true(c.by == WHAT_IF_NAME);
    struct graph *g = graph_new();
    node(g, NODE_KERNEL, "k", node(g, NODE_QUEUE, "q", GRAPH_NONE, NO, NO), 0, 10);
    graph_finish(g);
    struct critical_path p = find(g);
    static const char *const nothing[] = {"K=2", "q=2", "#0=2", "#99=2", "~x+=2", "~(=2"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        struct what_if w;
        assert_int_equal(what_if_parse(&c, nothing[i], &err), 0);
        if (what_if_find(g, &p, &c, 1, &w, &err) == 0)
            fail_msg("%s was found", nothing[i]);
        what_if_free(&w);
    }
    /* if two changes name the same, the later one counts */
    struct what_if_change two[2];
    struct what_if w;
    assert_int_equal(what_if_parse(&two[0], "k=5", &err), 0);
    assert_int_equal(what_if_parse(&two[1], "~.=2", &err), 0);
    assert_int_equal(what_if_find(g, &p, two, 2, &w, &err), 0);
    assert_int_equal(w.after, 5);
    what_if_free(&w);
    critical_path_free(&p);
    graph_unref(g);
}

/* --- a host and its queues, compared with simulating them again --- */

TEST(playing_it_again_agrees)
{
    for (uint32_t i = 1; i <= RANDOM_GRAPHS; i++) {
        struct played r;
        played_make(&r, i);
        struct graph *g = played_graph(&r);
        struct critical_path p = find(g);
        uint64_t was = played_again(&r, (struct played_speeds){1, 1, 1});
        assert_int_equal(p.length, was);
        bool waits = false, launches = false;
        for (uint32_t k = 0; k < r.n; k++)
            waits |= r.sync[k], launches |= !r.sync[k];
        if (launches) {
            assert_int_equal(after(g, &p, "kernel=2"),
                             played_again(&r, (struct played_speeds){2, 1, 1}));
            assert_int_equal(after(g, &p, "launch=2"),
                             played_again(&r, (struct played_speeds){1, 2, 1}));
        }
        if (waits)
            assert_int_equal(after(g, &p, "wait=2"),
                             played_again(&r, (struct played_speeds){1, 1, 2}));
        assert_int_equal(after(g, &p, "~^(wait|launch|kernel)$=2"),
                         played_again(&r, (struct played_speeds){2, 2, 2}));
        assert_int_equal(after(g, &p, "~.=1"), was);
        critical_path_free(&p);
        graph_unref(g);
    }
}

TEST(faster_is_never_longer)
{
    static const char *const specs[] = {"~.=0.3", "~.=1", "~.=1.1", "~.=2", "~.=7", "~.=gone"};
    for (uint32_t i = 1; i <= RANDOM_GRAPHS / 10; i++) {
        struct played r;
        played_make(&r, i);
        struct graph *g = played_graph(&r);
        struct critical_path p = find(g);
        uint64_t before = NO;
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            uint64_t now = after(g, &p, specs[k]);
            assert_true(now <= before);
            before = now;
        }
        critical_path_free(&p);
        graph_unref(g);
    }
}
