/* Memory for decoders: from the traced program while fetching, from the event's pieces later. */
#include "engine/syscalls/decode/decoder.h"

#include <string.h>

#include "engine/syscalls/pieces.h"

enum { PAGE = 4096 };

unsigned pointer_size(const struct decoder *d)
{
    return d->e->abi == SYSCALL_X86_64 || d->e->abi == SYSCALL_ARM64 ? 8 : 4;
}

unsigned long_size(const struct decoder *d)
{
    return d->e->abi == SYSCALL_X32 ? 8 : pointer_size(d);
}

bool has_result(const struct decoder *d)
{
    return d->e->kind == SYSCALL_CALL &&
           !(d->e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT | SYSCALL_RESTARTS)) &&
           !syscall_failed(d->e);
}

uint64_t other(const struct decoder *d, unsigned arg)
{
    int i = d->call ? d->call->args[arg].other : -1;
    return i >= 0 && i < 6 ? d->e->args[i] : 0;
}

/* Finds kept memory, in the event's pieces or, while fetching, in those fetched so far. */
static const uint8_t *find_kept_memory(struct decoder *d, bool when, uint64_t address, size_t *n,
                                       bool *cut)
{
    struct syscall_event fetched; /* only its pieces matter */
    size_t there = 0, wanted = *n;
    if (d->pieces)
        syscall_pieces_lend(d->pieces, &fetched);
    const uint8_t *bytes = syscall_kept(d->pieces ? &fetched : d->e, address, when, &there, cut);
    *n = there < wanted ? there : wanted;
    return bytes;
}

/* Reads memory of the program and keeps it, if the call is now at that moment. */
static const uint8_t *fetch_program_memory(struct decoder *d, bool when, uint64_t address, size_t n,
                                           size_t *got)
{
    *got = 0;
    if (!d->pieces || when != d->at_return || !address)
        return NULL;
    uint8_t *room = syscall_pieces_room(d->pieces, n);
    long read = room ? d->memory->read(d->memory->ctx, address, room, n) : -1;
    if (read <= 0)
        return NULL;
    *got = (size_t)read > n ? n : (size_t)read;
    syscall_pieces_add(d->pieces, address, *got, when, false);
    return room;
}

const uint8_t *look(struct decoder *d, bool when, uint64_t address, size_t n, size_t *got)
{
    *got = n;
    const uint8_t *bytes = find_kept_memory(d, when, address, got, NULL);
    if (bytes && (*got == n || !d->pieces))
        return bytes;
    return fetch_program_memory(d, when, address, n, got);
}

bool take(struct decoder *d, bool when, uint64_t address, void *out, size_t n)
{
    size_t got;
    const uint8_t *bytes = look(d, when, address, n, &got);
    memset(out, 0, n);
    if (!bytes || got < n)
        return false;
    memcpy(out, bytes, n);
    return true;
}

bool take_longs(struct decoder *d, bool when, uint64_t address, int64_t *out, size_t n)
{
    if (long_size(d) == 8)
        return take(d, when, address, out, n * 8);
    for (size_t i = 0; i < n; i++) {
        int32_t half;
        if (!take(d, when, address + i * 4, &half, 4))
            return false;
        out[i] = half;
    }
    return true;
}

/* Reads a string page by page, so that one at the end of the memory is read too. */
static const uint8_t *fetch_string(struct decoder *d, uint64_t address, size_t max, size_t *got,
                                   bool *cut)
{
    uint8_t *room = syscall_pieces_room(d->pieces, max + 1);
    size_t n = 0;
    if (!room)
        return NULL;
    while (n <= max) {
        size_t part = PAGE - (address + n) % PAGE;
        if (part > max + 1 - n)
            part = max + 1 - n;
        long read = d->memory->read(d->memory->ctx, address + n, room + n, part);
        if (read <= 0 || (size_t)read > part)
            return NULL;
        const uint8_t *end = memchr(room + n, 0, (size_t)read);
        if (end) {
            *got = (size_t)(end - room);
            syscall_pieces_add(d->pieces, address, *got + 1, d->at_return, false);
            return room;
        }
        n += (size_t)read;
    }
    *cut = true;
    *got = max;
    syscall_pieces_add(d->pieces, address, max, d->at_return, true);
    return room;
}

const uint8_t *look_string(struct decoder *d, bool when, uint64_t address, size_t max, size_t *got,
                           bool *cut)
{
    *got = SYSCALL_PIECES;
    *cut = false;
    const uint8_t *bytes = find_kept_memory(d, when, address, got, cut);
    if (bytes) {
        size_t n = strnlen((const char *)bytes, *got);
        *cut = *cut || n == *got;
        *got = n;
        return bytes;
    }
    *got = 0;
    if (!d->pieces || when != d->at_return || !address)
        return NULL;
    return fetch_string(d, address, max ? max : d->limit, got, cut);
}
