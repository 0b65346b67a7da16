/* Which kernels of several ranks' files become one collective of the graph. */
#include "engine/trace/meetings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"
#include "support/trace_text.h"

enum { RANKS = 4, TIMES = 10, PERIOD = 400 };
#define KERNEL "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

static char paths[RANKS][64];
static struct trace t;

FIXTURE(tear_down)
{
    trace_free(&t);
    for (int i = 0; i < RANKS; i++)
        unlink(paths[i]);
}

/* numbered: the file says the number of each call in its group. named: and the group's name. */
struct form {
    bool named, numbered;
    int late; /* the first period that the file of rank 3 has */
};

static void write_call(FILE *f, const struct form *o, const char *group, int size, int at, int k)
{
    fprintf(f,
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" KERNEL
            "\",\"pid\":0,\"tid\":7,\"ts\":%d,"
            "\"dur\":50,\"args\":{\"device\":0,\"stream\":7,\"Collective name\":\"allreduce\","
            "\"Group size\":%d",
            at, size);
    if (o->named)
        fprintf(f, ",\"Process Group Name\":\"%s\"", group);
    if (o->numbered)
        fprintf(f, ",\"Seq\":%d", k);
    fputs("}},", f);
}

/* In each period a call of all ranks, and one of each pair: 0 and 1, 2 and 3. */
static void open_ranks(const struct form *o)
{
    const char *list[RANKS];
    for (int r = 0; r < RANKS; r++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        assert_non_null(f);
        fprintf(f,
                "{\"baseTimeNanoseconds\":1700000000000000000,\"distributedInfo\":{\"rank\":%d,"
                "\"world_size\":%d},\"traceEvents\":[",
                r, RANKS);
        for (int k = r == 3 ? o->late : 0; k < TIMES; k++) {
            write_call(f, o, "all", RANKS, k * PERIOD, k);
            write_call(f, o, r < 2 ? "low" : "high", 2, k * PERIOD + 100 + (r < 2 ? 0 : 5), k);
        }
        fputs("{\"ph\":\"M\"}]}", f);
        fclose(f);
        trace_text_file(paths[r], text, size, false);
        free(text);
        list[r] = paths[r];
    }
    t = (struct trace){.nfiles = 0};
    assert_int_equal(trace_open(&t, list, RANKS, NULL), 0);
}

/* The number of edges; each must join calls of one period, of one size and of the same pair. */
static uint32_t check_edges(void)
{
    const struct graph *g = t.calls;
    uint32_t n = 0;
    for (uint32_t e = 0; e < g->nedges; e++) {
        const uint32_t a = g->edge_from[e], b = g->edge_to[e];
        if (g->edge_kind[e] != EDGE_MEETS)
            continue;
        const struct trace_collective *x = trace_collective_of(&t, a),
                                      *y = trace_collective_of(&t, b);
        const uint64_t apart =
            g->start[a] > g->start[b] ? g->start[a] - g->start[b] : g->start[b] - g->start[a];
        assert_non_null(x);
        assert_non_null(y);
        assert_int_equal(x->ranks, y->ranks);
        assert_true(apart < 1000);
        assert_ptr_not_equal(trace_file_of(&t, a), trace_file_of(&t, b));
        n++;
    }
    return n;
}

TEST_WITH(each_group_meets_by_itself, NULL, tear_down)
{
    open_ranks(&(struct form){.named = true, .numbered = true});
    assert_int_equal(check_edges(), TIMES * (RANKS - 1 + 2));
}

TEST_WITH(without_numbers_the_place_counts, NULL, tear_down)
{
    open_ranks(&(struct form){.named = true});
    assert_int_equal(check_edges(), TIMES * (RANKS - 1 + 2));
}

/* Numbered from the end: what the file of rank 3 lacks, the others have for themselves. */
TEST_WITH(a_file_that_begins_later_is_matched_from_its_end, NULL, tear_down)
{
    open_ranks(&(struct form){.named = true, .late = 4});
    assert_int_equal(check_edges(), TIMES * (RANKS - 2 + 1) + (TIMES - 4) * 2);
}

/* Two pairs that have one name: four calls cannot be a collective of two. */
TEST_WITH(groups_that_cannot_be_told_apart_do_not_meet, NULL, tear_down)
{
    open_ranks(&(struct form){.named = false});
    assert_int_equal(check_edges(), TIMES * (RANKS - 1));
}
