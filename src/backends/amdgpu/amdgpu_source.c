/* AMD GPUs, read on a thread of their own; see gpu/worker.h. */
#include <stdlib.h>

#include "backends/amdgpu/amdgpu_impl.h"
#include "backends/gpu/probe.h"
#include "backends/gpu/worker.h"
#include "base/arena.h"

enum { LOOK_AGAIN_S = 10 }; /* in case the driver is loaded later */

struct amdgpu_source {
    struct gpu_worker *worker; /* NULL: there is nothing to read */
    uint64_t looked_ns;
    bool looked;
};

static void *begin_amdgpu(void)
{
    return amdgpu_new();
}

static unsigned gather_amdgpu(void *state, struct gpus_build *b, uint64_t now_ns)
{
    amdgpu_gather(state, b, now_ns);
    return b->g.n ? 0 : LOOK_AGAIN_S;
}

static void end_amdgpu(void *state)
{
    amdgpu_free(state);
}

static const struct gpu_worker_ops worker_ops = {
    .name = "amdgpu", .begin = begin_amdgpu, .gather = gather_amdgpu, .end = end_amdgpu};

static int amd_open(struct source **out, struct source_config *config, struct error *err)
{
    (void)config;
    (void)err;
    *out = xcalloc(1, sizeof(struct amdgpu_source));
    return 0;
}

static void tell_no_amd_card(struct snapshot *out)
{
    struct gpus_build b = {0};
    gpus_clear(&b);
    gpu_source_tell(&b, "amdgpu", GPU_SOURCE_ABSENT, "no card of amdgpu in /sys/class/drm",
                    "load the driver: sudo modprobe amdgpu");
    gpus_merge(out, &b.g);
    gpus_free(&b);
}

static void amd_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct amdgpu_source *s = (struct amdgpu_source *)self;
    struct error err = ERROR_INIT;
    bool look = !s->looked || now_ns >= s->looked_ns + LOOK_AGAIN_S * UINT64_C(1000000000);
    if (!s->worker && look) {
        s->looked = true;
        s->looked_ns = now_ns;
        if (amdgpu_present())
            s->worker = gpu_worker_start(&worker_ops, &err);
    }
    if (err.kind != ERROR_NONE)
        snapshot_add_notice(out, NOTICE_WARN, "amdgpu.thread", err.why, err.help);
    if (s->worker)
        gpu_worker_poll(s->worker, out, now_ns);
    else
        tell_no_amd_card(out);
}

static void amd_close(struct source *self)
{
    struct amdgpu_source *s = (struct amdgpu_source *)self;
    gpu_worker_stop(s->worker);
    free(s);
}

static void amd_probe(probe_sink sink, void *ctx)
{
    gpu_probe("amdgpu", "amdgpu.telemetry", "AMD GPUs", sink, ctx);
}

static void *amd_answer(size_t *n)
{
    return gpu_probe_answer(&worker_ops, n);
}

extern const struct source_ops source_amdgpu;
const struct source_ops source_amdgpu = {
    .name = "amdgpu",
    .summary = "AMD GPUs: telemetry, queues and processes from sysfs, gpu_metrics, KFD and fdinfo",
    .probe = amd_probe,
    .ask = amd_answer,
    .open = amd_open,
    .poll = amd_poll,
    .close = amd_close,
};
