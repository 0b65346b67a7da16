/* The processes that compute, from /sys/class/kfd/kfd/proc: of all users, without root. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"
#include "backends/common/proc_file.h"
#include "base/env.h"

#define PROC "/sys/class/kfd/kfd/proc"
#define NO_KFD_TIME                                                                                \
    "the kernel does not account the time of compute queues (drm-engine-* leaves KFD out)"

static int find_gpu_by_kfd_id(const struct gpus *g, uint64_t kfd_id)
{
    for (size_t i = 0; kfd_id && i < g->n; i++)
        if (g->gpu[i].kfd_id == kfd_id)
            return (int)i;
    return -1;
}

/* Reads the number in a file, or says why there is none. */
static struct value read_kfd_number(const char *path, double scale, enum unit unit)
{
    char line[64], *end;
    int n = file_line(path, line, sizeof line);
    if (n == -ENOENT)
        return value_missing("this kernel does not tell it", unit);
    if (n == -EACCES || n == -EPERM)
        return value_missing("another user's process", unit);
    if (n <= 0)
        return value_missing("the driver does not tell it for this GPU", unit);
    errno = 0;
    double v = (double)strtoull(line, &end, 10);
    if (end == line || errno)
        return value_missing("not a number", unit);
    return value_ok(v * scale, unit);
}

/* Names of enum kfd_queue_type in the kernel's kfd_priv.h. */
static const char *queue_type(long type)
{
    static const char *const names[] = {"compute", "sdma",      "hiq",
                                        "diq",     "sdma-xgmi", "sdma-engine"};
    return type >= 0 && (size_t)type < sizeof names / sizeof *names ? names[type] : "unknown";
}

static void read_queue(struct gpus_build *b, int pid, const char *folder, const char *name)
{
    char path[512], line[32];
    snprintf(path, sizeof path, "%s/%s/gpuid", folder, name);
    if (file_line(path, line, sizeof line) <= 0)
        return; /* it has ended meanwhile */
    int gpu = find_gpu_by_kfd_id(&b->g, strtoull(line, NULL, 10));
    struct gpu_queue *q = gpu >= 0 ? gpus_add_row(b, GPUS_QUEUES, "not told") : NULL;
    if (!q)
        return;
    q->gpu = gpu;
    q->pid = pid;
    q->id = (int)strtol(name, NULL, 10);
    snprintf(path, sizeof path, "%s/%s/type", folder, name);
    q->type = queue_type(file_number(path, -1));
    snprintf(path, sizeof path, "%s/%s/size", folder, name);
    q->size = read_kfd_number(path, 1, UNIT_BYTES);
}

static int compare_kfd_queues(const void *a, const void *b)
{
    const struct gpu_queue *p = a, *q = b;
    if (p->gpu != q->gpu)
        return p->gpu < q->gpu ? -1 : 1;
    if (p->pid != q->pid)
        return p->pid < q->pid ? -1 : 1;
    return p->id < q->id ? -1 : p->id > q->id;
}

static void read_queues(struct gpus_build *b, int pid)
{
    char folder[256], full[512];
    snprintf(folder, sizeof folder, PROC "/%d/queues", pid);
    DIR *d = opendir(env_path(full, sizeof full, "%s", folder));
    for (struct dirent *e; d && (e = readdir(d));)
        if (fdinfo_is_number(e->d_name))
            read_queue(b, pid, folder, e->d_name);
    if (d)
        closedir(d);
}

static double queues_of(const struct gpus *g, int gpu, int pid)
{
    double n = 0;
    for (size_t i = 0; i < g->nqueues; i++)
        n += g->queues[i].gpu == gpu && g->queues[i].pid == pid;
    return n;
}

static void read_kfd_process(struct gpus_build *b, int pid)
{
    read_queues(b, pid);
    for (int gpu = 0; gpu < (int)b->g.n; gpu++) {
        char path[256], comm[64] = "";
        unsigned long long id = b->g.gpu[gpu].kfd_id;
        snprintf(path, sizeof path, PROC "/%d/vram_%llu", pid, id);
        if (!id || !file_exists(path))
            continue;
        struct gpu_process *p = gpus_add_row(b, GPUS_PROCESSES, "not of a compute process");
        if (!p)
            return;
        p->gpu = gpu;
        p->pid = pid;
        p->kind = "compute";
        p->mem = read_kfd_number(path, 1, UNIT_BYTES);
        snprintf(path, sizeof path, PROC "/%d/stats_%llu/cu_occupancy", pid, id);
        p->cus = read_kfd_number(path, 1, UNIT_NONE);
        snprintf(path, sizeof path, PROC "/%d/stats_%llu/evicted_ms", pid, id);
        p->evicted = read_kfd_number(path, 1e-3, UNIT_SECONDS);
        p->busy = value_missing(NO_KFD_TIME, UNIT_PERCENT);
        p->queues = value_ok(queues_of(&b->g, gpu, pid), UNIT_NONE);
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        file_line(path, comm, sizeof comm);
        p->name = gpus_text(b, "%s", comm);
    }
}

static int compare_kfd_pids(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

void kfd_processes(struct gpus_build *b)
{
    enum { PIDS_MAX = 4096 };
    int pids[PIDS_MAX];
    char full[512];
    size_t n = 0;
    DIR *d = opendir(env_path(full, sizeof full, PROC));
    for (struct dirent *e; d && n < PIDS_MAX && (e = readdir(d));)
        if (fdinfo_is_number(e->d_name))
            pids[n++] = (int)strtol(e->d_name, NULL, 10);
    if (d)
        closedir(d);
    if (n)
        qsort(pids, n, sizeof *pids, compare_kfd_pids);
    for (size_t i = 0; i < n; i++)
        read_kfd_process(b, pids[i]);
    if (b->g.nqueues)
        qsort(b->g.queues, b->g.nqueues, sizeof *b->g.queues, compare_kfd_queues);
    for (size_t i = 0; d && i < b->g.n; i++)
        if (b->g.gpu[i].kfd_id) {
            double queues = 0;
            for (size_t k = 0; k < b->g.nqueues; k++)
                queues += b->g.queues[k].gpu == (int)i;
            b->g.now[i].queues = value_ok(queues, UNIT_NONE);
        }
}
