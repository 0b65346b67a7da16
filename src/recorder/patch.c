/*
 * Turns call sites into jumps. Rooftop found them with a decoder; here only the bytes are compared
 * with those that it saw. A site's instructions move to a trampoline: those before `syscall`, the
 * jump into the hook, those after it. Only five bytes of the site are written.
 */
#include <asm/unistd.h>
#include <linux/mman.h>

#include "recorder/recorder.h"

enum { TRAMPOLINE = 64, JUMP = 5, SYSCALL = 2 };
const struct syscall_site *patch_sites;

static bool bytes_are_same(const uint8_t *a, const uint8_t *b, size_t n)
{
    while (n && *a == *b)
        a++, b++, n--;
    return !n;
}

/* Copies a few bytes, faster than a string instruction, which takes long to begin. */
static uint8_t *put_code_bytes(uint8_t *to, const void *from, size_t n)
{
    const uint8_t *bytes = from;
    while (n--)
        *to++ = *bytes++;
    return to;
}

/* jmp to target */
static uint8_t *put_patch_jump(uint8_t *to, uint64_t target)
{
    const int32_t distance = (int32_t)(target - ((uint64_t)to + JUMP));
    *to = 0xe9;
    __builtin_memcpy(to + 1, &distance, sizeof distance);
    return to + JUMP;
}

/* Builds the trampoline at t for the site at s. */
static void build_trampoline(uint8_t *t, const uint8_t *s, const struct syscall_site *site)
{
    const uint64_t hook = (uint64_t)recorder_hook;
    const uint64_t origin = (uint64_t)s + site->before + SYSCALL;
    t = put_code_bytes(t, s, site->before);
    __builtin_memcpy(t, "\x48\x8d\x0d\x16\0\0\0", 7); /* lea 22(%rip), %rcx: after the origin */
    __builtin_memcpy(t + 7, "\xff\x25\0\0\0\0", 6);   /* jmp *0(%rip) */
    __builtin_memcpy(t + 13, &hook, sizeof hook);
    __builtin_memcpy(t + 21, &origin, sizeof origin);
    t += 29;
    t = put_code_bytes(t, s + site->before + SYSCALL, site->after);
    put_patch_jump(t, origin + site->after);
}

static bool patch_site(uint8_t *trampoline, const struct syscall_part *p,
                       const struct syscall_site *site)
{
    uint8_t *s = (uint8_t *)(p->bias + site->offset);
    const size_t n = (size_t)site->before + SYSCALL + site->after;
    if (n < JUMP || n > sizeof site->bytes || (uint64_t)s < p->from || (uint64_t)s + n > p->to ||
        !bytes_are_same(s, site->bytes, n))
        return false;
    build_trampoline(trampoline, s, site);
    put_patch_jump(s, (uint64_t)trampoline);
    return true;
}

/* Makes pages writable or executable, never both. */
static bool protect_pages(uint64_t from, uint64_t n, uint64_t how)
{
    return CALL3(__NR_mprotect, from, n, how) == 0;
}

/* Copies the pages with sites for this process in a few calls, because a fault for each takes
 * longer. Linux before 5.14 refuses that. */
static void own_pages(const struct syscall_part *p)
{
    uint64_t from = 0, to = 0;
    for (uint32_t i = 0; i <= p->n; i++) {
        const bool last = i == p->n;
        const uint64_t at = last ? 0 : p->bias + patch_sites[p->first + i].offset;
        const uint64_t page = at & ~UINT64_C(4095);
        if (i > 0 && !last && page <= to) {
            to = ((at + SYSCALL_RING_SITE_BYTES) | 4095) + 1;
            continue;
        }
        if (to - from > 4096)
            CALL3(__NR_madvise, from, (to < p->to ? to : p->to) - from, MADV_POPULATE_WRITE);
        from = page;
        to = ((at + SYSCALL_RING_SITE_BYTES) | 4095) + 1;
    }
}

void patch_part(const struct syscall_part *p)
{
    const uint64_t n = ((uint64_t)p->n * TRAMPOLINE + 4095) & ~UINT64_C(4095);
    uint32_t patched = 0;
    if (!p->n)
        return;
    const long at = CALL6(__NR_mmap, p->trampoline, n, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
    if (call_failed(at))
        return;
    if ((uint64_t)at != p->trampoline ||
        !protect_pages(p->from, p->to - p->from, PROT_READ | PROT_WRITE)) {
        CALL2(__NR_munmap, at, n);
        return;
    }
    own_pages(p);
    for (uint32_t i = 0; i < p->n; i++)
        patched +=
            patch_site((uint8_t *)at + (uint64_t)i * TRAMPOLINE, p, &patch_sites[p->first + i]);
    protect_pages(p->from, p->to - p->from, PROT_READ | PROT_EXEC);
    protect_pages((uint64_t)at, n, PROT_READ | PROT_EXEC);
    __atomic_fetch_add(&recorder_control->patched, patched, __ATOMIC_RELAXED);
    __atomic_fetch_add(&recorder_control->lone, p->n - patched, __ATOMIC_RELAXED);
}
