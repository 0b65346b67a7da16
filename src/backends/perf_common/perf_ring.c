#include "backends/perf_common/perf_ring.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

void perf_ring_init(struct perf_ring *r, void *base, size_t page_size, size_t pages)
{
    *r = (struct perf_ring){
        .base = base, .data = (const uint8_t *)base + page_size, .size = page_size * pages};
}

static void copy_from_ring(const struct perf_ring *r, uint64_t at, void *to, size_t n)
{
    size_t from = (size_t)(at & (r->size - 1)), first = r->size - from;
    if (first > n)
        first = n;
    memcpy(to, r->data + from, first);
    memcpy((uint8_t *)to + first, r->data, n - first);
}

size_t perf_ring_read(struct perf_ring *r, void *scratch, perf_ring_sink sink, void *ctx)
{
    struct perf_event_mmap_page *page = r->base;
    /* Pairs with the kernel's barrier: the data before head is visible once head is. */
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = page->data_tail;
    size_t n = 0;
    bool sane = head - tail <= r->size;
    while (sane && head - tail >= sizeof(struct perf_event_header)) {
        struct perf_event_header h;
        copy_from_ring(r, tail, &h, sizeof h);
        if (h.size < sizeof h || h.size % 8 || h.size > head - tail)
            break;
        size_t from = (size_t)(tail & (r->size - 1));
        const void *record = r->data + from;
        if (from + h.size > r->size) {
            copy_from_ring(r, tail, scratch, h.size);
            record = scratch;
        }
        sink(ctx, record, h.size);
        tail += h.size;
        n++;
    }
    r->damaged += tail != head; /* invalid data is skipped with everything after it */
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return n;
}
