/* Any bytes as perf.data. Programs that it names are files of this machine; its kernel and
 * processes are not. What is read must be a tree that every part of rooftop can walk. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory.h"
#include "engine/functions/functions.h"
#include "engine/functions/hot_profile.h"
#include "engine/trace/trace.h"

extern const struct reader_ops reader_perf_data;

enum { MEMORY = 256 << 20 };

static void check(const struct hot_stacks *p)
{
    struct function_row *rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        if (p->nodes[i].parent >= (int32_t)i || p->nodes[i].symbol >= p->nsymbols)
            abort();
        sum += p->nodes[i].self;
    }
    if (sum != p->samples)
        abort();
    functions_list(p, &rows);
    free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct trace t = {.sums = graph_new(), .calls = graph_new()};
    char path[32];
    env_set_root("/nonexistent");
    memory_set_limit(MEMORY);
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int rc = reader_perf_data.read(path, &t, &err);
    if ((rc == 0) != (t.samples != NULL) || (rc != 0 && err.kind == ERROR_NONE))
        abort();
    if (t.samples)
        check(&t.samples->stacks);
    trace_free(&t);
    close(fd);
    return 0;
}
