/*
 * Memory that can be read directly, because nothing can unmap it meanwhile: the used part of a
 * task's stack and, as long as the process has one thread, the heap of brk. The kernel copies all
 * other memory, which costs a call.
 */
#include <asm/unistd.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "recorder/recorder.h"

enum { PAGE = 4096, MAIN_STACK = 64 << 20 }; /* the kernel leaves at least 128 MiB below it free */

static uint64_t heap_from, heap_to; /* empty: no longer read directly */

static const uint16_t changes[] = {__NR_brk,    __NR_munmap,          __NR_mprotect,
                                   __NR_mremap, __NR_pkey_mprotect,   __NR_madvise,
                                   __NR_shmat,  __NR_remap_file_pages};

void plain_start(struct syscall_ring *r, uint64_t stack_end)
{
    r->stack_to = stack_end;
    r->stack_from = stack_end - MAIN_STACK;
    if (recorder_control->copies_from[SYSCALL_RING_CALLS] == 0)
        return;
    heap_from = heap_to = ((uint64_t)CALL1(__NR_brk, 0) + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++)
        recorder_careful[changes[i]] = 1;
}

static void forget_heap(void)
{
    __atomic_store_n(&heap_to, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&heap_from, 0, __ATOMIC_SEQ_CST);
}

void plain_new_task(const struct syscall_ring *maker, struct syscall_ring *task, uint64_t flags,
                    uint64_t stack, uint64_t size)
{
    if (flags & CLONE_VM)
        forget_heap();
    task->stack_from = stack ? stack - size : maker->stack_from;
    task->stack_to = stack ? stack : maker->stack_to;
}

void plain_before(const struct frame *f)
{
    const uint64_t from = f->rdi, to = from + f->rsi;
    switch (f->rax) {
    case __NR_brk:
        if (from && from < heap_to)
            heap_to = from > heap_from ? from & ~(uint64_t)(PAGE - 1) : heap_from;
        break;
    case __NR_shmat:
        if (f->rdx & 040000) /* SHM_REMAP */
            forget_heap();
        break;
    case __NR_mremap: /* it may move a mapping onto the heap */
        if ((f->r10 & MREMAP_FIXED) || (from < heap_to && to > heap_from))
            forget_heap();
        break;
    case __NR_mmap:
        if (!(f->r10 & MAP_FIXED))
            break;
        __attribute__((fallthrough));
    case __NR_munmap:
    case __NR_mprotect:
    case __NR_pkey_mprotect:
    case __NR_madvise:
    case __NR_remap_file_pages:
        if (from < heap_to && (to > heap_from || to < from))
            forget_heap();
        break;
    }
}

void plain_after(const struct frame *f)
{
    if (f->number == __NR_brk && heap_from && f->rax > heap_from && !call_failed((long)f->rax))
        heap_to = f->rax & ~(uint64_t)(PAGE - 1);
}

bool plain_memory(uint64_t from, size_t n)
{
    const struct syscall_ring *r = ring_here();
    const uint64_t here = (uint64_t)__builtin_frame_address(0), to = from + n;
    if (to < from)
        return false;
    return (here >= r->stack_from && from >= here && to <= r->stack_to) ||
           (from >= heap_from && to <= heap_to);
}
