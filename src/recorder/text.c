/* The compiler's own functions for memory, and copies that survive a wrong address. */
#include <asm/unistd.h>

#include "recorder/recorder.h"

void *memcpy(void *to, const void *from, size_t n)
{
    void *d = to;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
    return to;
}

void *memset(void *to, int c, size_t n)
{
    void *d = to;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
    return to;
}

/* The process's number from the kernel: a vfork child shares the memory, but has another number. */
static int64_t own_process(void)
{
    const struct syscall_ring *r = ring_here();
    return r->depth ? CALL0(__NR_getpid) : r->pid;
}

/* Lets the kernel copy, so that a wrong address is an error, not a signal. */
static long copy_between(long call, const struct span *ours, unsigned spans, uint64_t theirs,
                         size_t n)
{
    struct span remote = {theirs, n};
    return CALL6(call, own_process(), ours, spans, &remote, 1, 0);
}

size_t copy_in_spans(const struct span *to, unsigned spans, uint64_t from, size_t n)
{
    if (plain_memory(from, n)) {
        for (unsigned i = 0; i < spans; from += to[i++].n)
            memcpy((void *)to[i].base, (const void *)from, to[i].n);
        return n;
    }
    const long got = copy_between(__NR_process_vm_readv, to, spans, from, n);
    return got < 0 ? 0 : (size_t)got;
}

bool copy_in(void *to, uint64_t from, size_t n)
{
    const struct span ours = {(uint64_t)to, n};
    return copy_in_spans(&ours, 1, from, n) == n;
}

bool copy_out(uint64_t to, const void *from, size_t n)
{
    const struct span ours = {(uint64_t)from, n};
    return copy_between(__NR_process_vm_writev, &ours, 1, to, n) == (long)n;
}
