/* NVIDIA GPUs, read on a thread of their own; see gpu/worker.h. */
#include <stdlib.h>

#include "backends/gpu/probe.h"
#include "backends/gpu/worker.h"
#include "backends/nvidia/nvidia_impl.h"
#include "base/arena.h"

struct nvidia_source {
    struct gpu_worker *worker;
    struct error failure;
};

static void *begin_nvml(void)
{
    return nvidia_new();
}

static unsigned gather_nvidia(void *state, struct gpus_build *b, uint64_t now_ns)
{
    return nvidia_gather(state, b, now_ns);
}

static void end_nvml(void *state)
{
    nvidia_free(state);
}

static const struct gpu_worker_ops worker_ops = {
    .name = "nvidia", .begin = begin_nvml, .gather = gather_nvidia, .end = end_nvml};

static int nv_open(struct source **out, struct source_config *config, struct error *err)
{
    (void)config;
    (void)err;
    struct nvidia_source *s = xcalloc(1, sizeof *s);
    s->worker = gpu_worker_start(&worker_ops, &s->failure);
    *out = (struct source *)s;
    return 0;
}

static void nv_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct nvidia_source *s = (struct nvidia_source *)self;
    if (s->worker)
        gpu_worker_poll(s->worker, out, now_ns);
    else
        snapshot_add_notice(out, NOTICE_WARN, "nvidia.thread", s->failure.why, s->failure.help);
}

static void nv_close(struct source *self)
{
    struct nvidia_source *s = (struct nvidia_source *)self;
    gpu_worker_stop(s->worker);
    free(s);
}

static void nv_probe(probe_sink sink, void *ctx)
{
    gpu_probe("nvidia", "nvidia.nvml", "NVIDIA GPUs", sink, ctx);
}

static void *nv_answer(size_t *n)
{
    return gpu_probe_answer(&worker_ops, n);
}

extern const struct source_ops source_nvidia;
const struct source_ops source_nvidia = {
    .name = "nvidia",
    .summary = "NVIDIA GPUs: telemetry and processes from NVML",
    .probe = nv_probe,
    .ask = nv_answer,
    .open = nv_open,
    .poll = nv_poll,
    .close = nv_close,
};
