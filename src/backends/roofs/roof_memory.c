#include "backends/roofs/roofs_impl.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, NODES = 1024 };
/* linux include/uapi/linux/mempolicy.h; avoids a dependency on libnuma */
enum { BIND = 2 };

/* Makes pages that are first written from now on come only from that node. */
static bool bind_to(char *m, size_t size, uint32_t node)
{
    unsigned long mask[NODES / (8 * sizeof(unsigned long))] = {0};
    const unsigned bits = 8 * sizeof *mask;
    if (node >= NODES)
        return false;
    mask[node / bits] = 1UL << node % bits;
    return syscall(SYS_mbind, m, size, BIND, mask, (unsigned long)NODES, 0u) == 0;
}

/* Rounds up to whole huge pages; less than one stays unchanged. */
static size_t round_to_huge_pages(size_t bytes)
{
    return bytes < HUGE_PAGE ? bytes : (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Always maps new pages: pages that malloc reuses are where another thread first wrote them. */
char *roof_memory_reserve(size_t bytes, enum roof_pages pages, struct roof_place place)
{
    size_t size = round_to_huge_pages(bytes), more = bytes < HUGE_PAGE ? 0 : HUGE_PAGE;
    char *m = mmap(NULL, size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    if (more) { /* keep its aligned part */
        size_t before = (HUGE_PAGE - (uintptr_t)m % HUGE_PAGE) % HUGE_PAGE;
        if (before)
            munmap(m, before);
        m += before;
        munmap(m + size, more - before);
    }
    madvise(m, size, pages == PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (place.on_node && !bind_to(m, size, place.node)) {
        munmap(m, size);
        return NULL;
    }
    return m;
}

/* Writes to each page, because pages that were only read are one shared page of zeros. The kernel
 * clears a page then; clearing it again would take as long. */
char *roof_memory(size_t bytes, enum roof_pages pages, struct roof_place place)
{
    enum { PAGE_LEAST = 4096 };
    volatile char *m = roof_memory_reserve(bytes, pages, place);
    for (size_t i = 0; m && i < bytes; i += PAGE_LEAST)
        m[i] = 0;
    return (char *)m;
}

void roof_memory_free(char *m, size_t bytes)
{
    if (m)
        munmap(m, round_to_huge_pages(bytes));
}
