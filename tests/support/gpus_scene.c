#include "support/gpus_scene.h"

#include <string.h>

#include "engine/live/gpus.h"

/* A wave between 0 and 1, computed without a library's rounding. */
static double wave(int tick, int phase)
{
    int t = (tick * 5 + phase * 11) % 60;
    return (t < 30 ? t : 60 - t) / 30.0;
}

#define GIB 1073741824.0

static void server(struct gpus_build *b, int tick, int k)
{
    int i = gpus_add(b, "this GPU does not measure it");
    struct gpu *g = &b->g.gpu[i];
    struct gpu_now *n = &b->g.now[i];
    double load = wave(tick, k);
    g->id = gpus_text(b, "pci:0000:%02x:00.0", 0x81 + k);
    g->pci = gpus_text(b, "0000:%02x:00.0", 0x81 + k);
    g->vendor = "AMD";
    g->backend = "amdgpu";
    g->name = "AMD Instinct MI300X OAM";
    g->isa = "gfx942";
    g->driver = "amdgpu 6.12.12";
    g->mode = "SPX/NPS1, auto";
    g->cus = value_ok(304, UNIT_NONE);
    g->simds = value_ok(1216, UNIT_NONE);
    g->wave = value_ok(64, UNIT_NONE);
    g->lds = value_ok(65536, UNIT_BYTES);
    g->xccs = value_ok(8, UNIT_NONE);
    g->max_hz = value_ok(2.1e9, UNIT_HZ);
    g->mem_total = value_ok(192 * GIB, UNIT_BYTES);
    g->temp_limit = value_ok(100, UNIT_CELSIUS);
    g->numa = value_ok(k, UNIT_NONE);
    g->render = value_ok(128 + k, UNIT_NONE);
    n->gfx_busy = value_ok(100 * load, UNIT_PERCENT);
    n->mem_busy = value_ok(55 * load, UNIT_PERCENT);
    n->mem_used = value_ok((40 + 90 * wave(tick / 2, k)) * GIB, UNIT_BYTES);
    n->gfx_hz = value_ok(1.2e9 + 0.9e9 * load, UNIT_HZ);
    n->mem_hz = value_ok(1.3e9, UNIT_HZ);
    n->power = value_ok(180 + 560 * load, UNIT_WATT);
    n->power_cap = value_ok(750, UNIT_WATT);
    n->temp_junction = value_ok(40 + 38 * load, UNIT_CELSIUS);
    n->temp_mem = value_ok(38 + 20 * load, UNIT_CELSIUS);
    n->throttled = value_ok(load > 0.9 ? 12 : 0, UNIT_PERCENT);
    n->throttle_why = load > 0.9 ? "power 12 %" : "";
    n->ecc_corrected = value_ok(2, UNIT_COUNT);
    n->ecc_uncorrected = value_ok(k == 1, UNIT_COUNT);
    n->pcie_width = value_ok(16, UNIT_NONE);
    n->pcie_speed = value_ok(32e9, UNIT_NONE);
    n->link_read = value_ok(8e9 * load, UNIT_BYTES_PER_S);
    n->link_write = value_ok(7e9 * load, UNIT_BYTES_PER_S);
    n->processes = value_ok(1, UNIT_NONE);
    n->queues = value_ok(3, UNIT_NONE);
}

static void nvidia(struct gpus_build *b, int tick)
{
    int i = gpus_add(b, "Not Supported");
    struct gpu *g = &b->g.gpu[i];
    struct gpu_now *n = &b->g.now[i];
    g->id = "pci:0000:c1:00.0";
    g->pci = "0000:c1:00.0";
    g->vendor = "NVIDIA";
    g->backend = "nvidia";
    g->name = "NVIDIA H200";
    g->isa = "sm_90";
    g->driver = "nvidia 580.65.06";
    g->mem_total = value_ok(140 * GIB, UNIT_BYTES);
    n->gfx_busy = value_ok(100 * wave(tick, 3), UNIT_PERCENT);
    n->mem_used = value_ok(12 * GIB, UNIT_BYTES);
    n->power = value_ok(310, UNIT_WATT);
    n->power_cap = value_ok(700, UNIT_WATT);
    n->temp_edge = value_ok(51, UNIT_CELSIUS);
    n->gfx_hz = value_ok(1.98e9, UNIT_HZ);
    n->throttled = value_ok(0, UNIT_PERCENT);
    n->pcie_rx = value_ok(2.5e9 * wave(tick, 1), UNIT_BYTES_PER_S);
    n->pcie_tx = value_ok(1e8, UNIT_BYTES_PER_S);
    n->processes = value_ok(1, UNIT_NONE);
    n->queues = value_missing("NVML tells no queues", UNIT_NONE);
}

static void process(struct gpus_build *b, int gpu, int pid, const char *name, const char *kind,
                    double mem, double busy, double cus)
{
    struct gpu_process *p = gpus_add_row(b, GPUS_PROCESSES, "not told");
    p->gpu = gpu;
    p->pid = pid;
    p->name = name;
    p->kind = kind;
    p->mem = value_ok(mem, UNIT_BYTES);
    if (busy >= 0)
        p->busy = value_ok(busy, UNIT_PERCENT);
    if (cus >= 0)
        p->cus = value_ok(cus, UNIT_NONE);
    p->queues = value_ok(3, UNIT_NONE);
}

static void others(struct gpus_build *b)
{
    static const char *const types[] = {"compute", "compute", "sdma"};
    for (int i = 0; i < 3; i++) {
        struct gpu_queue *q = gpus_add_row(b, GPUS_QUEUES, "not told");
        *q = (struct gpu_queue){
            .pid = 4242, .id = i, .type = types[i], .size = value_ok(1 << (20 - i), UNIT_BYTES)};
    }
    struct gpu_pool *p = gpus_add_row(b, GPUS_POOLS, "not told");
    p->kind = "memory";
    p->name = "VRAM, host-visible";
    p->source = "KFD";
    p->size = value_ok(192 * GIB, UNIT_BYTES);
    p->count = value_ok(1, UNIT_NONE);
    p->width = value_ok(8192, UNIT_NONE);
    p = gpus_add_row(b, GPUS_POOLS, "not told");
    p->kind = "cache";
    p->name = "L2";
    p->flags = "data";
    p->source = "KFD";
    p->size = value_ok(4 << 20, UNIT_BYTES);
    p->count = value_ok(8, UNIT_NONE);
    struct gpu_agent *a = gpus_add_row(b, GPUS_AGENTS, "of GPUs only");
    a->kind = "GPU";
    a->name = "gfx942";
    a->product = "AMD Instinct MI300X OAM";
    a->isas = "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-";
    a->cus = value_ok(304, UNIT_NONE);
    a->node = value_ok(1, UNIT_NONE);
    b->g.runtime = "HSA 1.14, virtual memory";
}

static void source(struct gpus_build *b, const char *name, int state, const char *text,
                   const char *help)
{
    struct gpu_source *s = gpus_add_row(b, GPUS_SOURCES, "");
    *s = (struct gpu_source){.name = name, .state = state, .text = text, .help = help};
}

bool gpus_scene(struct snapshot *s, const char *name, int tick)
{
    struct gpus_build b = {0};
    bool mixed = strcmp(name, "gpus") == 0, emulated = strcmp(name, "emulated") == 0;
    bool none = strcmp(name, "gpuless") == 0;
    if (!mixed && !emulated && !none && strcmp(name, "gpu1") != 0)
        return false;
    gpus_clear(&b);
    if (!none) {
        server(&b, tick, 0);
        process(&b, 0, 4242, "train.py", "compute", 60 * GIB, -1, 288);
        others(&b);
    }
    if (mixed) {
        server(&b, tick, 1);
        nvidia(&b, tick);
        process(&b, 1, 4242, "train.py", "compute", 61 * GIB, -1, 290);
        process(&b, 2, 5100, "ollama_runner", "compute", 11 * GIB, 64, -1);
        process(&b, 2, 900, "Xorg", "graphics", 3e8, 2, -1);
    }
    if (emulated) {
        b.g.emulated = 1;
        b.g.gpu[0].name = "EMULATED gfx942";
    }
    source(&b, "amdgpu", none ? GPU_SOURCE_ABSENT : GPU_SOURCE_OK,
           none ? "no card of amdgpu in /sys/class/drm" : "2 cards, KFD",
           none ? "load the driver: sudo modprobe amdgpu" : "");
    source(&b, "nvidia", mixed ? GPU_SOURCE_OK : GPU_SOURCE_ABSENT,
           mixed ? "NVML, 1 GPU" : "libnvidia-ml.so.1: cannot open shared object file",
           mixed ? "" : "it comes with NVIDIA's driver");
    gpus_merge(s, &b.g);
    gpus_free(&b);
    return true;
}
