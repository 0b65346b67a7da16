#include "records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    uint8_t *begin, *at;
};

static void bytes(struct writer *w, const void *p, size_t n)
{
    if (n)
        memcpy(w->at, p, n);
    w->at += n;
}

static void u64(struct writer *w, uint64_t v)
{
    bytes(w, &v, sizeof v);
}

static void u32(struct writer *w, uint32_t v)
{
    bytes(w, &v, sizeof v);
}

static struct writer begin(void *buf, uint32_t type, uint16_t misc)
{
    struct perf_event_header h = {.type = type, .misc = misc};
    struct writer w = {buf, buf};
    bytes(&w, &h, sizeof h);
    return w;
}

static size_t end(struct writer *w)
{
    uint16_t size = (uint16_t)(w->at - w->begin);
    memcpy(w->begin + offsetof(struct perf_event_header, size), &size, sizeof size);
    return size;
}

static size_t end_with_ids(struct writer *w, struct record_ids ids)
{
    u32(w, (uint32_t)ids.pid);
    u32(w, (uint32_t)ids.tid);
    u64(w, ids.time);
    u32(w, ids.cpu);
    u32(w, 0);
    return end(w);
}

static void sample_head(struct writer *w, struct record_ids ids, uint64_t ip)
{
    u64(w, ip);
    u32(w, (uint32_t)ids.pid);
    u32(w, (uint32_t)ids.tid);
    u64(w, ids.time);
    u32(w, ids.cpu);
    u32(w, 0);
    u64(w, 1000);
}

size_t record_make_sample(void *buf, struct record_ids ids, uint16_t misc, uint64_t ip,
                          const uint64_t *chain, size_t nchain)
{
    struct writer w = begin(buf, PERF_RECORD_SAMPLE, misc);
    sample_head(&w, ids, ip);
    u64(&w, nchain);
    bytes(&w, chain, nchain * sizeof *chain);
    u64(&w, PERF_SAMPLE_REGS_ABI_NONE); /* registers were requested, but the sample has none */
    u64(&w, 0);
    return end(&w);
}

size_t record_make_dwarf_sample(void *buf, struct record_ids ids, uint64_t ip, const uint64_t *regs,
                                size_t nregs, const void *stack, size_t nstack, uint64_t filled)
{
    struct writer w = begin(buf, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    sample_head(&w, ids, ip);
    u64(&w, 0);
    u64(&w, PERF_SAMPLE_REGS_ABI_64);
    bytes(&w, regs, nregs * sizeof *regs);
    u64(&w, nstack);
    bytes(&w, stack, nstack);
    u64(&w, filled);
    return end(&w);
}

size_t record_make_mmap2(void *buf, struct record_ids ids, uint64_t start, uint64_t length,
                         uint64_t offset, uint64_t inode, const char *path)
{
    struct writer w = begin(buf, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    u32(&w, (uint32_t)ids.pid);
    u32(&w, (uint32_t)ids.tid);
    u64(&w, start);
    u64(&w, length);
    u64(&w, offset);
    u32(&w, 8);
    u32(&w, 1);
    u64(&w, inode);
    u64(&w, 0);
    u32(&w, 5);
    u32(&w, 2);
    size_t n = strlen(path) + 1, padded = (n + 7) / 8 * 8;
    bytes(&w, path, n);
    memset(w.at, 0, padded - n);
    w.at += padded - n;
    return end_with_ids(&w, ids);
}

size_t record_make_task(void *buf, struct record_ids ids, uint32_t type, pid_t parent)
{
    struct writer w = begin(buf, type, 0);
    u32(&w, (uint32_t)ids.pid);
    u32(&w, (uint32_t)parent);
    u32(&w, (uint32_t)ids.tid);
    u32(&w, (uint32_t)parent);
    u64(&w, ids.time);
    return end_with_ids(&w, ids);
}

size_t record_make_comm(void *buf, struct record_ids ids, int exec)
{
    struct writer w = begin(buf, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
    u32(&w, (uint32_t)ids.pid);
    u32(&w, (uint32_t)ids.tid);
    bytes(&w, "program", 8);
    return end_with_ids(&w, ids);
}

size_t record_make_lost(void *buf, struct record_ids ids, uint64_t lost)
{
    struct writer w = begin(buf, PERF_RECORD_LOST, 0);
    u64(&w, 7);
    u64(&w, lost);
    return end_with_ids(&w, ids);
}

void *ring_memory(size_t size)
{
    void *p = aligned_alloc(RING_PAGE, RING_PAGE + size);
    return p ? memset(p, 0, RING_PAGE + size) : NULL;
}

void ring_append(void *base, size_t size, const void *record, size_t n)
{
    struct perf_event_mmap_page *page = base;
    uint8_t *data = (uint8_t *)base + RING_PAGE;
    uint64_t head = page->data_head;
    for (size_t i = 0; i < n; i++)
        data[(head + i) & (size - 1)] = ((const uint8_t *)record)[i];
    __atomic_store_n(&page->data_head, head + n, __ATOMIC_RELEASE);
}
