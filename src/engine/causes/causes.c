#include "engine/causes/causes_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/syscalls/calls.h"

struct causes *causes_new(void (*found)(void *ctx, const struct cause *cause), void *ctx)
{
    struct causes *c = xcalloc(1, sizeof *c);
    c->found = found;
    c->ctx = ctx;
    c->descriptors = descriptors_new();
    c->next_id = 1;
    wire_of(c, 0, WIRE_STREAM); /* wire 0 stands for everything unknown */
    return c;
}

void causes_free(struct causes *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->nwires; i++)
        wire_free(&c->wires[i]);
    descriptors_free(c->descriptors);
    free(c->lanes);
    free(c->processes);
    free(c->wires);
    free(c->sockets);
    free(c->makers);
    ids_free(&c->by_tid);
    ids_free(&c->by_pid);
    ids_free(&c->by_wire);
    ids_free(&c->by_maker);
    ids_free(&c->by_clear_tid);
    free(c);
}

void causes_tell(struct causes *c, uint64_t from, uint64_t to, enum cause_kind kind)
{
    const struct cause cause = {.from = from, .to = to, .kind = (uint8_t)kind};
    if (c->found && from && to && from != to)
        c->found(c->ctx, &cause);
}

/* Advances the clock of a task to its next moment. */
static void advance_task(struct causes *c, struct lane *l, uint64_t id)
{
    struct process *p = &c->processes[l->process];
    l->at++;
    if (!l->first) {
        l->first = id;
        l->began = c->step;
    }
    l->last = id;
    p->last = id;
    clock_join(&p->at, l->at);
}

static struct cause_stamp stamp_call_entry(struct causes *c, struct lane *l,
                                           const struct syscall_event *e)
{
    l->call = c->next_id++;
    l->entered = c->step;
    l->in_call = true;
    l->abi = e->abi;
    l->number = e->number;
    advance_task(c, l, l->call);
    l->entry = l->at;
    cause_call_enters(c, l, e);
    return (struct cause_stamp){.id = l->call, .entry = l->entry};
}

static struct cause_stamp stamp_call_return(struct causes *c, struct lane *l,
                                            const struct syscall_event *e)
{
    if (l->in_call && (l->abi != e->abi || l->number != e->number))
        l->in_call = false; /* the return of a call whose entry was not seen */
    if (!l->in_call)
        stamp_call_entry(c, l, e);
    const uint8_t role = syscall_duty(e->abi, e->number)->role;
    if (role != ROLE_CLOSE && role != ROLE_CLOSES) /* closes are followed at their entry */
        descriptors_follow(c->descriptors, e);
    cause_call_leaves(c, l, e);
    l->in_call = false;
    advance_task(c, l, l->call);
    return (struct cause_stamp){.id = l->call, .entry = l->entry, .clock = l->at};
}

static struct cause_stamp stamp_task_event(struct causes *c, struct lane *l,
                                           const struct syscall_event *e)
{
    const uint64_t id = c->next_id++;
    if (e->kind == SYSCALL_START)
        cause_task_starts(c, l, e);
    descriptors_follow(c->descriptors, e);
    if (e->kind == SYSCALL_EXEC || (e->kind == SYSCALL_EXIT && l->tid == e->pid))
        clock_join(&l->at, c->processes[l->process].at); /* all threads of the process have ended */
    if (e->kind == SYSCALL_SIGNAL) {
        l->last = id;
        cause_signal(c, l, e);
    }
    advance_task(c, l, id);
    if (e->kind == SYSCALL_EXEC || e->kind == SYSCALL_EXIT)
        cause_task_ends(c, l, e);
    return (struct cause_stamp){.id = id, .entry = l->at, .clock = l->at};
}

/* The return of an interrupted call has another name (restart_syscall) and the same arguments. */
static void name_restarted_call(struct lane *l, struct syscall_event *e)
{
    const bool again = strcmp(syscall_name(e->abi, e->number), "restart_syscall") == 0;
    if (again && l->restarts)
        e->number = l->restarts - 1;
    if (e->kind == SYSCALL_CALL)
        l->restarts = e->flags & SYSCALL_RESTARTS ? 1 + e->number : 0;
}

void causes_lose(struct causes *c, const char *why, uint64_t ns)
{
    if (c->lossy)
        return;
    c->lossy = true;
    c->lost_ns = ns;
    snprintf(c->lost_by, sizeof c->lost_by, "%s", why);
}

const char *causes_lost_by(const struct causes *c, uint64_t *ns)
{
    *ns = c->lost_ns;
    return c->lossy ? c->lost_by : NULL;
}

struct cause_stamp causes_add(struct causes *c, const struct syscall_event *e)
{
    struct cause_stamp none = {0};
    c->step++;
    if (e->kind == SYSCALL_LOST) {
        causes_lose(c, "lost calls", e->begin_ns);
        return none;
    }
    if (e->kind >= SYSCALL_KINDS || e->pid <= 0 || e->tid <= 0)
        return none;
    struct lane *l = cause_lane(c, e);
    if (!l)
        return none;
    if (e->kind != SYSCALL_ENTRY && e->kind != SYSCALL_CALL)
        return stamp_task_event(c, l, e);
    if (e->abi == SYSCALL_URING) { /* it overlaps other calls of its thread */
        causes_lose(c, "io_uring", e->begin_ns);
        return none;
    }
    struct syscall_event call = *e;
    name_restarted_call(l, &call);
    return e->kind == SYSCALL_ENTRY ? stamp_call_entry(c, l, &call)
                                    : stamp_call_return(c, l, &call);
}
