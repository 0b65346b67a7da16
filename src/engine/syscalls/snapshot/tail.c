#include "engine/syscalls/snapshot/tail.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"

struct tail_chunk {
    atomic_int refs;
    uint64_t first; /* number of its first event */
    uint32_t n;     /* number of events; the writer's, a view has its own */
    uint32_t used;
    struct syscall_event events[TAIL_CHUNK];
    _Alignas(struct syscall_piece) uint8_t bytes[TAIL_BYTES];
};

static void unref_tail_chunk(struct tail_chunk *c)
{
    if (atomic_fetch_sub(&c->refs, 1) == 1)
        free(c);
}

static struct tail_chunk *begin_chunk(struct syscall_tail *t)
{
    struct tail_chunk *c = xcalloc(1, sizeof *c);
    atomic_init(&c->refs, 1);
    c->first = t->events;
    if (t->limit && t->n >= t->limit) {
        unref_tail_chunk(t->list[0]);
        memmove(t->list, t->list + 1, (t->n - 1) * sizeof *t->list);
        t->n--;
    }
    LIST_ADD(t->list, t->n, t->cap, c);
    return c;
}

static uint32_t round_up_to_word(size_t n)
{
    return (uint32_t)((n + 7) & ~(size_t)7);
}

void syscall_tail_add(struct syscall_tail *t, const struct syscall_event *e)
{
    const size_t pieces = e->npieces * sizeof *e->pieces,
                 want = round_up_to_word(pieces) + round_up_to_word(e->nbytes);
    const bool whole = want <= TAIL_BYTES;
    struct tail_chunk *c = t->n ? t->list[t->n - 1] : NULL;
    if (!c || c->n == TAIL_CHUNK || (whole && want > TAIL_BYTES - c->used))
        c = begin_chunk(t);
    struct syscall_event *to = &c->events[c->n++];
    *to = *e;
    to->pieces = NULL;
    to->bytes = NULL;
    if (!whole)
        to->npieces = to->nbytes = 0;
    if (to->npieces) {
        to->pieces = memcpy(c->bytes + c->used, e->pieces, pieces);
        c->used += round_up_to_word(pieces);
    }
    if (to->nbytes) {
        to->bytes = memcpy(c->bytes + c->used, e->bytes, e->nbytes);
        c->used += round_up_to_word(e->nbytes);
    }
    t->events++;
}

void syscall_tail_free(struct syscall_tail *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        unref_tail_chunk(t->list[i]);
    free(t->list);
    *t = (struct syscall_tail){.limit = t->limit};
}

void syscall_tail_lend(const struct syscall_tail *t, struct syscall_tail_view *out)
{
    *out = (struct syscall_tail_view){.nchunks = t->n, .first = t->n ? t->list[0]->first : 0};
    out->n = t->events - out->first;
    out->list = xcalloc(t->n + 1u, sizeof *out->list);
    for (uint32_t i = 0; i < t->n; i++) {
        out->list[i] = t->list[i];
        atomic_fetch_add(&out->list[i]->refs, 1);
    }
}

struct syscall_event syscall_tail_at(const struct syscall_tail_view *v, uint64_t i)
{
    const uint64_t number = v->first + i;
    uint32_t next = 1;
    SEARCH_FIRST(next, v->nchunks, v->list[next]->first <= number);
    const struct tail_chunk *c = v->list[next - 1];
    return c->events[number - c->first];
}

void syscall_tail_return(struct syscall_tail_view *v)
{
    for (uint32_t i = 0; i < v->nchunks; i++)
        unref_tail_chunk(v->list[i]);
    free(v->list);
    *v = (struct syscall_tail_view){0};
}
