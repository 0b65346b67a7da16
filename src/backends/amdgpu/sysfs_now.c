/* Reads the changing numbers of one card, at every sample. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"
#include "backends/common/proc_file.h"
#include "base/arena.h"

/* Returns the first value if it is known, else the second. */
static struct value choose_known_value(struct value a, struct value b)
{
    return a.validity == VALUE_OK || b.validity != VALUE_OK ? a : b;
}

/* Finds the present level, such as "1: 2100Mhz *". */
static struct value dpm_now(const char *folder, const char *name)
{
    char path[256], text[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ssize_t n = file_read(path, text, sizeof text);
    if (n <= 0)
        return amd_reason((int)n, UNIT_HZ);
    char *star = strchr(text, '*');
    if (!star)
        return value_missing("no level is marked as the one in force", UNIT_HZ);
    *star = '\0';
    char *line = strrchr(text, '\n'), *colon = strchr(line ? line : text, ':'), *end;
    double mhz = colon ? strtod(colon + 1, &end) : 0;
    if (!colon || end == colon + 1 || strncasecmp(end, "mhz", 3) != 0)
        return value_missing("the level in force is not in MHz", UNIT_HZ);
    return value_ok(mhz * 1e6, UNIT_HZ);
}

/* The numbering of temperatures in hwmon varies; the label identifies them. */
static struct value read_temperature(const struct amd_card *c, const char *label)
{
    char path[256], line[32];
    for (int i = 1; c->hwmon[0] && i <= 8; i++) {
        snprintf(path, sizeof path, "%s/temp%d_label", c->hwmon, i);
        if (file_line(path, line, sizeof line) <= 0 || strcmp(line, label) != 0)
            continue;
        snprintf(line, sizeof line, "temp%d_input", i);
        return amd_number(c->hwmon, line, 1e-3, UNIT_CELSIUS);
    }
    return value_missing("this GPU has no such sensor", UNIT_CELSIUS);
}

const char amd_sleeps[] = "the GPU sleeps: reading would wake it";

bool amd_asleep(const struct amd_card *c)
{
    char path[128], line[32];
    snprintf(path, sizeof path, "%s/power/runtime_status", c->device);
    return file_line(path, line, sizeof line) > 0 && strcmp(line, "suspended") == 0;
}

static void read_errors(const struct amd_card *c, struct gpu_now *n)
{
    /* the blocks for which the kernel counts errors: amdgpu_ras.c, ras_block_string */
    static const char *const blocks[] = {"umc", "sdma",      "gfx", "mmhub", "athub", "pcie_bif",
                                         "hdp", "xgmi_wafl", "df",  "smn",   "sem",   "mp0",
                                         "mp1", "fuse",      "mca", "vcn",   "jpeg"};
    char path[160], text[256];
    double ce = 0, ue = 0;
    bool any = false;
    snprintf(path, sizeof path, "%s/ras", c->device);
    const size_t nblocks = file_exists(path) ? sizeof blocks / sizeof *blocks : 0;
    for (size_t i = 0; i < nblocks; i++) {
        snprintf(path, sizeof path, "%s/ras/%s_err_count", c->device, blocks[i]);
        if (file_read(path, text, sizeof text) <= 0)
            continue;
        const char *u = strstr(text, "ue:"), *k = strstr(text, "ce:");
        any |= u && k;
        ue += u ? strtod(u + 3, NULL) : 0;
        ce += k ? strtod(k + 3, NULL) : 0;
    }
    struct value none = value_missing("this GPU counts no errors (RAS)", UNIT_COUNT);
    n->ecc_corrected = any ? value_ok(ce, UNIT_COUNT) : none;
    n->ecc_uncorrected = any ? value_ok(ue, UNIT_COUNT) : none;
}

static void read_gpu_files(const struct amd_card *c, struct gpu_now *n)
{
    const char *d = c->device;
    n->gfx_busy = amd_number(d, "gpu_busy_percent", 1, UNIT_PERCENT);
    n->mem_busy = amd_number(d, "mem_busy_percent", 1, UNIT_PERCENT);
    n->media_busy = amd_number(d, "vcn_busy_percent", 1, UNIT_PERCENT);
    n->mem_used = amd_number(d, "mem_info_vram_used", 1, UNIT_BYTES);
    n->visible_used = amd_number(d, "mem_info_vis_vram_used", 1, UNIT_BYTES);
    n->gtt_used = amd_number(d, "mem_info_gtt_used", 1, UNIT_BYTES);
    n->gfx_hz =
        choose_known_value(amd_sensor(c, "freq1_input", 1, UNIT_HZ), dpm_now(d, "pp_dpm_sclk"));
    n->mem_hz =
        choose_known_value(amd_sensor(c, "freq2_input", 1, UNIT_HZ), dpm_now(d, "pp_dpm_mclk"));
    n->soc_hz = dpm_now(d, "pp_dpm_socclk");
    n->fabric_hz = dpm_now(d, "pp_dpm_fclk");
    n->video_hz = value_missing("not in this version of gpu_metrics", UNIT_HZ);
    n->power = choose_known_value(amd_sensor(c, "power1_average", 1e-6, UNIT_WATT),
                                  amd_sensor(c, "power1_input", 1e-6, UNIT_WATT));
    n->power_cap = amd_sensor(c, "power1_cap", 1e-6, UNIT_WATT);
    n->temp_edge = read_temperature(c, "edge");
    n->temp_junction = read_temperature(c, "junction");
    n->temp_mem = read_temperature(c, "mem");
    n->fan_rpm = amd_sensor(c, "fan1_input", 1, UNIT_NONE);
    n->fan_percent = amd_sensor(c, "pwm1", 100.0 / 255, UNIT_PERCENT);
    n->pcie_width = amd_number(d, "current_link_width", 1, UNIT_NONE);
    n->pcie_speed = amd_number(d, "current_link_speed", 1e9, UNIT_NONE);
    n->pcie_replays = amd_number(d, "pcie_replay_count", 1, UNIT_COUNT);
    n->pcie_rx = n->pcie_tx = value_missing(
        "amdgpu counts it for a second at each question (pcie_bw): not asked", UNIT_BYTES_PER_S);
    n->pcie_total = value_missing("gpu_metrics 1.6 and later only", UNIT_BYTES_PER_S);
    n->dram_read = n->dram_write = value_missing("gpu_metrics 3.0 (APUs) only", UNIT_BYTES_PER_S);
    n->link_read = n->link_write = value_missing("no XGMI link", UNIT_BYTES_PER_S);
    n->energy = value_missing("gpu_metrics 1.4 and later only", UNIT_JOULE);
    read_errors(c, n);
}

/* Fills a value from gpu_metrics unless a file has given it already: the unit of the file is
 * documented. */
static void fill_from_metrics(struct value *v, const struct metrics *m, enum metrics_field f,
                              enum unit unit)
{
    if (v->validity != VALUE_OK && m->has[f])
        *v = value_ok(m->v[f], unit);
}

static void tell_throttling(struct gpus_build *b, struct gpu_now *n, const struct metrics *m,
                            const struct metrics *before)
{
    static const struct {
        enum metrics_field acc;
        const char *text;
    } residencies[] = {{METRICS_ACC_POWER, "power"},
                       {METRICS_ACC_SOCKET_TEMP, "temperature"},
                       {METRICS_ACC_VR_TEMP, "regulator temperature"},
                       {METRICS_ACC_HBM_TEMP, "HBM temperature"},
                       {METRICS_ACC_PROCHOT, "prochot"}};
    char text[256] = "";
    size_t used = 0;
    double most = -1;
    for (size_t i = 0; before && i < sizeof residencies / sizeof *residencies; i++) {
        double share = metrics_residency(m, before, residencies[i].acc);
        most = share > most ? share : most;
        if (share > 0 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.0f %%",
                                     used ? ", " : "", residencies[i].text, share);
    }
    if (most >= 0) {
        n->throttled = value_ok(most, UNIT_PERCENT);
    } else if (m->has[METRICS_THROTTLE_COMMON]) {
        uint64_t bits = m->raw[METRICS_THROTTLE_COMMON];
        n->throttled = value_ok(bits ? 100 : 0, UNIT_PERCENT);
        metrics_throttle_text(bits, text, sizeof text);
    } else if (m->has[METRICS_THROTTLE]) {
        uint64_t bits = m->raw[METRICS_THROTTLE];
        n->throttled = value_ok(bits ? 100 : 0, UNIT_PERCENT);
        if (bits)
            snprintf(text, sizeof text, "status 0x%llx of this chip", (unsigned long long)bits);
    } else if (m->has[METRICS_ACC_COUNT]) {
        n->throttled = value_pending(UNIT_PERCENT);
    }
    n->throttle_why = gpus_text(b, "%s", text);
}

/* Computes bytes per second from two samples of a growing counter. */
static void rate_between(struct value *v, const struct metrics *m, const struct metrics *before,
                         enum metrics_field f, double seconds)
{
    if (!m->has[f])
        return;
    *v = value_pending(UNIT_BYTES_PER_S);
    if (before && before->has[f] && seconds > 0 && m->raw[f] >= before->raw[f])
        *v = value_ok((m->v[f] - before->v[f]) / seconds, UNIT_BYTES_PER_S);
}

static void use_metrics(struct gpus_build *b, struct gpu_now *n, const struct metrics *m,
                        const struct metrics *before, double seconds)
{
    fill_from_metrics(&n->gfx_busy, m, METRICS_GFX_BUSY, UNIT_PERCENT);
    fill_from_metrics(&n->mem_busy, m, METRICS_MEM_BUSY, UNIT_PERCENT);
    fill_from_metrics(&n->media_busy, m, METRICS_MEDIA_BUSY, UNIT_PERCENT);
    fill_from_metrics(&n->power, m, METRICS_POWER, UNIT_WATT);
    fill_from_metrics(&n->energy, m, METRICS_ENERGY, UNIT_JOULE);
    fill_from_metrics(&n->temp_edge, m, METRICS_TEMP_EDGE, UNIT_CELSIUS);
    fill_from_metrics(&n->temp_junction, m, METRICS_TEMP_HOTSPOT, UNIT_CELSIUS);
    fill_from_metrics(&n->temp_mem, m, METRICS_TEMP_MEM, UNIT_CELSIUS);
    fill_from_metrics(&n->temp_mem, m, METRICS_TEMP_HBM, UNIT_CELSIUS);
    fill_from_metrics(&n->temp_soc, m, METRICS_TEMP_SOC, UNIT_CELSIUS);
    fill_from_metrics(&n->gfx_hz, m, METRICS_GFX_HZ, UNIT_HZ);
    fill_from_metrics(&n->mem_hz, m, METRICS_MEM_HZ, UNIT_HZ);
    fill_from_metrics(&n->soc_hz, m, METRICS_SOC_HZ, UNIT_HZ);
    fill_from_metrics(&n->fabric_hz, m, METRICS_FABRIC_HZ, UNIT_HZ);
    fill_from_metrics(&n->video_hz, m, METRICS_VIDEO_HZ, UNIT_HZ);
    fill_from_metrics(&n->fan_rpm, m, METRICS_FAN_RPM, UNIT_NONE);
    fill_from_metrics(&n->pcie_width, m, METRICS_PCIE_WIDTH, UNIT_NONE);
    fill_from_metrics(&n->pcie_speed, m, METRICS_PCIE_SPEED, UNIT_NONE);
    fill_from_metrics(&n->pcie_total, m, METRICS_PCIE_BANDWIDTH, UNIT_BYTES_PER_S);
    fill_from_metrics(&n->pcie_replays, m, METRICS_PCIE_REPLAYS, UNIT_COUNT);
    fill_from_metrics(&n->dram_read, m, METRICS_DRAM_READ, UNIT_BYTES_PER_S);
    fill_from_metrics(&n->dram_write, m, METRICS_DRAM_WRITE, UNIT_BYTES_PER_S);
    rate_between(&n->link_read, m, before, METRICS_LINK_READ, seconds);
    rate_between(&n->link_write, m, before, METRICS_LINK_WRITE, seconds);
    tell_throttling(b, n, m, before);
}

/* Reads gpu_metrics; false, with the reason in n->throttled, if there is none. */
static bool read_gpu_metrics(const struct amd_card *c, struct gpus_build *b, struct gpu_now *n,
                             struct metrics *m, struct amd_before *before)
{
    enum { ROOM = METRICS_BYTES_MAX + 2 };
    struct error err = ERROR_INIT;
    char path[128], *data = xrealloc(NULL, 1, ROOM);
    snprintf(path, sizeof path, "%s/gpu_metrics", c->device);
    ssize_t got = file_read(path, data, ROOM);
    n->throttled = amd_reason(got <= 0 ? (int)got : 0, UNIT_PERCENT);
    bool parsed = got > 0 && metrics_parse(m, data, (size_t)got, path, &err) == 0;
    free(data);
    if (got > 0 && !parsed) {
        before->valid = false;
        n->throttled = value_missing(gpus_text(b, "%s", err.why), UNIT_PERCENT);
    }
    return parsed;
}

static void read_metrics(const struct amd_card *c, struct gpus_build *b, struct gpu_now *n,
                         struct amd_before *before, uint64_t now_ns)
{
    struct metrics m;
    if (!read_gpu_metrics(c, b, n, &m, before))
        return;
    double seconds = before->valid ? (double)(now_ns - before->time_ns) / 1e9 : 0;
    use_metrics(b, n, &m, before->valid ? &before->metrics : NULL, seconds);
    before->metrics = m;
    before->time_ns = now_ns;
    before->valid = true;
}

void amd_now(const struct amd_card *c, struct gpus_build *b, int gpu, struct amd_before *before,
             uint64_t now_ns)
{
    struct gpu_now *n = &b->g.now[gpu];
    if (amd_asleep(c)) {
        gpus_missing(GPUS_NOW, n, amd_sleeps);
        before->valid = false;
        return;
    }
    read_gpu_files(c, n);
    read_metrics(c, b, n, before, now_ns);
}
