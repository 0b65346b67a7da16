/* Reads saved traces of system calls as a graph: processes, their threads, and calls in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/renacer/trace_file.h"
#include "base/ids.h"
#include "base/list.h"
#include "engine/causes/causes.h"
#include "engine/graph/graph_clocks.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/snapshot/calls_profile.h"
#include "engine/syscalls/snapshot/gather.h"
#include "engine/syscalls/stacks.h"
#include "engine/trace/left_out.h"
#include "engine/trace/trace.h"
#include "json/look.h"

/* A process or thread while the events are read. */
struct lane {
    uint32_t node; /* its node in the graph of calls, or GRAPH_NONE */
    int32_t pid;
    uint64_t start, end;
    uint32_t last;    /* its last call, or GRAPH_NONE */
    uint32_t waiting; /* the last event before its next call; 0 = none */
    bool started;     /* its start or end was seen: another start belongs to another task */
    bool replaced;    /* its number now belongs to another task */
};

/* The position of an event of struct causes among the calls. */
struct place {
    uint32_t node;   /* the call, or the next one of its thread; GRAPH_NONE */
    uint32_t before; /* the call before it in its thread, or GRAPH_NONE */
    uint32_t next;   /* the previous event that waits for the same call */
    bool call;
};

struct graph_reading {
    struct trace *t;
    struct lane *lanes; /* processes and threads */
    uint32_t n, cap;
    struct ids by_pid, by_tid;
    struct ids by_rings; /* the lanes of processes for operations of io_uring */
    struct ids origins;  /* for each stack: the detail of calls that have it */
    struct causes *causes;
    struct place *places; /* indexed by the identifiers of causes */
    struct cause *found;
    size_t nplaces, places_cap, nfound, found_cap;
    struct syscalls_gather *gather; /* NULL: the view already shows another file */
    const char *path;
    struct error *err;
    int rc;
    uint64_t calls;
};

/* Recognises a trace, which begins at the start of a line, perhaps after output of the program. */
static bool is_syscall_trace(const char *path, const unsigned char *head, size_t size)
{
    const char *text = (const char *)head, *end = text + size, *at = text;
    (void)path;
    for (; at && at < end; at = memchr(at, '\n', (size_t)(end - at)), at += at != NULL)
        if (*at == '{' && json_look_member(at, (size_t)(end - at), "format",
                                           SYSCALL_TRACE_FORMAT) == JSON_LOOK_YES)
            return true;
    return false;
}

static void name_node(struct graph_reading *r, uint32_t node, const char *text)
{
    const char *slash = strrchr(text, '/');
    if (node != GRAPH_NONE && *text)
        r->t->calls->name[node] = graph_intern(r->t->calls, slash && slash[1] ? slash + 1 : text);
}

static struct lane *lane_add(struct graph_reading *r, struct ids *by, int32_t id,
                             enum node_kind kind, uint32_t parent, const char *name, uint64_t ns)
{
    LIST_ROOM(r->lanes, r->n, r->cap);
    struct graph *g = r->t->calls;
    uint32_t node = graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, ns, 0);
    if (node != GRAPH_NONE)
        graph_detail(g, node)->thread.id = id;
    r->lanes[r->n] = (struct lane){.node = node, .start = ns, .end = ns, .last = GRAPH_NONE};
    ids_set(by, (uint32_t)id, r->n);
    return &r->lanes[r->n++];
}

static struct lane *lane_known(const struct graph_reading *r, const struct ids *by, int32_t id)
{
    uint32_t i = ids_get(by, (uint32_t)id);
    return i == IDS_NONE || r->lanes[i].replaced ? NULL : &r->lanes[i];
}

static struct lane *find_or_add_process_lane(struct graph_reading *r, int32_t pid, uint64_t ns)
{
    struct lane *known = lane_known(r, &r->by_pid, pid);
    return known ? known : lane_add(r, &r->by_pid, pid, NODE_PROGRAM, GRAPH_NONE, "program", ns);
}

static struct lane *find_or_add_thread_lane(struct graph_reading *r, const struct syscall_event *e)
{
    struct lane *known = lane_known(r, &r->by_tid, e->tid);
    if (known)
        return known;
    char name[32];
    uint32_t parent = find_or_add_process_lane(r, e->pid, e->begin_ns)->node;
    snprintf(name, sizeof name, e->pid == e->tid ? "main thread" : "thread %d", (int)e->tid);
    return lane_add(r, &r->by_tid, e->tid, NODE_THREAD, parent, name, e->begin_ns);
}

/* The lane of a process for operations of io_uring, which overlap each other and the calls of their
 * thread. */
static struct lane *operations_of(struct graph_reading *r, const struct syscall_event *e)
{
    const struct lane *process = find_or_add_process_lane(r, e->pid, e->begin_ns);
    const uint32_t place = (uint32_t)(process - r->lanes), parent = process->node;
    struct lane *known = lane_known(r, &r->by_rings, (int32_t)place);
    return known ? known
                 : lane_add(r, &r->by_rings, (int32_t)place, NODE_QUEUE, parent, "io_uring",
                            e->begin_ns);
}

static void widen_lane(struct lane *l, const struct syscall_event *e)
{
    if (e->begin_ns < l->start)
        l->start = e->begin_ns;
    if (e->end_ns > l->end)
        l->end = e->end_ns;
}

/* Joins the functions of a stack to a name, outermost first. */
static uint32_t callers_name(struct graph *g, const struct syscall_stack *stack)
{
    char *text = NULL, name[160];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return 0;
    for (uint32_t i = stack->n; i > 0; i--) {
        fputs(syscall_frame_name(stack->frames[i - 1], name, sizeof name), f);
        fputs(i > 1 ? "\n" : "", f);
    }
    fclose(f);
    const uint32_t callers = 1 + graph_intern(g, text);
    free(text);
    return callers;
}

/* Adds where the call came from. Calls with the same stack share a record. */
static void add_origin(struct graph_reading *r, uint32_t node, const struct syscall_stack *stack)
{
    struct graph *g = r->t->calls;
    if (node == GRAPH_NONE || !stack)
        return;
    const uint32_t known = ids_get(&r->origins, (uintptr_t)stack);
    if (known != IDS_NONE) {
        graph_share_detail(g, node, known);
        return;
    }
    const struct syscall_frame *f = syscall_stack_origin(stack);
    const bool placed = f && f->line > 0;
    const uint32_t file = placed ? graph_intern(g, f->file) : GRAPH_NONE;
    const uint32_t callers = callers_name(g, stack);
    struct graph_detail *d = graph_detail(g, node);
    d->function.file = file;
    d->function.line = placed ? (uint32_t)f->line : 0;
    d->function.callers = callers;
    ids_add(&r->origins, (uintptr_t)stack, g->detail[node]);
}

/* --- causes --- */

static struct place *find_or_add_stamp_place(struct graph_reading *r, uint64_t id)
{
    while (r->nplaces <= id) {
        LIST_ROOM(r->places, r->nplaces, r->places_cap);
        r->places[r->nplaces++] =
            (struct place){.node = GRAPH_NONE, .before = GRAPH_NONE, .next = 0};
    }
    return &r->places[id];
}

/* Places an event that is no call between the calls of its thread. */
static void place_between(struct graph_reading *r, struct lane *l, uint64_t id)
{
    struct place *p = find_or_add_stamp_place(r, id);
    p->before = l->last;
    p->next = l->waiting;
    l->waiting = (uint32_t)id;
}

static void place_call(struct graph_reading *r, struct lane *l, uint64_t id, uint32_t node)
{
    struct place *p = find_or_add_stamp_place(r, id);
    p->node = node;
    p->call = true;
    for (uint32_t i = l->waiting, next; i; i = next) {
        next = r->places[i].next;
        r->places[i].node = node;
        r->places[i].next = 0;
    }
    l->waiting = 0;
}

static void on_cause(void *ctx, const struct cause *cause)
{
    struct graph_reading *r = ctx;
    if (r->nfound >= GRAPH_MAX_EDGES)
        return;
    LIST_ADD(r->found, r->nfound, r->found_cap, *cause);
}

static uint64_t graph_node_end(const struct graph *g, uint32_t node)
{
    return g->start[node] + g->duration[node];
}

/* Connects a cause, such as a start or a signal, with the next call of a thread, which cannot begin
 * before the cause. */
static void begins_after(struct graph *g, const struct place *from, uint32_t node)
{
    if (from->call && from->node != GRAPH_NONE && g->start[from->node] <= g->start[node])
        graph_connect(g, from->node, node, EDGE_LAUNCHES);
    else if (from->before != GRAPH_NONE && graph_node_end(g, from->before) <= g->start[node])
        graph_connect(g, from->before, node, EDGE_DEPENDS);
}

/* Connects a call that waited with its cause. If the cause returned later than `until`, connects
 * the event before the cause instead. */
static void connect_wait_causes(struct graph *g, const struct place *from, uint32_t node,
                                uint64_t until)
{
    if (from->call && from->node != GRAPH_NONE && graph_node_end(g, from->node) <= until)
        graph_connect(g, from->node, node, EDGE_JOINS);
    else if (from->before != GRAPH_NONE && graph_node_end(g, from->before) <= until)
        graph_connect(g, from->before, node, EDGE_JOINS);
}

static void connect_causes(struct graph_reading *r)
{
    for (size_t i = 0; i < r->nfound; i++) {
        const struct cause *cause = &r->found[i];
        if (cause->from >= r->nplaces || cause->to >= r->nplaces)
            continue;
        const struct place *from = &r->places[cause->from], *to = &r->places[cause->to];
        if (to->node == GRAPH_NONE || to->node == from->node)
            continue;
        const uint64_t end = graph_node_end(r->t->calls, to->node);
        if (to->call && cause->kind == CAUSE_ROOM && end > 0)
            /* Exclude causes that return at the same time, because the read may in turn have caused
             * the write. */
            connect_wait_causes(r->t->calls, from, to->node, end - 1);
        else if (to->call && cause->kind != CAUSE_START)
            connect_wait_causes(r->t->calls, from, to->node, end);
        else
            begins_after(r->t->calls, from, to->node);
        const uint32_t thread = r->t->calls->parent[to->node];
        if (cause->kind == CAUSE_START &&
            thread != GRAPH_NONE) /* the thread began before its first call */
            begins_after(r->t->calls, from, thread);
    }
}

enum { CHECK_EVERY = 1 << 14 };

static void add_renacer_call(struct graph_reading *r, const struct syscall_event *e,
                             const struct cause_stamp *stamp)
{
    const bool beside = syscall_is_operation(e);
    struct lane *l = beside ? operations_of(r, e) : find_or_add_thread_lane(r, e);
    widen_lane(l, e);
    struct graph *g = r->t->calls;
    uint32_t node = graph_add(g, beside ? NODE_RANGE : NODE_FUNCTION,
                              graph_intern(g, syscall_name(e->abi, e->number)), l->node, EDGE_CALLS,
                              e->begin_ns, e->end_ns - e->begin_ns);
    if (node == GRAPH_NONE)
        r->t->dropped++;
    else if (++r->t->spans && syscall_failed(e))
        g->flags[node] |= NODE_FAILED;
    add_origin(r, node, e->stack);
    l->last = node;
    if (stamp->id)
        place_call(r, l, stamp->id, node);
    if (stamp->id && node != GRAPH_NONE)
        graph_set_clock(g, node, (struct graph_clock){stamp->entry, stamp->clock});
    if (++r->calls % CHECK_EVERY == 0)
        r->rc = trace_check_memory(r->t, r->calls, r->path, r->err);
}

/* Removes lanes whose number now belongs to another process or thread. */
static void replace_lanes(struct graph_reading *r, const struct syscall_event *e)
{
    struct lane *thread = lane_known(r, &r->by_tid, e->tid);
    struct lane *process = e->pid == e->tid ? lane_known(r, &r->by_pid, e->pid) : NULL;
    const bool another = process && process->started;
    if (another)
        process->replaced = true;
    if (thread && (another || thread->started))
        thread->replaced = true;
}

static void mark_lanes(struct graph_reading *r, const struct syscall_event *e)
{
    struct lane *thread = lane_known(r, &r->by_tid, e->tid);
    if (thread)
        thread->started = true;
    if (e->pid == e->tid)
        find_or_add_process_lane(r, e->pid, e->begin_ns)->started = true;
}

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct graph_reading *r = ctx;
    const struct cause_stamp stamp =
        r->rc == 0 ? causes_add(r->causes, e) : (struct cause_stamp){0};
    const uint64_t id = stamp.id;
    if (r->gather && e->kind != SYSCALL_ENTRY)
        syscalls_gather_add(r->gather, e);
    if (r->rc != 0 || e->kind == SYSCALL_LOST)
        return;
    if (e->kind == SYSCALL_ENTRY) {
        if (id)
            find_or_add_stamp_place(r, id)->before = find_or_add_thread_lane(r, e)->last;
        return;
    }
    if (e->kind == SYSCALL_START)
        replace_lanes(r, e);
    widen_lane(find_or_add_process_lane(r, e->pid, e->begin_ns), e);
    if (e->kind == SYSCALL_EXEC || (e->kind == SYSCALL_START && e->pid == e->tid))
        name_node(r, find_or_add_process_lane(r, e->pid, e->begin_ns)->node,
                  e->nbytes ? (const char *)e->bytes : "");
    if (e->kind == SYSCALL_CALL)
        add_renacer_call(r, e, &stamp);
    else if (id && lane_known(r, &r->by_tid, e->tid))
        place_between(r, find_or_add_thread_lane(r, e), id);
    else if (id && e->kind == SYSCALL_START)
        place_between(r, find_or_add_thread_lane(r, e), id);
    if (e->kind == SYSCALL_START || e->kind == SYSCALL_EXIT)
        mark_lanes(r, e);
}

/* Makes processes and threads last from their first event to their last. */
static void finish_lanes(struct graph_reading *r)
{
    struct graph *g = r->t->calls;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->lanes[i].node == GRAPH_NONE)
            continue;
        g->start[r->lanes[i].node] = r->lanes[i].start;
        g->duration[r->lanes[i].node] = r->lanes[i].end - r->lanes[i].start;
    }
}

/* Makes the snapshot for the view of system calls, which shows only the first of several files. */
static void make_picture(struct graph_reading *r, const struct syscall_trace_file *file)
{
    if (!r->gather) {
        trace_note(r->t, "the view of system calls shows the first of the files");
        return;
    }
    syscalls_gather_lost(r->gather, file->lost);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(r->gather, 0);
    calls_profile_add(p);
    r->t->syscalls = p;
}

/* Notes lost causes, because the path then lacks edges for calls that waited. */
static void tell_lost_causes(const struct graph_reading *r)
{
    const uint64_t first_ns = r->n > 0 ? r->lanes[0].start : 0;
    uint64_t ns;
    const char *why = causes_lost_by(r->causes, &ns);
    if (!why)
        return;
    trace_note(r->t,
               "pipes, sockets and futexes are not followed from %.3f s on (%s: others may use "
               "them unseen): what waited for them has no cause here",
               ns > first_ns ? (double)(ns - first_ns) / 1e9 : 0, why);
}

static int read_syscalls(const char *path, struct trace *t, struct error *err)
{
    struct graph_reading r = {.t = t, .path = path, .err = err};
    struct syscall_sink sink = {.event = on_event, .ctx = &r, .entries = true};
    r.causes = causes_new(on_cause, &r);
    if (!t->syscalls)
        r.gather = syscalls_gather_new(&syscalls_limits_saved);
    struct syscall_trace_file file;
    int rc = syscall_trace_read(path, t, &sink, &file, err);
    finish_lanes(&r);
    connect_causes(&r);
    if (rc == 0)
        rc = r.rc;
    if (rc == 0)
        make_picture(&r, &file);
    if (rc == 0)
        tell_lost_causes(&r);
    trace_leave_out(t, LEFT_LOST, file.lost);
    syscalls_gather_free(r.gather);
    free(r.lanes);
    ids_free(&r.by_pid);
    ids_free(&r.by_tid);
    ids_free(&r.by_rings);
    ids_free(&r.origins);
    causes_free(r.causes);
    free(r.places);
    free(r.found);
    return rc;
}

const struct reader_ops reader_syscalls = {
    .name = "syscalls",
    .summary = "system calls (.json)",
    .recognise = is_syscall_trace,
    .streams = true,
    .read = read_syscalls,
};
