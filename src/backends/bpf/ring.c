#include "backends/bpf/bpf_impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_make(struct ring *r, size_t size)
{
    *r = (struct ring){.size = size};
    r->map = kernel_map(BPF_MAP_TYPE_RINGBUF, 0, 0, (uint32_t)size, 0);
    return r->map < 0 ? r->map : 0;
}

int ring_map(struct ring *r)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, r->map, 0);
    /* Maps the data once although the kernel offers it twice, because each mapped page counts as
     * rooftop's memory. */
    void *pages = mmap(NULL, page + r->size, PROT_READ, MAP_SHARED, r->map, (off_t)page);
    r->consumer = consumer == MAP_FAILED ? NULL : consumer;
    r->pages = pages == MAP_FAILED ? NULL : pages;
    if (r->consumer && r->pages)
        return 0;
    const int code = errno;
    ring_close(r);
    return -code;
}

void ring_close(struct ring *r)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (r->consumer)
        munmap(r->consumer, page);
    if (r->pages)
        munmap(r->pages, page + r->size);
    if (r->map >= 0)
        close(r->map);
    *r = (struct ring){.map = -1};
}

size_t ring_read(struct ring *r,
                 void (*take)(void *ctx, const void *part, size_t n, size_t whole, bool first),
                 void *ctx)
{
    const uint8_t *data = r->pages + sysconf(_SC_PAGESIZE);
    _Atomic uint64_t *producer = (_Atomic uint64_t *)r->pages;
    _Atomic uint64_t *consumer = (_Atomic uint64_t *)r->consumer;
    uint64_t at = atomic_load_explicit(consumer, memory_order_relaxed);
    const uint64_t first = at, end = atomic_load_explicit(producer, memory_order_acquire);
    while (at < end) {
        const size_t place = at & (r->size - 1);
        const uint32_t head =
            atomic_load_explicit((_Atomic uint32_t *)(data + place), memory_order_acquire);
        if (head & BPF_RINGBUF_BUSY_BIT)
            break;
        const size_t n = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
        const size_t from = (place + BPF_RINGBUF_HDR_SZ) & (r->size - 1);
        const size_t part = n < r->size - from ? n : r->size - from;
        if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
            take(ctx, data + from, part, n, true);
            if (part < n)
                take(ctx, data, n - part, n, false);
        }
        at += (n + BPF_RINGBUF_HDR_SZ + 7) & ~(uint64_t)7;
        atomic_store_explicit(consumer, at, memory_order_release);
    }
    return (size_t)(at - first);
}
