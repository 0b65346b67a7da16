/* Whose work the work of devices is, in files of several ranks that were merged: correlations begin
 * anew for each rank. Expected: what each file was made from. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/trace_look.h"
#include "support/test.h"

enum { RANKS = 3, CALLS = 12 };

struct made {
    int pids[RANKS];  /* of rank 0, 1, ...: the launches of the last come first in the file */
    int owner[RANKS]; /* of each device: the rank that launches its work */
    int early[RANKS]; /* us by which a rank is ahead of rank 0 */
    int first[RANKS]; /* the first correlation whose call is in the file */
    bool arrows;
};

static void add_call(FILE *f, const struct made *m, int rank, int id)
{
    fprintf(f,
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%d,"
            "\"tid\":%d,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},\n",
            m->pids[rank], m->pids[rank], 1000 + 20 * id - m->early[rank], id);
}

static void add_work(FILE *f, const struct made *m, int device, int id)
{
    int rank = m->owner[device], at = 1008 + 20 * id - m->early[rank];
    fprintf(f,
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,\"tid\":7,\"ts\":%d,"
            "\"dur\":5,\"args\":{\"device\":%d,\"stream\":7,\"correlation\":%d}},\n",
            device, at, device, id);
    if (!m->arrows || id < m->first[rank])
        return;
    fprintf(f,
            "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,\"pid\":%d,\"tid\":%d,"
            "\"ts\":%d},\n",
            100 * device + id, m->pids[rank], m->pids[rank], 1000 + 20 * id - m->early[rank]);
    fprintf(f,
            "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,\"pid\":%d,"
            "\"tid\":7,\"ts\":%d},\n",
            100 * device + id, device, at);
}

static uint32_t program_of(const struct graph *g, uint32_t v)
{
    while (g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

/* Every launch leads to a device of its rank. */
static void launches_are_right(const struct made *m)
{
    char path[] = "/tmp/rooftop-owners-XXXXXX";
    struct trace t;
    int launches = 0, expected = 0;
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fputs("{\"traceEvents\":[\n", f);
    for (int rank = RANKS; rank-- > 0;)
        for (int id = m->first[rank]; id <= CALLS; id++)
            add_call(f, m, rank, id);
    for (int device = 0; device < RANKS; device++)
        for (int id = 1; id <= CALLS; id++) {
            add_work(f, m, device, id);
            expected += id >= m->first[m->owner[device]];
        }
    fputs("{}]}", f);
    assert_int_equal(fclose(f), 0);
    look_open(&t, path);
    unlink(path);
    for (uint32_t e = 0; e < t.calls->nedges; e++) {
        if (t.calls->edge_kind[e] != EDGE_LAUNCHES)
            continue;
        char pid[16];
        uint32_t to = t.calls->edge_to[e];
        uint32_t device = t.agents[look_dispatch(&t, to)->agent].number;
        snprintf(pid, sizeof pid, "pid %d", m->pids[m->owner[device]]);
        assert_string_equal(
            graph_text(t.calls, t.calls->name[program_of(t.calls, t.calls->edge_from[e])]), pid);
        launches++;
    }
    assert_int_equal(launches, expected);
    trace_free(&t);
}

TEST(arrows_say_it)
{
    launches_are_right(&(struct made){
        .pids = {300, 100, 200}, .owner = {2, 0, 1}, .first = {1, 1, 1}, .arrows = true});
}

TEST(a_process_may_have_several_devices)
{
    launches_are_right(&(struct made){
        .pids = {300, 100, 200}, .owner = {1, 0, 0}, .first = {1, 1, CALLS}, .arrows = true});
}

TEST(no_work_begins_before_its_call)
{
    launches_are_right(&(struct made){
        .pids = {300, 200, 100}, .owner = {0, 1, 2}, .early = {0, 100, 200}, .first = {1, 1, 1}});
}

TEST(without_anything_else_their_numbers_tell)
{
    launches_are_right(
        &(struct made){.pids = {100, 200, 300}, .owner = {0, 1, 2}, .first = {1, 1, 1}});
}

/* Calls before the profile began are in no file: their work has none, not that of another rank. */
TEST(work_before_the_first_call_has_no_launch)
{
    launches_are_right(
        &(struct made){.pids = {100, 200, 300}, .owner = {0, 1, 2}, .first = {1, 9, 4}});
}
