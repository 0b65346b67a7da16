#include "backends/unwind/stack.h"

#include <linux/perf_event.h>

/* perf_event_open(2): the mode in which a sample was taken. */
static enum names_space space_of_mode(uint16_t misc)
{
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
        return SPACE_KERNEL;
    case PERF_RECORD_MISC_HYPERVISOR:
        return SPACE_HYPERVISOR;
    case PERF_RECORD_MISC_GUEST_KERNEL:
    case PERF_RECORD_MISC_GUEST_USER:
        return SPACE_GUEST;
    default:
        return SPACE_USER;
    }
}

static bool is_context_mark(uint64_t address)
{
    return address >= PERF_CONTEXT_MAX;
}

static enum names_space space_of_mark(uint64_t mark, enum names_space now)
{
    switch (mark) {
    case PERF_CONTEXT_KERNEL:
        return SPACE_KERNEL;
    case PERF_CONTEXT_USER:
        return SPACE_USER;
    case PERF_CONTEXT_HV:
        return SPACE_HYPERVISOR;
    case PERF_CONTEXT_GUEST:
    case PERF_CONTEXT_GUEST_KERNEL:
    case PERF_CONTEXT_GUEST_USER:
        return SPACE_GUEST;
    default: /* markers of later kernels: the entries continue as before */
        return now;
    }
}

size_t stack_from_chain(const struct record *r, struct stack_entry *out)
{
    const struct record_sample *s = &r->sample;
    enum names_space space = space_of_mode(r->misc);
    bool caller = false; /* the first entry of each mode is exact, not a return address */
    size_t n = 0;
    for (size_t i = 0; i < s->nchain && n < STACK_MAX; i++) {
        if (is_context_mark(s->chain[i])) {
            space = space_of_mark(s->chain[i], space);
            caller = false;
            continue;
        }
        if (s->chain[i] == 0)
            continue;
        out[n++] = (struct stack_entry){s->chain[i], (uint8_t)space, caller};
        caller = true;
    }
    if (n == 0)
        out[n++] = (struct stack_entry){s->ip, (uint8_t)space_of_mode(r->misc), false};
    return n;
}

size_t stack_unwind(const struct unwinding *u, const struct record *r, struct stack_entry *entries,
                    size_t n, struct unwound *room)
{
    size_t kept = 0, found = unwind(u, &r->sample, room, STACK_MAX);
    if (found == 0)
        return n;
    while (kept < n && entries[kept].space != SPACE_USER)
        kept++;
    for (size_t i = 0; i < found && kept < STACK_MAX; i++)
        entries[kept++] = (struct stack_entry){room[i].address, SPACE_USER, !room[i].exact};
    return kept;
}
