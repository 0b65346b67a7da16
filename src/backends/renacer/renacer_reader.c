/* Saved traces of system calls as a graph: processes, their threads, calls in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/input.h"
#include "base/ids.h"
#include "base/list.h"
#include "engine/facts/descriptors.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/picture/gather.h"
#include "engine/syscalls/roles.h"
#include "engine/syscalls/stacks.h"
#include "engine/syscalls/trace_file.h"
#include "engine/trace/trace.h"

/* A process or thread while the events are read. */
struct lane {
    uint32_t node; /* of the graph of calls, or GRAPH_NONE */
    int32_t pid;
    uint64_t start, end;
    uint32_t last;  /* its last call, or GRAPH_NONE */
    uint32_t maker; /* the call that made it, or GRAPH_NONE */
};

struct graph_reading {
    struct trace *t;
    struct lane *lanes; /* processes and threads */
    uint32_t n, cap;
    struct ids by_pid, by_tid;
    struct ids origins; /* of stacks: the detail of calls that have it */
    struct ids makers;  /* of tasks that have not been seen: the call that made each */
    struct ids writers; /* of the objects of descriptors: the last call that wrote to each */
    uint32_t *written;  /* by the values of writers: nodes */
    uint32_t nwritten, written_cap;
    struct descriptors *descriptors;
    struct syscalls_gather *gather; /* NULL: another file has its picture already */
    const char *path;
    struct error *err;
    int rc;
    uint64_t calls;
};

static const char format_key[] = "renacer-json-v1";

static bool is_syscall_trace(const char *path, const unsigned char *head, size_t size)
{
    char text[TRACE_STREAM_HEAD];
    (void)path;
    size_t n = chrome_input_head(head, size, text, sizeof text);
    return memmem(text, n, format_key, sizeof format_key - 1) != NULL;
}

static void named(struct graph_reading *r, uint32_t node, const char *text)
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
    r->lanes[r->n] = (struct lane){.node = node,
                                   .start = ns,
                                   .end = ns,
                                   .last = GRAPH_NONE,
                                   .maker = ids_get(&r->makers, (uint32_t)id)};
    ids_add(by, (uint32_t)id, r->n);
    return &r->lanes[r->n++];
}

static struct lane *process_of(struct graph_reading *r, int32_t pid, uint64_t ns)
{
    uint32_t i = ids_get(&r->by_pid, (uint32_t)pid);
    return i != IDS_NONE ? &r->lanes[i]
                         : lane_add(r, &r->by_pid, pid, NODE_PROGRAM, GRAPH_NONE, "program", ns);
}

static struct lane *thread_of(struct graph_reading *r, const struct syscall_event *e)
{
    uint32_t i = ids_get(&r->by_tid, (uint32_t)e->tid);
    if (i != IDS_NONE)
        return &r->lanes[i];
    char name[32];
    uint32_t parent = process_of(r, e->pid, e->begin_ns)->node;
    snprintf(name, sizeof name, e->pid == e->tid ? "main thread" : "thread %d", (int)e->tid);
    return lane_add(r, &r->by_tid, e->tid, NODE_THREAD, parent, name, e->begin_ns);
}

static void reaches(struct lane *l, const struct syscall_event *e)
{
    if (e->begin_ns < l->start)
        l->start = e->begin_ns;
    if (e->end_ns > l->end)
        l->end = e->end_ns;
}

/* The functions of a stack as one name, outermost first. */
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

/* Where the call came from. Calls with the same stack share a record. */
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

/* --- what a call had to wait for --- */

static void add_edge(struct graph_reading *r, uint32_t from, uint32_t to, enum edge_kind kind)
{
    if (from != GRAPH_NONE && to != GRAPH_NONE)
        graph_connect(r->t->calls, from, to, kind);
}

/* The call `node` made a task: that is launched by it. Its first call may have been seen already.
 */
static void makes_task(struct graph_reading *r, uint32_t node, const struct syscall_event *e)
{
    uint32_t i = ids_get(&r->by_tid, (uint32_t)e->result);
    if (i == IDS_NONE)
        ids_add(&r->makers, (uint32_t)e->result, node);
    else if (r->lanes[i].maker == GRAPH_NONE)
        r->lanes[i].maker = node;
}

/* A wait for a child ends when the child has ended: with its last call. */
static void waits_for_child(struct graph_reading *r, uint32_t node, const struct syscall_event *e)
{
    uint32_t i = ids_get(&r->by_tid, (uint32_t)e->result);
    if (i != IDS_NONE)
        add_edge(r, r->lanes[i].last, node, EDGE_JOINS);
}

/* A read of a pipe or socket ends when its other end has written. */
static void moves_bytes(struct graph_reading *r, uint32_t node, const struct syscall_event *e,
                        const struct syscall_duty *duty)
{
    const struct descriptor_object *o =
        descriptors_of(r->descriptors, e->pid, (int)(int32_t)e->args[duty->fd]);
    if (!o || (o->kind != DESCRIPTOR_PIPE && o->kind != DESCRIPTOR_SOCKET))
        return;
    uint32_t from = ids_get(&r->writers, o->index);
    uint32_t at = from == IDS_NONE ? 0 : from;
    if (duty->role == ROLE_READ && from != IDS_NONE)
        add_edge(r, r->written[at], node, EDGE_JOINS);
    if (duty->role != ROLE_WRITE)
        return;
    if (from == IDS_NONE) {
        LIST_ROOM(r->written, r->nwritten, r->written_cap);
        at = r->nwritten++;
        ids_add(&r->writers, o->index, at);
    }
    r->written[at] = node;
}

static void find_causes(struct graph_reading *r, uint32_t node, const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    if (e->result <= 0 || e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT))
        return;
    switch (duty->role) {
    case ROLE_FORK:
        makes_task(r, node, e);
        break;
    case ROLE_WAIT:
        waits_for_child(r, node, e);
        break;
    case ROLE_READ:
    case ROLE_WRITE:
        moves_bytes(r, node, e, duty);
        break;
    default:
        break;
    }
}

enum { CHECK_EVERY = 1 << 14 };

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct graph_reading *r = ctx;
    if (r->gather)
        syscalls_gather_add(r->gather, e);
    if (r->rc != 0 || e->kind == SYSCALL_LOST)
        return;
    reaches(process_of(r, e->pid, e->begin_ns), e);
    if (e->kind != SYSCALL_CALL)
        descriptors_follow(r->descriptors, e);
    if (e->kind == SYSCALL_EXEC || (e->kind == SYSCALL_START && e->pid == e->tid))
        named(r, process_of(r, e->pid, e->begin_ns)->node, e->nbytes ? (const char *)e->bytes : "");
    if (e->kind != SYSCALL_CALL)
        return;
    struct lane *l = thread_of(r, e);
    reaches(l, e);
    struct graph *g = r->t->calls;
    uint32_t node = graph_add(g, NODE_FUNCTION, graph_intern(g, syscall_name(e->abi, e->number)),
                              l->node, EDGE_CALLS, e->begin_ns, e->end_ns - e->begin_ns);
    if (node == GRAPH_NONE)
        r->t->dropped++;
    else if (++r->t->spans && syscall_failed(e))
        g->flags[node] |= NODE_FAILED;
    add_origin(r, node, e->stack);
    if (l->last == GRAPH_NONE)
        add_edge(r, l->maker, node, EDGE_LAUNCHES);
    l->last = node;
    find_causes(r, node, e);
    descriptors_follow(r->descriptors, e);
    if (++r->calls % CHECK_EVERY == 0)
        r->rc = trace_check_room(r->t, r->calls, r->path, r->err);
}

/* Processes and threads last from their first event to their last. */
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

/* The view of system calls shows one trace: of several files, the first. */
static void make_picture(struct graph_reading *r, const struct syscall_trace_file *file)
{
    if (!r->gather) {
        trace_note(r->t, "the view of system calls shows the first of the files");
        return;
    }
    syscalls_gather_lost(r->gather, file->lost);
    r->t->syscalls = syscalls_gather_picture(r->gather, 0);
}

static int read_syscalls(const char *path, struct trace *t, struct error *err)
{
    struct graph_reading r = {.t = t, .path = path, .err = err, .descriptors = descriptors_new()};
    struct syscall_sink sink = {.event = on_event, .ctx = &r};
    if (!t->syscalls)
        r.gather = syscalls_gather_new(&syscalls_limits_saved);
    struct syscall_trace_file file;
    int rc = syscall_trace_read(path, t, &sink, &file, err);
    finish_lanes(&r);
    if (rc == 0)
        rc = r.rc;
    if (rc == 0 && file.lost)
        trace_note(t, "%llu calls were lost when this was traced", (unsigned long long)file.lost);
    if (rc == 0)
        make_picture(&r, &file);
    t->dropped += file.lost;
    syscalls_gather_free(r.gather);
    free(r.lanes);
    ids_free(&r.by_pid);
    ids_free(&r.by_tid);
    ids_free(&r.origins);
    ids_free(&r.makers);
    ids_free(&r.writers);
    free(r.written);
    descriptors_free(r.descriptors);
    return rc;
}

const struct reader_ops reader_syscalls = {
    .name = "syscalls",
    .summary = "system calls (.json)",
    .recognise = is_syscall_trace,
    .streams = true,
    .read = read_syscalls,
};
