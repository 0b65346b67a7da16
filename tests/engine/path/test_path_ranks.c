/*
 * The path through the ranks of a job. Random small jobs are run by a simulator of their rules
 * alone (work, collectives of some ranks, messages), which also says what came last before each
 * operation. The path of the graph of their spans must be the same, and a question about it must
 * be answered as by running the job again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/rank_edges.h"
#include "engine/path/critical_path.h"
#include "support/test.h"

enum { JOBS = 300, RANKS = 5, OPS = 60, NAMES = 4, FIRST = 1000000 };
enum op_kind { WORK, MEET, MESSAGE };

struct op {
    enum op_kind kind;
    uint32_t name;     /* of work */
    uint32_t rank, to; /* of work, or of the sender; of the receiver */
    uint32_t members;  /* bits */
    uint64_t length, sending;
};

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)(seed >> 8) * n) >> 24);
}

static void make_job(struct op *ops, uint32_t nranks)
{
    for (int i = 0; i < OPS; i++) {
        struct op *o = &ops[i];
        *o = (struct op){.kind = WORK, .name = below(NAMES), .rank = below(nranks)};
        o->length = 2 * (2000 + (uint64_t)below(90000));
        if (below(4) == 0)
            o->kind = below(2) ? MEET : MESSAGE;
        o->members = o->kind == MEET ? 1 + below((1u << nranks) - 1) : 0;
        o->to = (o->rank + 1 + below(nranks - 1)) % nranks;
        o->sending = 1 + below(2000);
    }
}

/* The span of a rank in an operation, and the operation's time before which nothing happened that
 * the path is about: the begin of work, of the last member, of the transfer. */
struct span {
    uint64_t start, end, since;
    int before; /* the rank that the walk goes on in */
};
struct run {
    struct span spans[OPS][RANKS];
    uint64_t end;
    int last; /* the rank that ended last */
};

static void run_meeting(const struct op *o, struct span *s, uint64_t *now, uint32_t nranks)
{
    uint64_t last = 0;
    int who = 0;
    for (uint32_t r = 0; r < nranks; r++)
        if (o->members >> r & 1 && now[r] >= last) {
            last = now[r];
            who = (int)r;
        }
    for (uint32_t r = 0; r < nranks; r++)
        if (o->members >> r & 1) {
            const uint64_t end = last + o->length + o->sending * r; /* not all leave at once */
            s[r] = (struct span){now[r], end, last, who};
            now[r] = end;
        }
}

static void run_message(const struct op *o, struct span *s, uint64_t *now)
{
    const bool late = now[o->rank] > now[o->to];
    const uint64_t since = late ? now[o->rank] : now[o->to];
    s[o->rank] = (struct span){now[o->rank], now[o->rank] + o->sending, now[o->rank], (int)o->rank};
    s[o->to] = (struct span){now[o->to], since + o->length, since, (int)(late ? o->rank : o->to)};
    now[o->rank] += o->sending;
    now[o->to] = since + o->length;
}

/* faster: a name of work that takes half as long; NAMES: none. */
static void run_job(const struct op *ops, uint32_t nranks, uint32_t faster, struct run *out)
{
    uint64_t now[RANKS] = {0};
    *out = (struct run){.last = 0};
    for (int i = 0; i < OPS; i++) {
        const struct op *o = &ops[i];
        const uint64_t length = o->length / (o->name == faster ? 2 : 1);
        if (o->kind == MEET)
            run_meeting(o, out->spans[i], now, nranks);
        else if (o->kind == MESSAGE)
            run_message(o, out->spans[i], now);
        else {
            out->spans[i][o->rank] =
                (struct span){now[o->rank], now[o->rank] + length, now[o->rank], (int)o->rank};
            now[o->rank] += length;
        }
    }
    for (uint32_t r = 0; r < nranks; r++)
        if (now[r] > out->end) {
            out->end = now[r];
            out->last = (int)r;
        }
}

/* The time on the path of work of each name, by walking back. */
static void walk_job(const struct op *ops, const struct run *run, uint64_t ns[NAMES])
{
    int rank = run->last;
    for (int i = OPS; i-- > 0;) {
        const struct span *s = &run->spans[i][rank];
        if (s->end == 0)
            continue;
        if (ops[i].kind == WORK)
            ns[ops[i].name] += s->end - s->start;
        rank = s->before;
    }
}

static const char *const names[NAMES] = {"a", "b", "c", "d"};

static uint32_t node_of[OPS][RANKS];

static struct graph *graph_of(const struct op *ops, const struct run *run, uint32_t nranks)
{
    struct graph *g = graph_new();
    uint32_t lanes[RANKS];
    for (uint32_t r = 0; r < nranks; r++) {
        const uint32_t program = graph_add(g, NODE_PROGRAM, graph_intern(g, "rank"), GRAPH_NONE,
                                           EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        lanes[r] = graph_add(g, NODE_THREAD, graph_intern(g, "main"), program, EDGE_CONTAINS,
                             GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    }
    for (int i = 0; i < OPS; i++) {
        const struct op *o = &ops[i];
        uint32_t nodes[RANKS] = {0}, n = 0;
        for (uint32_t r = 0; r < nranks; r++) {
            const struct span *s = &run->spans[i][r];
            if (s->end == 0)
                continue;
            const char *name = o->kind == WORK ? names[o->name] : "MPI_Call";
            nodes[n] = graph_add(g, NODE_FUNCTION, graph_intern(g, name), lanes[r], EDGE_CONTAINS,
                                 FIRST + s->start, s->end - s->start);
            node_of[i][r] = nodes[n];
            g->flags[nodes[n++]] |= o->kind == WORK ? 0 : NODE_COLLECTIVE;
        }
        if (o->kind == MEET)
            graph_meet(g, nodes, n);
        else if (o->kind == MESSAGE)
            graph_message(g, nodes[o->rank > o->to], nodes[o->rank < o->to]);
    }
    graph_finish(g);
    return g;
}

/* The time of work of each name on the path of a graph; the steps must join without a gap. */
static void add_up_steps(const struct graph *g, const struct critical_path *p, uint64_t ns[NAMES])
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        assert_int_equal(p->steps[i].start, at);
        at += p->steps[i].length;
        for (uint32_t k = 0; k < NAMES; k++)
            if (strcmp(graph_name(g, p->steps[i].node), names[k]) == 0)
                ns[k] += p->steps[i].length;
    }
    assert_int_equal(at, p->length);
}

/* Lengths alone are found by another schedule, which keeps no begins. */
static void check_length_alone(const struct graph *g, const struct critical_change *change,
                               uint64_t want)
{
    struct path_work *w;
    uint64_t length = 0;
    assert_int_equal(critical_path_begin(g, &w, NULL), 0);
    assert_int_equal(critical_path_lengths(w, change, 1, &length, NULL), 0);
    assert_int_equal(length, want);
    critical_path_end(w);
}

static void check_question(const struct graph *g, const struct op *ops, uint32_t nranks,
                           uint32_t faster)
{
    struct run again;
    struct critical_path p;
    struct critical_change change = {.group = NULL};
    uint8_t *group = calloc(g->nnodes, 1);
    assert_non_null(group);
    for (uint32_t v = 0; v < g->nnodes; v++)
        group[v] = strcmp(graph_name(g, v), names[faster]) == 0;
    change.group = group;
    change.speed[0] = 1;
    change.speed[1] = 2;
    run_job(ops, nranks, faster, &again);
    assert_int_equal(critical_path_changed(g, &change, &p, NULL), 0);
    if (p.length != again.end)
        fail_msg("%s twice as fast: %llu ns, not %llu", names[faster], (unsigned long long)p.length,
                 (unsigned long long)again.end);
    check_length_alone(g, &change, p.length);
    critical_path_free(&p);
    free(group);
}

/* Work may take longer by its slack, and by no more, until the job does. */
static void check_slack(const struct critical_path *p, struct op *ops, uint32_t nranks,
                        const struct run *run)
{
    struct run again;
    for (int i = 0; i < OPS; i++) {
        if (ops[i].kind != WORK)
            continue;
        const uint64_t slack = p->slack[node_of[i][ops[i].rank]], length = ops[i].length;
        for (uint64_t more = slack; more <= slack + 1; more++) {
            ops[i].length = length + more;
            run_job(ops, nranks, NAMES, &again);
            if ((again.end > run->end) != (more > slack))
                fail_msg("operation %d by %llu ns longer: the job takes %llu ns, before %llu", i,
                         (unsigned long long)more, (unsigned long long)again.end,
                         (unsigned long long)run->end);
        }
        ops[i].length = length;
    }
}

TEST(random_jobs_have_the_path_and_the_answers_of_their_simulator)
{
    static struct op ops[OPS];
    static struct run run;
    for (uint32_t k = 0; k < JOBS; k++) {
        struct critical_path p;
        uint64_t want[NAMES] = {0}, got[NAMES] = {0};
        seed = k;
        const uint32_t nranks = 2 + below(RANKS - 1);
        make_job(ops, nranks);
        run_job(ops, nranks, NAMES, &run);
        walk_job(ops, &run, want);
        struct graph *g = graph_of(ops, &run, nranks);
        assert_int_equal(critical_path_find(g, &p, NULL), 0);
        assert_int_equal(p.length, run.end);
        add_up_steps(g, &p, got);
        for (uint32_t i = 0; i < NAMES; i++) {
            if (got[i] != want[i])
                fail_msg("job %u: %llu ns of %s, not %llu", k, (unsigned long long)got[i], names[i],
                         (unsigned long long)want[i]);
            check_question(g, ops, nranks, i);
        }
        check_slack(&p, ops, nranks, &run);
        critical_path_free(&p);
        graph_unref(g);
    }
}

/* Three kernels of one queue that say that they met: the walk must end. */
TEST(members_that_cannot_have_met_do_no_harm)
{
    struct graph *g = graph_new();
    struct critical_path p;
    uint32_t v[3];
    const uint32_t queue = graph_add(g, NODE_QUEUE, graph_intern(g, "queue"), GRAPH_NONE,
                                     EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint64_t i = 0; i < 3; i++)
        v[i] = graph_add(g, NODE_KERNEL, graph_intern(g, "k"), queue, EDGE_CONTAINS,
                         FIRST + 10000 * i, 25000);
    graph_meet(g, v, 3);
    graph_meet(g, v, 3);
    graph_connect(g, v[2], v[0], EDGE_MEETS);
    graph_message(g, v[2], v[0]);
    graph_message(g, v[1], v[1]);
    graph_finish(g);
    assert_int_equal(critical_path_find(g, &p, NULL), 0);
    assert_int_equal(p.length, 45000);
    critical_path_free(&p);
    graph_unref(g);
}
