#include "backends/nvidia/nvidia_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "backends/gpu/worker.h"

struct nvidia {
    struct nvml nvml;
    bool open;
    struct error failure;
    /* for each device: time of the last samples of processes */
    unsigned long long last_us[GPUS_MAX];
};

struct nvidia *nvidia_new(void)
{
    return xcalloc(1, sizeof(struct nvidia));
}

void nvidia_free(struct nvidia *n)
{
    if (n && n->open && n->nvml.shutdown)
        n->nvml.shutdown();
    free(n);
}

struct value nvidia_value(const struct nvml *n, int rc, double v, double scale, enum unit unit)
{
    if (rc == NVML_OK)
        return value_ok(v * scale, unit);
    return value_missing(rc < 0 ? NVIDIA_NO_CALL : nvml_reason(n, rc), unit);
}

/* Reads one unsigned number through its getter. rc and got are the caller's variables. The call is
 * evaluated first. */
#define GET(n, member, scale, unit, ...)                                                           \
    (rc = NVIDIA_CALL((n), member, __VA_ARGS__, &got), nvidia_value((n), rc, got, scale, unit))

/* --- fixed properties --- */

/* Converts "00000000:C1:00.0" to the kernel's "0000:c1:00.0". */
static const char *kernel_pci(struct gpus_build *b, const struct nvml_pci *p)
{
    return gpus_text(b, "%04x:%02x:%02x.0", p->domain & 0xffff, p->bus & 0xff, p->device & 0x1f);
}

/* Transfers per second and lane, by generation: PCI Express base specifications 1.0 to 6.0. */
static struct value pcie_generation_speed(const struct nvml *n, int rc, unsigned g)
{
    static const double speed[] = {0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9};
    if (rc == NVML_OK && (g < 1 || g >= sizeof speed / sizeof *speed))
        return value_missing("a generation that is not known here", UNIT_NONE);
    return nvidia_value(n, rc, rc == NVML_OK ? speed[g] : 0, 1, UNIT_NONE);
}

static void describe_text(const struct nvml *n, nvml_device d, struct gpus_build *b, struct gpu *g)
{
    char text[128] = "";
    int major = 0, minor = 0;
    unsigned mig = 0, pending = 0;
    struct nvml_pci pci = {0};
    g->vendor = "NVIDIA";
    g->backend = "nvidia";
    if (NVIDIA_CALL(n, name, d, text, sizeof text) == NVML_OK)
        g->name = gpus_text(b, "%.120s", text);
    if (NVIDIA_CALL(n, uuid, d, text, sizeof text) == NVML_OK)
        g->uuid = gpus_text(b, "%.120s", text);
    if (NVIDIA_CALL(n, driver_version, text, sizeof text) == NVML_OK)
        g->driver = gpus_text(b, "nvidia %.120s", text);
    if (NVIDIA_CALL(n, capability, d, &major, &minor) == NVML_OK)
        g->isa = gpus_text(b, "sm_%d%d", major, minor);
    if (NVIDIA_CALL(n, pci, d, &pci) == NVML_OK) {
        g->pci = kernel_pci(b, &pci);
        g->id = gpus_text(b, "pci:%s", g->pci);
    }
    if (NVIDIA_CALL(n, mig_mode, d, &mig, &pending) == NVML_OK && mig)
        g->mode = "MIG";
}

static void describe_nvidia_device(const struct nvml *n, nvml_device d, struct gpus_build *b,
                                   int gpu)
{
    struct gpu *g = &b->g.gpu[gpu];
    char path[128];
    unsigned got = 0, most = 0;
    int rc;
    describe_text(n, d, b, g);
    g->max_hz = GET(n, max_clock, 1e6, UNIT_HZ, d, NVML_CLOCK_SM);
    g->max_mem_hz = GET(n, max_clock, 1e6, UNIT_HZ, d, NVML_CLOCK_MEM);
    g->mem_width = GET(n, bus_width, 1, UNIT_NONE, d);
    g->temp_limit = GET(n, threshold, 1, UNIT_CELSIUS, d, 1); /* slowdown */
    g->pcie_max_width = GET(n, max_width, 1, UNIT_NONE, d);
    rc = NVIDIA_CALL(n, max_generation, d, &got);
    g->pcie_max_speed = pcie_generation_speed(n, rc, got);
    rc = NVIDIA_CALL(n, limits, d, &got, &most);
    g->power_min = nvidia_value(n, rc, got, 1e-3, UNIT_WATT);
    g->power_max = nvidia_value(n, rc, most, 1e-3, UNIT_WATT);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", g->pci);
    long node = g->pci[0] ? file_number(path, -1) : -1;
    if (node >= 0)
        g->numa = value_ok((double)node, UNIT_NONE);
}

/* --- changing values --- */

static void read_nvidia_memory(const struct nvml *n, nvml_device d, struct gpu *g,
                               struct gpu_now *now)
{
    struct nvml_memory_v2 v2 = {.version = sizeof v2 | 2u << 24};
    struct nvml_memory v1 = {0};
    int rc = NVIDIA_CALL(n, memory_v2, d, &v2);
    if (rc != NVML_OK) { /* this call counts the driver's own memory as used */
        rc = NVIDIA_CALL(n, memory, d, &v1);
        v2.total = v1.total;
        v2.used = v1.used;
    }
    g->mem_total = nvidia_value(n, rc, (double)v2.total, 1, UNIT_BYTES);
    now->mem_used = nvidia_value(n, rc, (double)v2.used, 1, UNIT_BYTES);
}

/* nvmlClocksThrottleReason… : bits that slow the GPU down against the user's will. 1 (idle), 2 and
 * 0x100 (clocks as set) do not. */
static const struct {
    unsigned long long bit;
    const char *text;
} reasons[] = {
    {0x4, "power cap"},    {0x8, "hardware slowdown"},     {0x10, "sync boost"},
    {0x20, "temperature"}, {0x40, "hardware temperature"}, {0x80, "power brake"},
};

static void read_throttle(const struct nvml *n, nvml_device d, struct gpus_build *b,
                          struct gpu_now *now)
{
    unsigned long long bits = 0;
    char text[160] = "";
    size_t used = 0;
    int rc = NVIDIA_CALL(n, throttle, d, &bits);
    for (size_t i = 0; rc == NVML_OK && i < sizeof reasons / sizeof *reasons; i++)
        if ((bits & reasons[i].bit) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     reasons[i].text);
    now->throttled = nvidia_value(n, rc, used ? 100 : 0, 1, UNIT_PERCENT);
    now->throttle_why = gpus_text(b, "%s", text);
}

static struct value memory_temperature(const struct nvml *n, nvml_device d)
{
    struct nvml_field_value v = {.field = NVML_FIELD_MEMORY_TEMP};
    int rc = NVIDIA_CALL(n, fields, d, 1, &v);
    if (rc == NVML_OK)
        rc = v.rc;
    if (rc == NVML_OK && (v.type != NVML_VALUE_UINT || v.value.ui == 0))
        rc = NVML_NOT_SUPPORTED; /* the result of GPUs without the sensor */
    return nvidia_value(n, rc, v.value.ui, 1, UNIT_CELSIUS);
}

static void read_busy(const struct nvml *n, nvml_device d, const struct gpu *g, struct gpu_now *now)
{
    struct nvml_utilization u = {0};
    unsigned encoder = 0, decoder = 0, period = 0;
    int rc = NVIDIA_CALL(n, utilization, d, &u);
    now->gfx_busy = nvidia_value(n, rc, u.gpu, 1, UNIT_PERCENT);
    now->mem_busy = nvidia_value(n, rc, u.memory, 1, UNIT_PERCENT);
    if (rc == NVML_NOT_SUPPORTED && strcmp(g->mode, "MIG") == 0)
        now->gfx_busy = now->mem_busy =
            value_missing("NVML does not tell it for a GPU in MIG mode", UNIT_PERCENT);
    int e = NVIDIA_CALL(n, encoder, d, &encoder, &period);
    rc = NVIDIA_CALL(n, decoder, d, &decoder, &period);
    rc = rc == NVML_OK ? e : rc;
    now->media_busy = nvidia_value(n, rc, encoder > decoder ? encoder : decoder, 1, UNIT_PERCENT);
}

static void read_now(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu)
{
    struct gpu_now *now = &b->g.now[gpu];
    unsigned got = 0;
    unsigned long long wide = 0;
    int rc;
    read_busy(n, d, &b->g.gpu[gpu], now);
    read_nvidia_memory(n, d, &b->g.gpu[gpu], now);
    now->gfx_hz = GET(n, clock, 1e6, UNIT_HZ, d, NVML_CLOCK_SM);
    now->mem_hz = GET(n, clock, 1e6, UNIT_HZ, d, NVML_CLOCK_MEM);
    now->video_hz = GET(n, clock, 1e6, UNIT_HZ, d, NVML_CLOCK_VIDEO);
    now->power = GET(n, power, 1e-3, UNIT_WATT, d);
    now->power_cap = GET(n, power_limit, 1e-3, UNIT_WATT, d);
    rc = NVIDIA_CALL(n, energy, d, &wide);
    now->energy = nvidia_value(n, rc, (double)wide, 1e-3, UNIT_JOULE);
    now->temp_edge = GET(n, temperature, 1, UNIT_CELSIUS, d, 0);
    now->temp_mem = memory_temperature(n, d);
    now->fan_percent = GET(n, fan, 1, UNIT_PERCENT, d);
    rc = NVIDIA_CALL(n, ecc, d, 0, 0, &wide);
    now->ecc_corrected = nvidia_value(n, rc, (double)wide, 1, UNIT_COUNT);
    rc = NVIDIA_CALL(n, ecc, d, 1, 0, &wide);
    now->ecc_uncorrected = nvidia_value(n, rc, (double)wide, 1, UNIT_COUNT);
    now->pcie_rx = GET(n, pcie, 1000, UNIT_BYTES_PER_S, d, NVML_PCIE_RX);
    now->pcie_tx = GET(n, pcie, 1000, UNIT_BYTES_PER_S, d, NVML_PCIE_TX);
    now->pcie_replays = GET(n, replays, 1, UNIT_COUNT, d);
    now->pcie_width = GET(n, width, 1, UNIT_NONE, d);
    rc = NVIDIA_CALL(n, generation, d, &got);
    now->pcie_speed = pcie_generation_speed(n, rc, got);
    read_throttle(n, d, b, now);
}

static void gather_device(struct nvidia *n, struct gpus_build *b, unsigned index)
{
    nvml_device d = NULL;
    int gpu = gpus_add(b, "not told by NVML");
    if (gpu < 0)
        return;
    b->g.gpu[gpu].id = gpus_text(b, "nvidia:%u", index);
    int rc = n->nvml.handle(index, &d);
    if (rc != NVML_OK) { /* lost or not permitted, but the GPU exists */
        const char *why = nvml_reason(&n->nvml, rc);
        b->g.gpu[gpu].vendor = "NVIDIA";
        b->g.gpu[gpu].backend = "nvidia";
        b->g.gpu[gpu].name = gpus_text(b, "NVIDIA GPU %u", index);
        gpus_missing(GPUS_GPU, &b->g.gpu[gpu], why);
        gpus_missing(GPUS_NOW, &b->g.now[gpu], why);
        return;
    }
    describe_nvidia_device(&n->nvml, d, b, gpu);
    read_now(&n->nvml, d, b, gpu);
    nvidia_processes(&n->nvml, d, b, gpu, &n->last_us[index]);
}

unsigned nvidia_gather(struct nvidia *n, struct gpus_build *b, uint64_t now_ns)
{
    unsigned count = 0;
    (void)now_ns;
    if (!n->open) {
        n->failure = (struct error)ERROR_INIT;
        n->open = nvml_open(&n->nvml, &n->failure) == 0;
    }
    int rc = n->open ? n->nvml.count(&count) : -1;
    if (rc != NVML_OK) {
        gpu_source_tell(b, "nvidia", n->open ? GPU_SOURCE_BROKEN : GPU_SOURCE_ABSENT,
                        n->open ? nvml_reason(&n->nvml, rc) : gpus_text(b, "%s", n->failure.why),
                        n->open ? "does nvidia-smi work? see dmesg"
                                : gpus_text(b, "%s", n->failure.help));
        return NVIDIA_LOOK_AGAIN_S;
    }
    for (unsigned i = 0; i < count && i < GPUS_MAX; i++)
        gather_device(n, b, i);
    gpu_source_tell(b, "nvidia", count ? GPU_SOURCE_OK : GPU_SOURCE_ABSENT,
                    gpus_text(b, "NVML, %u GPU%s", count, count == 1 ? "" : "s"), NULL);
    return count ? 0 : NVIDIA_LOOK_AGAIN_S;
}
