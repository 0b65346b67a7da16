#include "engine/bricks/syscall_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ids.h"
#include "engine/syscalls/calls.h"

struct lane_call {
    uint32_t thread; /* node */
    const char *name;
    uint64_t begin, end;
};

static int compare_lane_calls(const void *a, const void *b)
{
    const struct lane_call *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The calls of threads that the graph has, each thread's in order. */
static struct lane_call *list_calls_of_lanes(const struct graph *g,
                                             const struct syscall_recent *recent, size_t *n)
{
    const size_t all = syscall_recent_count(recent);
    struct lane_call *list = xcalloc(all + 1, sizeof *list);
    struct ids threads = {.n = 0};
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->kind[i] == NODE_THREAD && g->detail[i] != GRAPH_NONE)
            ids_add(&threads, (uint64_t)g->details[g->detail[i]].thread.id, i);
    *n = 0;
    for (size_t i = 0; i < all; i++) {
        const struct syscall_event e = syscall_recent_at(recent, i);
        const uint32_t thread = ids_get(&threads, (uint64_t)(int64_t)e.tid);
        if (thread == IDS_NONE || (e.flags & SYSCALL_NO_TIMES) || e.end_ns < e.begin_ns)
            continue;
        /* Names are kept: numbers without one are all "(other numbers)". */
        const unsigned abi = syscall_is_named(e.abi, e.number) ? e.abi : SYSCALL_ABIS;
        list[(*n)++] =
            (struct lane_call){thread, syscall_name(abi, e.number), e.begin_ns, e.end_ns};
    }
    ids_free(&threads);
    if (*n)
        qsort(list, *n, sizeof *list, compare_lane_calls);
    return list;
}

/* The first call behind those that are one span with call i. */
static size_t end_of_span(const struct lane_call *list, size_t n, size_t i, uint64_t apart)
{
    size_t next = i + 1;
    for (uint64_t end = list[i].end; apart && next < n && list[next].thread == list[i].thread &&
                                     (list[next].begin <= end || list[next].begin - end < apart);
         next++)
        end = list[next].end > end ? list[next].end : end;
    return next;
}

static size_t count_spans(const struct lane_call *list, size_t n, uint64_t apart)
{
    size_t spans = 0;
    for (size_t i = 0; i < n; i = end_of_span(list, n, i, apart))
        spans++;
    return spans;
}

/* The name among some calls with the most time. Few names come in one span, so it looks at each
 * call's name once for each name that begins there. */
static const char *find_longest_lane_call(const struct lane_call *list, size_t n, bool *one)
{
    const char *best = list[0].name;
    uint64_t best_ns = 0;
    *one = true;
    enum { NAMES = 16 };
    struct {
        const char *name;
        uint64_t ns;
    } seen[NAMES] = {{list[0].name, 0}};
    int nseen = 1;
    for (size_t i = 0; i < n; i++) {
        int k = 0;
        while (k < nseen && seen[k].name != list[i].name)
            k++;
        *one = *one && k == 0;
        if (k == NAMES)
            continue; /* with so many, none of the rest stands out */
        nseen = k == nseen ? nseen + 1 : nseen;
        seen[k].name = list[i].name;
        seen[k].ns += list[i].end - list[i].begin;
        if (seen[k].ns > best_ns) {
            best_ns = seen[k].ns;
            best = seen[k].name;
        }
    }
    return best;
}

static void add_calls_span(struct graph *g, uint32_t lane, const struct lane_call *list, size_t n)
{
    char name[96];
    uint64_t end = list[0].end;
    bool one;
    const char *most = find_longest_lane_call(list, n, &one);
    for (size_t i = 1; i < n; i++)
        end = list[i].end > end ? list[i].end : end;
    if (n == 1)
        snprintf(name, sizeof name, "%s", most);
    else if (one)
        snprintf(name, sizeof name, "%s x%zu", most, n);
    else
        snprintf(name, sizeof name, "%zu calls, most in %s", n, most);
    graph_add(g, NODE_RANGE, graph_intern(g, name), lane, EDGE_CONTAINS, list[0].begin,
              end - list[0].begin);
}

static uint32_t add_calls_lane(struct graph *g, uint32_t thread)
{
    const int64_t tid = g->details[g->detail[thread]].thread.id;
    const uint32_t lane = graph_add(g, NODE_QUEUE, g->name[thread], g->parent[thread],
                                    EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (lane == GRAPH_NONE)
        return lane;
    g->flags[lane] |= NODE_CALLS;
    graph_detail(g, lane)->thread.id = tid;
    return lane;
}

struct syscall_lanes syscall_lanes_add(struct graph *g, const struct syscall_recent *recent,
                                       uint32_t most)
{
    enum { FIRST_NS = 1000 };
    struct syscall_lanes made = {.calls = 0};
    size_t n;
    struct lane_call *list = list_calls_of_lanes(g, recent, &n);
    most = most ? most : SYSCALL_LANES_SPANS;
    /* up to twice the age of the machine: then each thread has one span */
    for (; count_spans(list, n, made.apart) > most && made.apart < UINT64_MAX / 4;)
        made.apart = made.apart ? 2 * made.apart : FIRST_NS;
    uint32_t lane = GRAPH_NONE;
    for (size_t i = 0, next; i < n; i = next) {
        next = end_of_span(list, n, i, made.apart);
        if (i == 0 || list[i].thread != list[i - 1].thread)
            lane = add_calls_lane(g, list[i].thread);
        if (lane == GRAPH_NONE)
            break;
        add_calls_span(g, lane, list + i, next - i);
        made.spans++;
        made.calls += next - i;
    }
    free(list);
    graph_finish(g);
    return made;
}
