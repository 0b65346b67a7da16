#include "backends/unwind/unwind.h"

#include <stddef.h>

uint64_t unwind_regs_mask(void)
{
#if defined(__x86_64__)
    return 0xff0fff; /* asm/perf_regs.h: AX..FLAGS and R8..R15, without the segments */
#elif defined(__aarch64__)
    return (1ull << 33) - 1; /* X0..X29, LR, SP, PC */
#else
    return 0;
#endif
}

/* DWARF numbers of the registers in unwind_regs_mask, in the kernel's order. */
#if defined(__aarch64__)
static int dwarf_register(size_t i)
{
    return i < CFI_REGS ? (int)i : -1; /* X0..X30, SP, PC */
}
/* Pointer authentication uses the bits above the 48 bits of an address. */
static const uint64_t address_mask = 0x0000ffffffffffff;
#else
static int dwarf_register(size_t i)
{
    /* AX BX CX DX SI DI BP SP IP FLAGS CS SS R8..R15 */
    static const int number[] = {0,  3,  2, 1, 4,  5,  6,  7,  16, -1,
                                 -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
    return i < sizeof number / sizeof *number ? number[i] : -1;
}
static const uint64_t address_mask = UINT64_MAX;
#endif

static void load_registers(struct cfi_state *st, const struct record_sample *s)
{
    *st = (struct cfi_state){.stack = s->stack, .stack_size = s->nstack};
    for (size_t i = 0; i < s->nregs; i++) {
        int r = dwarf_register(i);
        if (r < 0)
            continue;
        st->reg[r] = s->regs[i];
        st->known |= 1ull << r;
    }
    st->stack_at = st->reg[CFI_SP];
}

/* For a function with a frame pointer: it points to the caller's frame pointer and the return
 * address. */
static bool step_by_frame_pointer(struct cfi_state *s)
{
    uint64_t fp = s->reg[CFI_FP], next, pc;
    if (!(s->known >> CFI_FP & 1) || !cfi_read(s, fp, &next) || !cfi_read(s, fp + 8, &pc))
        return false;
    s->reg[CFI_FP] = next;
    s->reg[CFI_PC] = pc;
    s->reg[CFI_RETURN] = pc;
    s->reg[CFI_SP] = fp + 16;
    s->known = 1ull << CFI_FP | 1ull << CFI_PC | 1ull << CFI_RETURN | 1ull << CFI_SP;
    return true;
}

/* Steps out of the function that holds address. */
static bool step_out(const struct unwinding *u, uint64_t address, bool innermost,
                     struct cfi_state *s, bool *signal)
{
    const struct process_map *map = maps_find(u->maps, u->pid, address, innermost, u->now_ns);
    uint32_t file = CFI_VDSO;
    uint64_t at;
    *signal = false;
    if (!map)
        return false;
    if (map->kind == MAP_VDSO)
        at = address - map->start;
    else if (map->kind != MAP_FILE ||
             !names_file_address(u->names, u->pid, map, address, &file, &at))
        return step_by_frame_pointer(s);
    const char *path = file == CFI_VDSO ? "" : names_file_path(u->names, file);
    switch (path ? cfi_step(u->cfi, file, path, at, s, signal) : CFI_UNKNOWN) {
    case CFI_STEPPED:
        return true;
    case CFI_UNKNOWN:
        return step_by_frame_pointer(s);
    default:
        return false;
    }
}

size_t unwind_registers(const struct unwinding *u, struct cfi_state *s, bool exact,
                        struct unwound *out, size_t max)
{
    size_t n = 0;
    while (n < max) {
        uint64_t pc = s->reg[CFI_PC] & address_mask, sp = s->reg[CFI_SP];
        bool signal;
        if (pc == 0)
            break;
        out[n++] = (struct unwound){pc, exact};
        if (!step_out(u, exact ? pc : pc - 1, n == 1, s, &signal))
            break;
        /* Callers are at higher addresses; arm64's leaf functions share their caller's frame. */
        if (!signal && (s->reg[CFI_SP] < sp || (s->reg[CFI_SP] == sp && n > 1)))
            break;
        exact = signal;
    }
    return n;
}

size_t unwind(const struct unwinding *u, const struct record_sample *s, struct unwound *out,
              size_t max)
{
    struct cfi_state st;
    if (!s->user_regs || s->nregs == 0)
        return 0;
    load_registers(&st, s);
    return unwind_registers(u, &st, true, out, max);
}
