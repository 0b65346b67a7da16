#include "backends/rocprof_csv/rocprof_csv_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

enum { RUNS_MAX = 4096 };

/* What rocprofv3 appends to the requested name or the pid; longer endings first. */
static const char *const endings[] = {
    "memory_allocation_trace",
    "hip_compiler_api_trace",
    "hip_runtime_api_trace",
    "marker_core_api_trace",
    "hsa_amd_ext_api_trace",
    "rocdecode_api_trace",
    "scratch_memory_trace",
    "hsa_core_api_trace",
    "hip_compiler_trace",
    "hip_compile_trace",
    "rocjpeg_api_trace",
    "counter_collection",
    "memory_copy_trace",
    "hip_runtime_trace",
    "marker_api_trace",
    "rccl_api_trace",
    "hip_api_trace",
    "hsa_api_trace",
    "marker_trace",
    "kernel_trace",
    "ompt_trace",
    "rccl_trace",
    "agent_info",
    "hip_trace",
    "hsa_trace",
};

char *csv_prefix(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *prefix = xstrdup(path);
    size_t n = strlen(name), folder = (size_t)(name - path);
    n -= n > 4 && strcmp(name + n - 4, ".csv") == 0 ? 4 : 0;
    prefix[folder] = '\0'; /* other names: all files of the folder are one run */
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (n >= end && memcmp(name + n - end, endings[i], end) == 0) {
            memcpy(prefix + folder, name, n - end);
            prefix[folder + n - end] = '\0';
            break;
        }
    }
    return prefix;
}

struct csv_run *csv_run_of(struct csv_runs *r, const char *prefix, const char *guid)
{
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t i = (r->last + k) % r->n; /* mostly the same run as before */
        if (strcmp(r->runs[i].prefix, prefix) == 0 && strcmp(r->runs[i].guid, guid) == 0)
            return &r->runs[r->last = i];
    }
    if (r->n == RUNS_MAX)
        return NULL;
    LIST_ROOM(r->runs, r->n, r->cap);
    r->last = r->n++;
    r->runs[r->last] = (struct csv_run){.prefix = xstrdup(prefix), .guid = xstrdup(guid)};
    return &r->runs[r->last];
}

void csv_runs_free(struct csv_runs *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct csv_run *run = &r->runs[i];
        void *all[] = {run->prefix, run->guid,   run->calls,  run->kernels, run->counted,
                       run->copies, run->values, run->agents, run->lanes};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            free(all[k]);
        trace_shorts_free(&run->shorts);
        hash_table_free(&run->lane_by_content);
    }
    free(r->runs);
    free(r->skipped);
    *r = (struct csv_runs){0};
}
