#include "engine/graph/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "base/watch.h"
#include "engine/graph/graph_order.h"

enum { TRIES = 1024 /* how much work of other programs is skipped */, LOOK = 256 };

static uint64_t end_of_executed(const struct graph *g, uint32_t v)
{
    return g->start[v] + g->duration[v];
}

static bool is_device_work(const struct graph *g, uint32_t v)
{
    return (g->kind[v] == NODE_KERNEL || g->kind[v] == NODE_TRANSFER) && graph_has_time(g, v) &&
           g->parent[v] != GRAPH_NONE && g->kind[g->parent[v]] == NODE_QUEUE;
}

/* --- order within lanes --- */

static bool is_inside_lane(const struct graph *g, uint32_t v)
{
    return graph_has_time(g, v) && g->parent[v] != GRAPH_NONE && !graph_is_context(g, v);
}

/* Adds the edges among the children of one parent; list is in order of start. */
static void connect_siblings(struct graph *calls, const uint32_t *list, uint32_t n)
{
    uint32_t last = list[0];
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = list[i];
        if (end_of_executed(calls, last) <= calls->start[v])
            graph_connect(calls, last, v, EDGE_SEQUENCE);
        if (end_of_executed(calls, v) >= end_of_executed(calls, last))
            last = v;
    }
}

void execution_sequence(struct graph *calls, uint32_t from, uint32_t to)
{
    uint32_t n, *list = graph_by_parent(calls, from, to, is_inside_lane, &n);
    for (uint32_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && calls->parent[list[end]] == calls->parent[list[i]])
            end++;
        graph_by_time(calls, list + i, end - i, false);
        connect_siblings(calls, list + i, end - i);
        if (watch_given_up())
            break;
    }
    free(list);
}

/* --- what the host waits for --- */

bool execution_is_sync(const char *name)
{
    return strstr(name, "Synchronize") || strstr(name, "hsa_signal_wait");
}

static int compare_name_with_key(const void *key, const void *name)
{
    return strcmp(key, *(const char *const *)name);
}

/* Functions of Python that wait, as PyTorch's profiler names them: "threading.py(655): wait",
 * "<built-in function sleep>", "<built-in method acquire of _thread.lock object at 0x7f00>". */
static bool is_python_wait(const char *name)
{
    static const struct {
        const char *file, *function;
    } functions[] = {{"threading", "wait"},
                     {"threading", "_wait_for_tstate_lock"},
                     {"queue", "get"},
                     {"queue", "put"},
                     {"selectors", "select"}};
    static const char *const built_in[] = {"sleep", "select", "poll", "epoll_wait",
                                           "recv",  "accept", "wait"};
    static const char method[] = "<built-in method ", function[] = "<built-in function ";
    const char *at = strstr(name, ".py("), *to = at ? strstr(at, "): ") : NULL;
    for (size_t i = 0; to && i < sizeof functions / sizeof *functions; i++) {
        size_t n = strlen(functions[i].file);
        if (strcmp(to + 3, functions[i].function) == 0 && (size_t)(at - name) >= n &&
            strncmp(at - n, functions[i].file, n) == 0 &&
            ((size_t)(at - name) == n || at[-(ptrdiff_t)n - 1] == '/'))
            return true;
    }
    bool of_method = strncmp(name, method, sizeof method - 1) == 0;
    if (!of_method && strncmp(name, function, sizeof function - 1) != 0)
        return false;
    const char *word = name + (of_method ? sizeof method : sizeof function) - 1;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        size_t n = strlen(built_in[i]);
        if (strncmp(word, built_in[i], n) == 0 && (word[n] == ' ' || word[n] == '>'))
            return true;
    }
    return strncmp(word, "acquire of _thread.lock", 23) == 0 ||
           strncmp(word, "run_backward of torch", 21) == 0;
}

/* Calls of POSIX, Linux and glibc that sleep, named as in Nsight Systems' OSRT tables. Locks are
 * left out: the thread that holds them works. */
bool execution_is_wait(const char *name)
{
    static const char *const waits[] = {
        "accept",
        "accept4",
        "clock_nanosleep",
        "epoll_pwait",
        "epoll_pwait2",
        "epoll_wait",
        "futex",
        "io_getevents",
        "mq_receive",
        "mq_timedreceive",
        "msgrcv",
        "nanosleep",
        "pause",
        "poll",
        "ppoll",
        "pselect",
        "pthread_barrier_wait",
        "pthread_cond_clockwait",
        "pthread_cond_timedwait",
        "pthread_cond_wait",
        "pthread_join",
        "pthread_timedjoin_np",
        "select",
        "sem_clockwait",
        "sem_timedwait",
        "sem_wait",
        "sigsuspend",
        "sigtimedwait",
        "sigwait",
        "sigwaitinfo",
        "sleep",
        "usleep",
        "wait",
        "wait3",
        "wait4",
        "waitid",
        "waitpid",
    };
    return is_python_wait(name) ||
           bsearch(name, waits, sizeof waits / sizeof *waits, sizeof *waits, compare_name_with_key);
}

bool execution_is_sleep(const char *name)
{
    static const char *const sleeps[] = {"clock_nanosleep", "nanosleep", "sleep", "usleep",
                                         "<built-in function sleep>"};
    for (size_t i = 0; i < sizeof sleeps / sizeof *sleeps; i++)
        if (strcmp(name, sleeps[i]) == 0)
            return true;
    return false;
}

bool execution_is_copy(const char *name)
{
    return strstr(name, "Memcpy") != NULL;
}

/* The program that a work belongs to: the one that launched it, if known, because some profilers
 * show a GPU as a program of its own. */
static uint32_t *find_programs_of_works(const struct graph *g, const uint32_t *work, size_t n)
{
    uint32_t *owner = xcalloc(g->nnodes + (size_t)1, sizeof *owner);
    memset(owner, 0xff, (g->nnodes + (size_t)1) * sizeof *owner);
    for (size_t i = 0; i < n; i++)
        owner[work[i]] = graph_root(g, work[i]);
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_kind[e] == EDGE_LAUNCHES && owner[g->edge_to[e]] != GRAPH_NONE)
            owner[g->edge_to[e]] = graph_root(g, g->edge_from[e]);
    return owner;
}

enum { SYNC = 1, COPY };

/* Classifies each name once, because there are few names and many calls. */
static uint8_t *classify_call_names(const struct graph *g, bool found[static COPY + 1])
{
    uint8_t *what = xcalloc(g->nnames + 1u, 1);
    for (uint32_t i = 0; i < g->nnames; i++) {
        const char *name = graph_text(g, i);
        if (execution_is_sync(name))
            what[i] = SYNC;
        else if (execution_is_copy(name))
            what[i] = COPY;
        found[what[i]] = true;
    }
    return what;
}

/* The work of a queue in order of end, and the program that it belongs to. */
struct queue_work {
    const uint32_t *list;
    uint32_t n, owner, told; /* told: 1 + index of the last work that a call waited for */
    uint64_t threads;        /* thread_bit of each thread that launches on it */
};

struct queues {
    struct queue_work *of; /* queues with work */
    uint32_t *list, n;
    uint32_t *launcher; /* of each node, or GRAPH_NONE */
};

/* A bit for the thread of a call; few threads share a bit. */
static uint64_t thread_bit(const struct graph *g, uint32_t call)
{
    while (!graph_is_lane(g, call) && g->parent[call] != GRAPH_NONE)
        call = g->parent[call];
    return UINT64_C(1) << call % 64;
}

static void find_queues_of_works(const struct graph *g, const uint32_t *work, uint32_t n,
                                 struct queues *q)
{
    uint32_t *owner = find_programs_of_works(g, work, n),
             *at = xcalloc(g->nnodes + (size_t)1, sizeof *at);
    *q = (struct queues){.list = xcalloc(n + (size_t)1, sizeof *q->list),
                         .launcher = xcalloc(g->nnodes + (size_t)1, sizeof *q->launcher)};
    memset(q->launcher, 0xff, (g->nnodes + (size_t)1) * sizeof *q->launcher);
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_kind[e] == EDGE_LAUNCHES)
            q->launcher[g->edge_to[e]] = g->edge_from[e];
    for (uint32_t i = 0; i < n; i++)
        at[g->parent[work[i]]]++;
    for (uint32_t v = 0, sum = 0; v < g->nnodes; v++) {
        q->n += at[v] > 0;
        sum += at[v];
        at[v] = sum - at[v];
    }
    q->of = xcalloc(q->n + (size_t)1, sizeof *q->of);
    for (uint32_t i = 0; i < n; i++)
        q->list[at[g->parent[work[i]]]++] = work[i];
    for (uint32_t i = 0, k = 0, end; i < n; i = end) {
        uint32_t queue = g->parent[q->list[i]], by = GRAPH_NONE;
        uint64_t threads = 0;
        for (end = i; end < n && g->parent[q->list[end]] == queue; end++) {
            uint32_t call = q->launcher[q->list[end]];
            if (call != GRAPH_NONE || by == GRAPH_NONE)
                by = owner[q->list[end]];
            threads |= call != GRAPH_NONE ? thread_bit(g, call) : 0;
        }
        q->of[k++] = (struct queue_work){q->list + i, end - i, by, 0, threads};
    }
    free(owner);
    free(at);
}

/* Index + 1 of the last work of a queue that was launched before a call began, and ended before it
 * returned. Work without a known launch was launched before the profile began. */
static uint32_t count_awaited_works(const struct graph *g, const struct queues *q,
                                    const struct queue_work *w, uint32_t call)
{
    uint32_t lo = 0; /* finds the first work that ends after the call */
    uint64_t end = end_of_executed(g, call) + EXECUTION_NEAR_NS;
    SEARCH_FIRST(lo, w->n, end_of_executed(g, w->list[lo]) <= end);
    for (int tries = 0; tries < TRIES && lo > 0; lo--, tries++) {
        uint32_t work = w->list[lo - 1], by = q->launcher[work];
        if (g->start[work] < end_of_executed(g, call) &&
            (by == GRAPH_NONE || g->start[by] <= g->start[call]))
            return lo;
    }
    return 0;
}

/* Joins a call with the last work of each queue, and always with the work that ended last. Work
 * that an earlier call waited for is left out. A call that waits for one of several queues waits
 * for one that its thread launches on, if any: for the work that ended last, if that was during the
 * call, else for the queue of the last launch. */
static void add_sync(struct graph *calls, struct queues *q, uint32_t call)
{
    uint32_t program = graph_root(calls, call), best = GRAPH_NONE;
    const char *name = graph_name(calls, call);
    uint32_t recent = GRAPH_NONE;
    uint64_t launched = 0;
    bool one = q->n > 1 && (strstr(name, "StreamSync") || strstr(name, "EventSync"));
    uint64_t thread = one ? thread_bit(calls, call) : 0, own = 0;
    for (uint32_t i = 0; one && i < q->n; i++)
        own |= q->of[i].owner == program ? q->of[i].threads & thread : 0;
    for (uint32_t i = 0; i < q->n; i++) {
        struct queue_work *w = &q->of[i];
        bool may = w->owner == program && (w->threads & own) == own;
        uint32_t at = may ? count_awaited_works(calls, q, w, call) : 0;
        if (at == 0)
            continue;
        uint32_t work = w->list[at - 1];
        if (best == GRAPH_NONE || end_of_executed(calls, work) > end_of_executed(calls, best))
            best = work;
        uint32_t by = q->launcher[work];
        if (by != GRAPH_NONE && calls->start[by] >= launched) {
            launched = calls->start[by];
            recent = work;
        }
        if (one || w->told == at)
            continue;
        w->told = at;
        graph_connect(calls, work, call, EDGE_JOINS);
        if (best == work)
            best = GRAPH_NONE;
    }
    if (one && recent != GRAPH_NONE && end_of_executed(calls, best) <= calls->start[call])
        best = recent;
    if (best != GRAPH_NONE)
        graph_connect(calls, best, call, EDGE_JOINS);
}

/* Calls whose joins a reader has added are left as they are. work: n nodes in order of end. */
static void add_syncs(struct graph *calls, uint32_t from, uint32_t to, const uint8_t *what,
                      const uint32_t *work, uint32_t n, uint32_t edges)
{
    struct queues q;
    uint8_t *known = xcalloc(to - from + (size_t)1, 1);
    for (uint32_t e = 0; e < edges; e++)
        if (calls->edge_kind[e] == EDGE_JOINS && calls->edge_to[e] >= from &&
            calls->edge_to[e] < to)
            known[calls->edge_to[e] - from] = 1;
    find_queues_of_works(calls, work, n, &q);
    for (uint32_t v = from; v < to; v++) {
        if (v % LOOK == 0 && watch_given_up())
            break;
        if (calls->kind[v] == NODE_FUNCTION && what[calls->name[v]] == SYNC &&
            graph_has_time(calls, v) && !known[v - from])
            add_sync(calls, &q, v);
    }
    free(known);
    free(q.of);
    free(q.list);
    free(q.launcher);
}

/* If a copy had ended when its call returned, the call waited for it, whatever its name. edges:
 * their number before any of these are added. */
static void add_copies(struct graph *calls, uint32_t from, uint32_t to, const uint8_t *what,
                       uint32_t edges)
{
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t call = calls->edge_from[e], copy = calls->edge_to[e];
        if (calls->edge_kind[e] == EDGE_LAUNCHES && call >= from && call < to && copy >= from &&
            copy < to && calls->kind[call] == NODE_FUNCTION && calls->kind[copy] == NODE_TRANSFER &&
            what[calls->name[call]] == COPY && is_device_work(calls, copy) &&
            graph_has_time(calls, call) &&
            end_of_executed(calls, copy) <= end_of_executed(calls, call))
            graph_connect(calls, copy, call, EDGE_JOINS);
    }
}

uint32_t *execution_device_work(const struct graph *calls, uint32_t from, uint32_t to, uint32_t *n)
{
    uint32_t *work = graph_by_parent(calls, from, to, is_device_work, n);
    graph_by_time(calls, work, *n, true);
    return work;
}

void execution_waits(struct graph *calls, uint32_t from, uint32_t to, const uint32_t *work,
                     uint32_t n)
{
    bool found[COPY + 1] = {false};
    uint32_t edges = calls->nedges;
    uint8_t *what = classify_call_names(calls, found);
    if (found[SYNC] && n > 0 && !watch_given_up())
        add_syncs(calls, from, to, what, work, n, edges);
    if (found[COPY])
        add_copies(calls, from, to, what, edges);
    if (n > 0)
        execution_events(calls, from, to);
    if (!watch_given_up())
        execution_inferred(calls, work, n);
    free(what);
}
