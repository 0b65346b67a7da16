/*
 * Reads a counter without a system call, from the page that the kernel shares for an event and the
 * register that it names (linux/perf_event.h, struct perf_event_mmap_page, describes how).
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The compiler must not move reads of the page or of registers past this. */
#define PAGE_BARRIER() __asm__ volatile("" ::: "memory")

#if defined(__x86_64__)
enum { PAGE_READABLE = 1 };

static inline uint64_t page_register(uint32_t i)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(i));
    return low | (uint64_t)high << 32;
}

static inline uint64_t page_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return low | (uint64_t)high << 32;
}

#elif defined(__aarch64__)
enum { PAGE_READABLE = 1 };

/* Each register has its own name; choosing one by its number would need a write. */
#define PAGE_CASE(i)                                                                               \
    case i:                                                                                        \
        __asm__ volatile("mrs %0, pmevcntr" #i "_el0" : "=r"(v));                                  \
        break;
static inline uint64_t page_register(uint32_t i)
{
    uint64_t v = 0;
    __asm__ volatile("isb" ::: "memory"); /* waits until all earlier instructions are counted */
    switch (i) {
        PAGE_CASE(0)
        PAGE_CASE(1)
        PAGE_CASE(2)
        PAGE_CASE(3)
        PAGE_CASE(4)
        PAGE_CASE(5)
        PAGE_CASE(6)
        PAGE_CASE(7)
        PAGE_CASE(8)
        PAGE_CASE(9)
        PAGE_CASE(10)
        PAGE_CASE(11)
        PAGE_CASE(12)
        PAGE_CASE(13)
        PAGE_CASE(14)
        PAGE_CASE(15)
        PAGE_CASE(16)
        PAGE_CASE(17)
        PAGE_CASE(18)
        PAGE_CASE(19)
        PAGE_CASE(20)
        PAGE_CASE(21)
        PAGE_CASE(22)
        PAGE_CASE(23)
        PAGE_CASE(24)
        PAGE_CASE(25)
        PAGE_CASE(26)
        PAGE_CASE(27)
        PAGE_CASE(28)
        PAGE_CASE(29)
        PAGE_CASE(30)
    default: /* 31: the counter of cycles */
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(v));
    }
    return v;
}
#undef PAGE_CASE

static inline uint64_t page_ticks(void)
{
    uint64_t v;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(v)::"memory");
    return v;
}

#else
enum { PAGE_READABLE = 0 };

static inline uint64_t page_register(uint32_t i)
{
    (void)i;
    return 0;
}

static inline uint64_t page_ticks(void)
{
    return 0;
}
#endif

/* Whether the page has all that page_read and page_times need. */
static inline bool page_usable(const struct perf_event_mmap_page *p)
{
    return PAGE_READABLE && p->cap_user_rdpmc && p->cap_user_time;
}

/* The ns since the kernel wrote the page, at that count of ticks. */
static inline uint64_t page_since(const struct perf_event_mmap_page *p, uint64_t ticks)
{
    if (p->cap_user_time_short)
        ticks = p->time_cycles + ((ticks - p->time_cycles) & p->time_mask);
    uint64_t whole = ticks >> p->time_shift, rest = ticks & ((UINT64_C(1) << p->time_shift) - 1);
    return p->time_offset + whole * p->time_mult + ((rest * p->time_mult) >> p->time_shift);
}

/* Extends a register of `width` bits (2 to 64) as a signed number, because the kernel starts it
 * below 0 so that it overflows when a sample is due. */
static inline uint64_t page_extended(uint64_t value, unsigned width)
{
    const unsigned unused = 64 - width;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Reads one count; false: it is in no register now. */
static inline bool page_read(const volatile struct perf_event_mmap_page *p, uint64_t *out)
{
    uint32_t lock;
    uint64_t count;
    do {
        lock = p->lock;
        PAGE_BARRIER();
        uint32_t index = p->index;
        unsigned width = p->pmc_width;
        if (index == 0 || width < 2 || width > 64)
            return false;
        count = (uint64_t)p->offset + page_extended(page_register(index - 1), width);
        PAGE_BARRIER();
    } while (p->lock != lock);
    *out = count;
    return true;
}

/* Reads the times of an event that is in a register; false: it is no longer in one, and no time
 * runs. */
static inline bool page_times(const volatile struct perf_event_mmap_page *p, uint64_t *enabled,
                              uint64_t *running)
{
    uint32_t lock;
    do {
        lock = p->lock;
        PAGE_BARRIER();
        if (p->index == 0)
            return false;
        uint64_t since = page_since((const struct perf_event_mmap_page *)p, page_ticks());
        *enabled = p->time_enabled + since;
        *running = p->time_running + since;
        PAGE_BARRIER();
    } while (p->lock != lock);
    return true;
}
