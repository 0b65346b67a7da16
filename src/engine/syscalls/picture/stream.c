#include "engine/syscalls/picture/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct header {
    uint32_t kind, size; /* size: of what follows */
};

/* The most that an event has: itself, its pieces, their bytes. */
enum {
    PIECES_MOST = 4096,
    RECORD_MOST = sizeof(struct syscall_event) + PIECES_MOST * sizeof(struct syscall_piece) + 65536
};

static void put_bytes(FILE *out, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, out); /* raw: for our own reader, not for people */
}

static void put_record(FILE *out, enum syscalls_record kind, const void *body, size_t size)
{
    const struct header h = {kind, (uint32_t)size};
    put_bytes(out, &h, sizeof h);
    if (size)
        put_bytes(out, body, size);
}

void syscalls_stream_begin(FILE *out, const struct syscalls_stream_begin *b)
{
    put_record(out, SYSCALLS_RECORD_BEGIN, b, sizeof *b);
}

void syscalls_stream_ready(FILE *out)
{
    put_record(out, SYSCALLS_RECORD_READY, NULL, 0);
}

void syscalls_stream_tick(FILE *out, const struct syscalls_stream_tick *t)
{
    put_record(out, SYSCALLS_RECORD_TICK, t, sizeof *t);
}

void syscalls_stream_end(FILE *out, const struct syscalls_stream_end *e)
{
    put_record(out, SYSCALLS_RECORD_END, e, sizeof *e);
}

void syscalls_stream_event(FILE *out, const struct syscall_event *e)
{
    struct syscall_event own = *e;
    own.pieces = NULL;
    own.bytes = NULL;
    own.stack = NULL;
    if (own.npieces > PIECES_MOST || own.nbytes > 65536)
        own.npieces = own.nbytes = 0;
    const size_t pieces = own.npieces * sizeof *e->pieces;
    const struct header h = {SYSCALLS_RECORD_EVENT, (uint32_t)(sizeof own + pieces + own.nbytes)};
    put_bytes(out, &h, sizeof h);
    put_bytes(out, &own, sizeof own);
    if (pieces)
        put_bytes(out, e->pieces, pieces);
    if (own.nbytes)
        put_bytes(out, e->bytes, own.nbytes);
}

/* --- reading --- */

void syscalls_stream_put(struct syscalls_stream_reader *r, const void *bytes, size_t n)
{
    if (r->at == r->n)
        r->at = r->n = 0;
    if (r->n + n > r->cap && r->at) {
        memmove(r->bytes, r->bytes + r->at, r->n - r->at);
        r->n -= r->at;
        r->at = 0;
    }
    if (r->n + n > r->cap) {
        r->cap = 2 * (r->n + n);
        r->bytes = xrealloc(r->bytes, r->cap, 1);
    }
    memcpy(r->bytes + r->n, bytes, n);
    r->n += n;
}

static bool pieces_fit(const struct syscall_event *e)
{
    for (uint32_t i = 0; i < e->npieces; i++)
        if (e->pieces[i].offset > e->nbytes || e->pieces[i].size > e->nbytes - e->pieces[i].offset)
            return false;
    return true;
}

static int take_event(const uint8_t *body, size_t size, struct syscall_event *e)
{
    if (size < sizeof *e)
        return -EBADMSG;
    memcpy(e, body, sizeof *e);
    const size_t pieces = (size_t)e->npieces * sizeof *e->pieces;
    if (e->kind >= SYSCALL_KINDS || e->abi >= SYSCALL_ABIS || e->way >= SYSCALL_WAYS ||
        e->npieces > PIECES_MOST || e->nbytes > size || sizeof *e + pieces + e->nbytes != size)
        return -EBADMSG;
    e->pieces = e->npieces ? (const struct syscall_piece *)(const void *)(body + sizeof *e) : NULL;
    e->bytes = e->nbytes ? body + sizeof *e + pieces : NULL;
    e->stack = NULL;
    return pieces_fit(e) ? 1 : -EBADMSG;
}

static int take_fixed(const uint8_t *body, size_t size, void *to, size_t want)
{
    if (size != want)
        return -EBADMSG;
    memcpy(to, body, want);
    return 1;
}

int syscalls_stream_take(struct syscalls_stream_reader *r, struct syscalls_stream_item *out)
{
    struct header h;
    if (r->n - r->at < sizeof h)
        return 0;
    memcpy(&h, r->bytes + r->at, sizeof h);
    if (h.size > RECORD_MOST)
        return -EBADMSG;
    if (r->n - r->at - sizeof h < h.size)
        return 0;
    if (!r->aligned)
        r->aligned = xcalloc(1, RECORD_MOST);
    memcpy(r->aligned, r->bytes + r->at + sizeof h, h.size);
    r->at += sizeof h + h.size;
    out->kind = (enum syscalls_record)h.kind;
    switch (h.kind) {
    case SYSCALLS_RECORD_BEGIN:
        return take_fixed(r->aligned, h.size, &out->begin, sizeof out->begin);
    case SYSCALLS_RECORD_READY:
        return h.size == 0 ? 1 : -EBADMSG;
    case SYSCALLS_RECORD_EVENT:
        return take_event(r->aligned, h.size, &out->event);
    case SYSCALLS_RECORD_TICK:
        return take_fixed(r->aligned, h.size, &out->tick, sizeof out->tick);
    case SYSCALLS_RECORD_END:
        return take_fixed(r->aligned, h.size, &out->end, sizeof out->end);
    default:
        return -EBADMSG;
    }
}

void syscalls_stream_free(struct syscalls_stream_reader *r)
{
    free(r->bytes);
    free(r->aligned);
    *r = (struct syscalls_stream_reader){0};
}
