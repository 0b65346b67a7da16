/* The processes of one NVIDIA GPU. */
#include <stdio.h>
#include <stdlib.h>

#include "backends/common/proc_file.h"
#include "backends/nvidia/nvidia_impl.h"

enum { PROCESSES_MAX = 1024, SAMPLES_MAX = 4096 };

typedef int (*list_fn)(nvml_device, unsigned *, struct nvml_process *);

/* Lists the processes; results of the oldest form of the call are converted. */
static int list_nvidia_processes(const struct nvml *n, nvml_device d, bool compute,
                                 struct nvml_process *out, unsigned *count)
{
    list_fn call = compute ? n->compute : n->graphics;
    *count = PROCESSES_MAX;
    if (call)
        return call(d, count, out);
    if (!compute || !n->compute_v1)
        return -1;
    struct nvml_process_v1 *old = xcalloc(PROCESSES_MAX, sizeof *old);
    int rc = n->compute_v1(d, count, old);
    for (unsigned i = 0; rc == NVML_OK && i < *count && i < PROCESSES_MAX; i++)
        out[i] = (struct nvml_process){.pid = old[i].pid, .used = old[i].used};
    free(old);
    return rc;
}

/* Finds or adds a row. Returns its index, because rows move when one is added. */
static int find_or_add_nvidia_row(struct gpus_build *b, int gpu, unsigned pid)
{
    char path[64], comm[64] = "";
    for (size_t i = 0; i < b->g.nprocesses; i++)
        if (b->g.processes[i].gpu == gpu && b->g.processes[i].pid == (int)pid)
            return (int)i;
    struct gpu_process *p = gpus_add_row(b, GPUS_PROCESSES, "not told by NVML");
    if (!p)
        return -1;
    p->gpu = gpu;
    p->pid = (int)pid;
    snprintf(path, sizeof path, "/proc/%u/comm", pid);
    file_line(path, comm, sizeof comm);
    p->name = gpus_text(b, "%s", comm);
    p->busy = value_missing("no sample of it in this interval", UNIT_PERCENT);
    return (int)b->g.nprocesses - 1;
}

static int add_nvidia_processes(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu,
                                bool compute)
{
    struct nvml_process *p = xcalloc(PROCESSES_MAX, sizeof *p);
    unsigned count = 0;
    int rc = list_nvidia_processes(n, d, compute, p, &count);
    for (unsigned i = 0; rc == NVML_OK && i < count && i < PROCESSES_MAX; i++) {
        int k = find_or_add_nvidia_row(b, gpu, p[i].pid);
        if (k < 0)
            break;
        struct gpu_process *row = &b->g.processes[k];
        bool both = !compute && row->kind[0] == 'c';
        row->kind = compute ? "compute" : "graphics";
        if (both)
            row->kind = "compute+graphics";
        if (p[i].used == ~0ull)
            row->mem =
                value_missing("the driver does not tell it (WDDM, or no permission)", UNIT_BYTES);
        else if (row->mem.validity == VALUE_OK && !both) /* added for each MIG instance */
            row->mem.v += (double)p[i].used;
        else
            row->mem = value_ok((double)p[i].used, UNIT_BYTES);
    }
    free(p);
    return rc;
}

/* Adds the newest sample of each process since *last_us. */
static void add_samples(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu,
                        unsigned long long *last_us)
{
    struct nvml_sample *s = xcalloc(SAMPLES_MAX, sizeof *s);
    unsigned count = SAMPLES_MAX;
    int rc = NVIDIA_CALL(n, samples, d, s, &count, *last_us);
    const char *why = NULL;
    if (rc < 0)
        why = NVIDIA_NO_CALL;
    else if (rc != NVML_OK)
        why = nvml_reason(n, rc);
    for (size_t k = 0; k < b->g.nprocesses; k++) {
        struct gpu_process *p = &b->g.processes[k];
        const struct nvml_sample *best = NULL;
        if (p->gpu != gpu)
            continue;
        for (unsigned i = 0; rc == NVML_OK && i < count && i < SAMPLES_MAX; i++)
            if (s[i].pid == (unsigned)p->pid && (!best || s[i].time_us > best->time_us))
                best = &s[i];
        if (best && best->sm <= 100) {
            unsigned video = best->encoder > best->decoder ? best->encoder : best->decoder;
            p->busy = value_ok(best->sm, UNIT_PERCENT);
            p->video = value_ok(video, UNIT_PERCENT);
        } else if (why && rc != NVML_NOT_FOUND) {
            p->busy = value_missing(why, UNIT_PERCENT);
        }
    }
    for (unsigned i = 0; rc == NVML_OK && i < count && i < SAMPLES_MAX; i++)
        if (s[i].time_us > *last_us)
            *last_us = s[i].time_us;
    free(s);
}

void nvidia_processes(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu,
                      unsigned long long *last_us)
{
    size_t had = b->g.nprocesses;
    int rc = add_nvidia_processes(n, d, b, gpu, true);
    add_nvidia_processes(n, d, b, gpu, false); /* compute-only GPUs may not support this */
    add_samples(n, d, b, gpu, last_us);
    b->g.now[gpu].processes = nvidia_value(n, rc, (double)(b->g.nprocesses - had), 1, UNIT_NONE);
    b->g.now[gpu].queues = value_missing("NVML tells no queues", UNIT_NONE);
}
