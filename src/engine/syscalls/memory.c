/* Adds and lends pieces of memory; kept.c finds them. */
#include "engine/syscalls/memory.h"

#include <stdlib.h>

#include "engine/syscalls/pieces.h"

static bool grow_list(void **list, uint32_t *cap, size_t wanted, size_t size)
{
    if (wanted <= *cap)
        return true;
    size_t more = wanted + wanted / 2 + 16;
    void *bigger = realloc(*list, more * size);
    if (!bigger)
        return false;
    *list = bigger;
    *cap = (uint32_t)more;
    return true;
}

uint8_t *syscall_pieces_room(struct syscall_pieces *p, size_t n)
{
    if (n > SYSCALL_PIECES || p->nbytes + n > SYSCALL_PIECES || p->n >= SYSCALL_PIECES ||
        !grow_list((void **)&p->list, &p->cap, p->n + (size_t)1, sizeof *p->list) ||
        !grow_list((void **)&p->bytes, &p->bytes_cap, p->nbytes + n + 1, 1))
        return NULL;
    return p->bytes + p->nbytes;
}

void syscall_pieces_add(struct syscall_pieces *p, uint64_t address, size_t n, bool at_return,
                        bool cut)
{
    p->list[p->n++] = (struct syscall_piece){
        .address = address,
        .offset = p->nbytes,
        .size = (uint32_t)n,
        .at_return = at_return,
        .cut = cut,
    };
    p->nbytes += (uint32_t)n;
}

void syscall_pieces_clear(struct syscall_pieces *p)
{
    p->n = p->nbytes = 0;
}

void syscall_pieces_free(struct syscall_pieces *p)
{
    free(p->list);
    free(p->bytes);
    *p = (struct syscall_pieces){0};
}

void syscall_pieces_lend(const struct syscall_pieces *p, struct syscall_event *e)
{
    e->pieces = p->list;
    e->npieces = p->n;
    e->bytes = p->bytes;
    e->nbytes = p->nbytes;
}
