/* Memory: what the compiler calls by itself, and copies that do not fail where an address is wrong.
 */
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

struct span {
    uint64_t base, n;
};

/* The kernel copies: a wrong address is an error, not a signal. */
static long copy(long call, const void *ours, uint64_t theirs, size_t n)
{
    struct span local = {(uint64_t)ours, n}, remote = {theirs, n};
    return CALL6(call, CALL0(__NR_getpid), &local, 1, &remote, 1, 0);
}

bool copy_in(void *to, uint64_t from, size_t n)
{
    return copy(__NR_process_vm_readv, to, from, n) == (long)n;
}

size_t copy_in_part(void *to, uint64_t from, size_t n)
{
    const long got = copy(__NR_process_vm_readv, to, from, n);
    return got < 0 ? 0 : (size_t)got;
}

bool copy_out(uint64_t to, const void *from, size_t n)
{
    return copy(__NR_process_vm_writev, from, to, n) == (long)n;
}
