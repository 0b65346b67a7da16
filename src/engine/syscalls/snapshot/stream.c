#include "engine/syscalls/snapshot/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

struct header {
    uint32_t kind, size; /* size: of the bytes that follow */
};

/* Limits for the parts of an event. */
enum {
    PIECES_MOST = 4096,
    STREAM_FRAMES = 64,
    TEXT_MOST = 255, /* of the name of a function, module or file */
    IDS_MOST = 1 << 22,
    RECORD_MOST = sizeof(struct syscall_event) + PIECES_MOST * sizeof(struct syscall_piece) + 65536
};

struct stack_head {
    uint32_t id, n, cut;
};
/* Followed by three texts, each ended by NUL: function, module, file. */
struct frame_head {
    uint64_t address, offset;
    int32_t line;
    uint32_t inlined;
};

static void write_stream_bytes(FILE *out, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, out); /* raw: for our own reader, not for people */
}

static void write_stream_record(FILE *out, enum syscalls_record kind, const void *body, size_t size)
{
    const struct header h = {kind, (uint32_t)size};
    write_stream_bytes(out, &h, sizeof h);
    if (size)
        write_stream_bytes(out, body, size);
}

void syscalls_stream_begin(FILE *out, const struct syscalls_stream_begin *b)
{
    write_stream_record(out, SYSCALLS_RECORD_BEGIN, b, sizeof *b);
}

void syscalls_stream_ready(FILE *out)
{
    write_stream_record(out, SYSCALLS_RECORD_READY, "", 0);
}

void syscalls_stream_tick(FILE *out, const struct syscalls_stream_tick *t)
{
    write_stream_record(out, SYSCALLS_RECORD_TICK, t, sizeof *t);
}

void syscalls_stream_end(FILE *out, const struct syscalls_stream_end *e)
{
    write_stream_record(out, SYSCALLS_RECORD_END, e, sizeof *e);
}

static size_t add_text_to_record(uint8_t *to, const char *text)
{
    const size_t n = strnlen(text, TEXT_MOST);
    memcpy(to, text, n);
    to[n] = '\0';
    return n + 1;
}

void syscalls_stream_stack(FILE *out, const struct syscall_stack *s)
{
    enum { FRAME_MOST = sizeof(struct frame_head) + 3 * (TEXT_MOST + 1) };
    uint8_t body[sizeof(struct stack_head) + STREAM_FRAMES * FRAME_MOST];
    struct stack_head h = {.id = s->id, .n = s->n, .cut = s->cut};
    if (h.n > STREAM_FRAMES) {
        h.n = STREAM_FRAMES;
        h.cut = 1;
    }
    size_t n = sizeof h;
    memcpy(body, &h, sizeof h);
    for (uint32_t i = 0; i < h.n; i++) {
        const struct syscall_frame *f = s->frames[i];
        const struct frame_head fh = {f->address, f->offset, f->line, f->inlined};
        memcpy(body + n, &fh, sizeof fh);
        n += sizeof fh;
        n += add_text_to_record(body + n, f->function);
        n += add_text_to_record(body + n, f->module);
        n += add_text_to_record(body + n, f->file);
    }
    write_stream_record(out, SYSCALLS_RECORD_STACK, body, n);
}

void syscalls_stream_event(FILE *out, const struct syscall_event *e)
{
    struct syscall_event own = *e;
    own.pieces = NULL;
    own.bytes = NULL;
    const uintptr_t stack = e->stack ? 1 + (uintptr_t)e->stack->id : 0;
    memcpy(&own.stack, &stack, sizeof stack); /* the stack's number replaces its address */
    if (own.npieces > PIECES_MOST || own.nbytes > 65536)
        own.npieces = own.nbytes = 0;
    const size_t pieces = own.npieces * sizeof *e->pieces;
    const struct header h = {SYSCALLS_RECORD_EVENT, (uint32_t)(sizeof own + pieces + own.nbytes)};
    write_stream_bytes(out, &h, sizeof h);
    write_stream_bytes(out, &own, sizeof own);
    if (pieces)
        write_stream_bytes(out, e->pieces, pieces);
    if (own.nbytes)
        write_stream_bytes(out, e->bytes, own.nbytes);
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
    LIST_FIT(r->bytes, r->n + n, r->cap);
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

static int take_event(const struct syscalls_stream_reader *r, const uint8_t *body, size_t size,
                      struct syscall_event *e)
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
    const uint64_t stack = (uint64_t)(uintptr_t)e->stack;
    e->stack = stack && stack <= r->nids ? r->by_id[stack - 1] : NULL;
    return pieces_fit(e) ? 1 : -EBADMSG;
}

/* Takes a text of the record; NULL if it does not end with NUL. */
static const char *take_text_of_record(const uint8_t *body, size_t size, size_t *at)
{
    const char *text = (const char *)body + *at;
    const size_t n = strnlen(text, size - *at);
    if (n == size - *at)
        return NULL;
    *at += n + 1;
    return text;
}

static bool take_frame(const uint8_t *body, size_t size, size_t *at, struct syscall_frame *out)
{
    struct frame_head h;
    if (size - *at < sizeof h)
        return false;
    memcpy(&h, body + *at, sizeof h);
    *at += sizeof h;
    *out = (struct syscall_frame){
        .address = h.address, .offset = h.offset, .line = h.line, .inlined = h.inlined != 0};
    return (out->function = take_text_of_record(body, size, at)) &&
           (out->module = take_text_of_record(body, size, at)) &&
           (out->file = take_text_of_record(body, size, at));
}

/* Keeps the stack for the events that have it. Returns 2: the caller does not see this record. */
static int take_stack(struct syscalls_stream_reader *r, const uint8_t *body, size_t size)
{
    struct syscall_frame frames[STREAM_FRAMES];
    struct stack_head h;
    size_t at = sizeof h;
    if (size < sizeof h)
        return -EBADMSG;
    memcpy(&h, body, sizeof h);
    if (h.id >= IDS_MOST || h.n > STREAM_FRAMES)
        return -EBADMSG;
    for (uint32_t i = 0; i < h.n; i++)
        if (!take_frame(body, size, &at, &frames[i]))
            return -EBADMSG;
    while (r->nids <= h.id)
        LIST_ADD(r->by_id, r->nids, r->ids_cap, NULL);
    if (!r->stacks)
        r->stacks = syscall_stacks_new(SYSCALL_STACKS_BYTES);
    r->by_id[h.id] = syscall_stacks_add(r->stacks, frames, h.n, h.cut != 0);
    return 2;
}

static int take_fixed(const uint8_t *body, size_t size, void *to, size_t want)
{
    if (size != want)
        return -EBADMSG;
    memcpy(to, body, want);
    return 1;
}

static int take_stream_record(struct syscalls_stream_reader *r, struct syscalls_stream_item *out)
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
        return take_event(r, r->aligned, h.size, &out->event);
    case SYSCALLS_RECORD_STACK:
        return take_stack(r, r->aligned, h.size);
    case SYSCALLS_RECORD_TICK:
        return take_fixed(r->aligned, h.size, &out->tick, sizeof out->tick);
    case SYSCALLS_RECORD_END:
        return take_fixed(r->aligned, h.size, &out->end, sizeof out->end);
    default:
        return -EBADMSG;
    }
}

int syscalls_stream_take(struct syscalls_stream_reader *r, struct syscalls_stream_item *out)
{
    int rc;
    while ((rc = take_stream_record(r, out)) == 2)
        ;
    return rc;
}

void syscalls_stream_free(struct syscalls_stream_reader *r)
{
    free(r->bytes);
    free(r->aligned);
    free(r->by_id);
    syscall_stacks_free(r->stacks);
    *r = (struct syscalls_stream_reader){0};
}
