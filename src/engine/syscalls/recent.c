#include "engine/syscalls/recent.h"

#include <stdlib.h>

#include "base/arena.h"

struct recent_call {
    uint64_t begin_ns, end_ns;
    int64_t result;
    int32_t pid, tid;
    uint32_t number;
    uint8_t abi, way, flags;
};
_Static_assert(sizeof(struct recent_call) == SYSCALL_RECENT_BYTES, "documented");

struct syscall_recent {
    struct recent_call *list; /* a ring once it is full */
    size_t n, cap, room, oldest;
    uint64_t dropped;
};

enum { FIRST = 1024 };

struct syscall_recent *syscall_recent_new(size_t limit)
{
    struct syscall_recent *r = xcalloc(1, sizeof *r);
    r->room = limit / sizeof *r->list;
    return r;
}

void syscall_recent_add(struct syscall_recent *r, const struct syscall_event *e)
{
    if (e->kind != SYSCALL_CALL)
        return;
    if (r->room == 0) {
        r->dropped++;
        return;
    }
    if (r->n == r->cap && r->cap < r->room) {
        const size_t more = r->cap ? r->cap * 2 : FIRST;
        r->cap = more < r->room ? more : r->room;
        r->list = xrealloc(r->list, r->cap, sizeof *r->list);
    }
    const bool full = r->n == r->room;
    const size_t at = full ? r->oldest : r->n;
    r->list[at] = (struct recent_call){.begin_ns = e->begin_ns,
                                       .end_ns = e->end_ns,
                                       .result = e->result,
                                       .pid = e->pid,
                                       .tid = e->tid,
                                       .number = e->number,
                                       .abi = e->abi,
                                       .way = e->way,
                                       .flags = e->flags};
    r->n += !full;
    r->oldest = full ? (at + 1) % r->room : 0;
    r->dropped += full;
}

size_t syscall_recent_count(const struct syscall_recent *r)
{
    return r->n;
}

struct syscall_event syscall_recent_at(const struct syscall_recent *r, size_t i)
{
    const size_t at = r->oldest + i;
    const struct recent_call *c = &r->list[at < r->n ? at : at - r->n];
    return (struct syscall_event){.kind = SYSCALL_CALL,
                                  .abi = c->abi,
                                  .way = c->way,
                                  .flags = c->flags,
                                  .pid = c->pid,
                                  .tid = c->tid,
                                  .number = c->number,
                                  .begin_ns = c->begin_ns,
                                  .end_ns = c->end_ns,
                                  .result = c->result};
}

uint64_t syscall_recent_dropped(const struct syscall_recent *r)
{
    return r->dropped;
}

size_t syscall_recent_room(const struct syscall_recent *r)
{
    return r->room;
}

void syscall_recent_free(struct syscall_recent *r)
{
    if (r)
        free(r->list);
    free(r);
}
