// What goes wrong: faults of kernels as the runtime learns of them, and the faults that the
// environment asks for.
#include "emu.h"
#include <pthread.h>
#include <stdatomic.h>

// Source: kfd_ioctl.h, "kfd_dbg_trap_exception_code", as the runtime reads them from a queue's
// error signal.
enum {
    WAVE_ABORT = 1,
    WAVE_ILLEGAL_INSTRUCTION = 4,
    PACKET_DISPATCH_CODE_INVALID = 18,
};

// Which kernel it is, from 1 on, in the order of their first dispatches; 0: there are too many.
static uint64_t number_of_kernel(uint64_t kernel_object)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t seen[64];
    static unsigned n;
    unsigned k = 0;
    pthread_mutex_lock(&lock);
    while (k < n && seen[k] != kernel_object)
        k++;
    if (k == n && n < sizeof seen / sizeof *seen)
        seen[n++] = kernel_object;
    const uint64_t number = k < n ? k + 1 : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

// Dispatches of what the runtime itself runs (copies) lie in host memory and are not counted.
enum emu_trouble emu_trouble_of_next_dispatch(uint64_t kernel_object)
{
    static _Atomic uint64_t dispatches;
    const struct emu_settings *s = emu_settings();
    struct emu_object object;
    if (!emu_object_at(kernel_object, &object) || !object.block)
        return EMU_FINE;
    const uint64_t n = atomic_fetch_add(&dispatches, 1) + 1;
    if (s->uncounted && number_of_kernel(kernel_object) == s->uncounted)
        return EMU_UNCOUNTED;
    if (n == s->hang)
        return EMU_HANGS;
    if (n == s->page_fault)
        return EMU_FAULTS;
    if (n == s->illegal)
        return EMU_ILLEGAL;
    return n == s->queue_dies ? EMU_QUEUE_DIES : EMU_FINE;
}

bool emu_allocation_fails(bool handle, bool code)
{
    static _Atomic uint64_t allocations, handles, codes;
    const struct emu_settings *s = emu_settings();
    const bool fails = emu_is_nth(&s->fail_alloc, &allocations);
    const bool handle_fails = handle && emu_is_nth(&s->fail_handle, &handles);
    const bool code_fails = code && emu_is_nth(&s->fail_code, &codes);
    return fails || handle_fails || code_fails;
}

void emu_report(struct emu_queue *queue, enum gcn_status status, const struct gcn_fault *fault)
{
    emu_log("%s: pc %#lx, instruction %#x %#x, address %#lx",
            status == GCN_FAULT     ? "memory fault"
            : status == GCN_ILLEGAL ? "illegal instruction"
                                    : "bad packet",
            (unsigned long)fault->pc, fault->instruction[0], fault->instruction[1],
            (unsigned long)fault->address);
    if (status == GCN_FAULT)
        emu_memory_fault(fault->address, fault->write);
    else
        emu_queue_error(queue, status == GCN_ILLEGAL ? WAVE_ILLEGAL_INSTRUCTION
                                                     : PACKET_DISPATCH_CODE_INVALID);
}

void emu_queue_dies(struct emu_queue *queue)
{
    emu_log("queue dies");
    emu_queue_error(queue, WAVE_ABORT);
}
