/* Pieces of memory that an event kept, read as if they were the memory. */
#include "engine/syscalls/memory.h"

const uint8_t *syscall_kept(const struct syscall_event *e, uint64_t address, bool at_return,
                            size_t *n, bool *cut)
{
    for (uint32_t i = 0; i < e->npieces; i++) {
        const struct syscall_piece *p = &e->pieces[i];
        if (p->at_return != at_return || address < p->address || address - p->address >= p->size)
            continue;
        if (p->offset > e->nbytes || p->size > e->nbytes - p->offset)
            continue; /* a damaged or hostile saved trace */
        uint64_t into = address - p->address;
        *n = (size_t)(p->size - into);
        if (cut)
            *cut = p->cut;
        return e->bytes + p->offset + into;
    }
    return NULL;
}
