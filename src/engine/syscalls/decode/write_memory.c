/* Flags of mappings. */
#include "engine/syscalls/decode/types.h"

#define VALUE (d->e->args[arg])

void write_prot(struct decoder *d, unsigned arg)
{
    bool arm = d->e->abi == SYSCALL_ARM64;
    emit_flags(d, arm ? &constants_prot_arm : &constants_prot, (uint32_t)VALUE);
}

/* The kind of mapping, then flags, then the size of huge pages in six bits (MAP_HUGE_SHIFT). */
void write_mmap_flags(struct decoder *d, unsigned arg)
{
    enum { KIND = 0xf, HUGE_SHIFT = 26, HUGETLB = 0x40000 };
    uint32_t flags = (uint32_t)VALUE, huge = flags & HUGETLB ? flags >> HUGE_SHIFT : 0;
    flags &= ~(huge << HUGE_SHIFT);
    emit_constant(d, &constants_mmap_types, flags & KIND);
    if (flags & ~(uint32_t)KIND) {
        emit_text(d, "|");
        emit_flags(d, &constants_mmap_flags, flags & ~(uint32_t)KIND);
    }
    if (huge)
        emit(d, "|%u<<MAP_HUGE_SHIFT", huge);
}
