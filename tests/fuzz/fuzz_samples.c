/* The files of CPU profilers: the input is read by each reader, plain or gzip. What is read must be
 * a tree that every part of rooftop can walk. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/functions/functions.h"
#include "engine/functions/hot_profile.h"
#include "engine/trace/trace.h"

extern const struct reader_ops reader_folded, reader_perf_script, reader_speedscope, reader_pprof,
    reader_firefox;

static void check(const struct hot_stacks *p)
{
    struct function_row *rows;
    uint64_t sum = 0, own = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        if (p->nodes[i].parent >= (int32_t)i || p->nodes[i].symbol >= p->nsymbols)
            abort();
        sum += p->nodes[i].self;
    }
    const size_t n = functions_list(p, &rows);
    for (size_t i = 0; i < n; i++) {
        own += rows[i].self;
        if (rows[i].total > p->samples || rows[i].self > rows[i].total)
            abort();
    }
    free(rows);
    if (sum != p->samples || own != sum)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct reader_ops *const all[] = {
        &reader_folded, &reader_perf_script, &reader_speedscope, &reader_pprof, &reader_firefox};
    char path[32];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct error err = ERROR_INIT;
        struct trace t = {.sums = graph_new(), .calls = graph_new()};
        all[i]->recognise(NULL, data, size);
        const int rc = all[i]->read(path, &t, &err);
        if ((rc == 0) != (t.samples != NULL) || (rc != 0 && err.kind == ERROR_NONE))
            abort();
        if (t.samples)
            check(&t.samples->stacks);
        trace_free(&t);
    }
    close(fd);
    return 0;
}
