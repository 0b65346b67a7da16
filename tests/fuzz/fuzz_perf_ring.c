/*
 * Any bytes as a ring shared with the kernel, read from any offset: records, maps of processes,
 * stacks, order of time. The first byte chooses the kind of call graph, or the text of
 * /proc/PID/maps.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_common/perf_ring.h"
#include "backends/functions/sampler_impl.h"
#include "backends/unwind/maps.h"
#include "backends/perf_common/perf_record.h"
#include "backends/unwind/stack.h"
#include "base/arena.h"
#include "base/env.h"

enum { PAGE = 4096, SIZE = 8192, NREGS = 20 };

struct state {
    enum callgraph callgraph;
    struct process_maps *maps;
    struct fold fold;
    struct batch *batch;
};

static void use_sample(struct state *s, const struct record *r)
{
    static struct stack_entry entries[STACK_MAX];
    uint32_t symbols[STACK_MAX];
    size_t n = stack_from_chain(r, entries);
    uint8_t sum = 0;
    if (n == 0 || n > STACK_MAX)
        abort();
    for (size_t i = 0; i < n; i++) {
        const struct process_map *m = maps_find(s->maps, r->pid, entries[i].address, true, r->time);
        if (m && (entries[i].address < m->start || entries[i].address >= m->end))
            abort();
        symbols[i] = m ? m->file : 0;
    }
    for (size_t i = 0; i < r->sample.nstack; i++) /* reads all of it */
        sum ^= r->sample.stack[i];
    for (size_t i = 0; i < r->sample.nregs; i++)
        sum ^= (uint8_t)r->sample.regs[i];
    fold_add(&s->fold, symbols, n, &(struct fold_place){.address = sum, .file = ""});
}

static void use(struct state *s, const void *data, size_t size)
{
    const struct record_format format = {.sample_type = tap_sample_type(s->callgraph, true),
                                         .nregs = NREGS};
    struct record r;
    if (record_parse(data, size, &format, &r) < 0)
        return;
    if (r.type == PERF_RECORD_SAMPLE)
        use_sample(s, &r);
    else if (r.type == PERF_RECORD_MMAP2)
        maps_add(s->maps, r.pid, &r.mapping);
    else if (r.type == PERF_RECORD_FORK)
        maps_fork(s->maps, r.pid, r.parent);
    else if (r.type == PERF_RECORD_EXIT)
        maps_exit(s->maps, r.pid);
    else if (r.type == PERF_RECORD_COMM && r.comm.exec)
        maps_exec(s->maps, r.pid);
}

static void keep(void *ctx, const void *record, size_t size)
{
    struct state *s = ctx;
    batch_add(s->batch, record, size);
}

static void ring(const uint8_t *data, size_t size)
{
    static _Alignas(8) uint8_t memory[PAGE + SIZE], scratch[RECORD_MAX];
    struct perf_event_mmap_page *page = (void *)memory;
    struct state s = {.callgraph = (enum callgraph)(data[0] % 3), .maps = maps_new()};
    struct batch_queue q;
    struct batch_order o = {0};
    struct perf_ring r;
    uint64_t time, last = 0;
    const void *record;
    uint16_t tail, length;
    if (size < 5) {
        maps_free(s.maps);
        return;
    }
    memcpy(&tail, data + 1, 2);
    memcpy(&length, data + 3, 2);
    memset(memory, 0, sizeof memory);
    for (size_t i = 5; i < size && i - 5 < SIZE; i++)
        memory[PAGE + (tail + i - 5) % SIZE] = data[i];
    page->data_tail = tail & ~7u;
    page->data_head = page->data_tail + length % (SIZE + 64);
    perf_ring_init(&r, memory, PAGE, SIZE / PAGE);
    batch_queue_init(&q);
    s.batch = xcalloc(1, sizeof *s.batch);
    perf_ring_read(&r, scratch, keep, &s);
    if (page->data_tail != page->data_head)
        abort();
    s.batch->until = UINT64_MAX;
    batch_queue_put(&q, s.batch);
    order_add(&o, &q, batch_queue_take(&q));
    while ((record = order_next(&o, &q, &size, &time))) {
        if (time < last)
            abort();
        last = time;
        use(&s, record, size);
    }
    order_free(&o, &q);
    batch_queue_destroy(&q);
    fold_free(&s.fold);
    maps_free(s.maps);
}

static void maps_text(const uint8_t *data, size_t size)
{
    struct map_line l;
    char *line = xcalloc(size + 1, 1);
    memcpy(line, data, size);
    if (maps_parse_line(line, &l) && (l.end <= l.start || strlen(l.path) > size))
        abort();
    maps_kind_of(line);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    env_set_root("/nonexistent"); /* processes of this machine are not read */
    if (size && data[0] % 4 == 3)
        maps_text(data + 1, size - 1);
    else if (size)
        ring(data, size);
    return 0;
}
