#include "backends/amdgpu/amdgpu_impl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"

#define DRM "/sys/class/drm"

/* --- finding the cards --- */

/* Copies the text after "KEY=" in a uevent file. */
static bool read_uevent_key(const char *text, const char *key, char *out, size_t size)
{
    size_t len = strlen(key);
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (strncmp(p, key, len) == 0 && p[len] == '=') {
            size_t n = strcspn(p + len + 1, "\n");
            snprintf(out, size, "%.*s", (int)n, p + len + 1);
            return true;
        }
    return false;
}

static void find_hwmon(struct amd_card *c)
{
    char full[512], folder[96], path[256], name[32];
    snprintf(folder, sizeof folder, "%s/hwmon", c->device);
    DIR *d = opendir(env_path(full, sizeof full, "%s", folder));
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, "hwmon", 5) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%.32s/name", folder, e->d_name);
        if (file_line(path, name, sizeof name) > 0 && strcmp(name, "amdgpu") == 0)
            snprintf(c->hwmon, sizeof c->hwmon, "%s/%.32s", folder, e->d_name);
    }
    if (d)
        closedir(d);
}

static bool read_card(struct amd_card *c, int number)
{
    char path[128], text[4096], id[32] = "", driver[32] = "";
    *c = (struct amd_card){.number = number};
    snprintf(c->device, sizeof c->device, DRM "/card%d/device", number);
    snprintf(path, sizeof path, "%s/uevent", c->device);
    if (file_read(path, text, sizeof text) <= 0 ||
        !read_uevent_key(text, "DRIVER", driver, sizeof driver) || strcmp(driver, "amdgpu") != 0)
        return false;
    read_uevent_key(text, "PCI_SLOT_NAME", c->pci, sizeof c->pci);
    if (read_uevent_key(text, "PCI_ID", id, sizeof id) && strncmp(id, "1002:", 5) == 0)
        c->did = (unsigned)strtoul(id + 5, NULL, 16);
    snprintf(path, sizeof path, "%s/revision", c->device);
    if (file_line(path, text, sizeof text) > 0)
        c->rev = (unsigned)strtoul(text, NULL, 16);
    find_hwmon(c);
    return true;
}

static int compare_amd_cards(const void *a, const void *b)
{
    const struct amd_card *p = a, *q = b;
    return p->number < q->number ? -1 : p->number > q->number;
}

int amd_cards(struct amd_card *out)
{
    char full[512];
    int n = 0;
    DIR *d = opendir(env_path(full, sizeof full, DRM));
    for (struct dirent *e; d && n < AMD_CARDS_MAX && (e = readdir(d));) {
        const char *digits = e->d_name + 4;
        if (strncmp(e->d_name, "card", 4) != 0 || !*digits ||
            digits[strspn(digits, "0123456789")] != '\0' || strlen(digits) > 4)
            continue; /* card0-DP-1 is a connector */
        n += read_card(&out[n], (int)strtol(digits, NULL, 10));
    }
    if (d)
        closedir(d);
    if (n)
        qsort(out, (size_t)n, sizeof *out, compare_amd_cards);
    return n;
}

/* --- numbers in files --- */

struct value amd_reason(int rc, enum unit unit)
{
    switch (rc) {
    case -ENOENT:
        return value_missing("this GPU's driver has no such file", unit);
    case -EACCES:
        return value_missing("the file may not be read", unit);
    case -EPERM:
        return value_missing("not permitted for this GPU", unit);
    case -EBUSY:
        return value_missing("the GPU is busy with a reset", unit);
    default:
        return value_missing("this GPU does not measure it", unit);
    }
}

struct value amd_number(const char *folder, const char *name, double scale, enum unit unit)
{
    char path[256], line[64], *end;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int n = file_line(path, line, sizeof line);
    if (n <= 0)
        return amd_reason(n, unit);
    double v = strtod(line, &end);
    return end == line ? value_missing("not a number", unit) : value_ok(v * scale, unit);
}

struct value amd_sensor(const struct amd_card *c, const char *name, double scale, enum unit unit)
{
    return c->hwmon[0] ? amd_number(c->hwmon, name, scale, unit)
                       : value_missing("the driver registered no sensors (hwmon)", unit);
}

/* --- fixed properties --- */

/* Finds the name in libdrm's table, such as "744A, C8, AMD Radeon RX 7900 XTX". */
static const char *marketing_name(const struct amd_card *c, struct amd_before *before)
{
    enum { TABLE_BYTES_MAX = 256 * 1024 };
    char line[128];
    if (before->named)
        return before->name;
    before->named = true;
    char *text = xrealloc(NULL, 1, TABLE_BYTES_MAX);
    if (file_read("/usr/share/libdrm/amdgpu.ids", text, TABLE_BYTES_MAX) <= 0)
        text[0] = '\0';
    for (char *rest = text, *l; (l = strsep(&rest, "\n"));) {
        unsigned did, rev;
        if (sscanf(l, "%x, %x, %127[^\n]", &did, &rev, line) == 3 && did == c->did &&
            rev == c->rev) {
            snprintf(before->name, sizeof before->name, "%s", line + strspn(line, " \t"));
            break;
        }
    }
    free(text);
    return before->name;
}

static const char *file_text(struct gpus_build *b, const char *folder, const char *name)
{
    char path[256], line[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return file_line(path, line, sizeof line) > 0 ? gpus_text(b, "%s", line) : "";
}

static const char *amd_mode_text(struct gpus_build *b, const struct amd_card *c)
{
    const char *compute = file_text(b, c->device, "current_compute_partition");
    const char *memory = file_text(b, c->device, "current_memory_partition");
    const char *level = file_text(b, c->device, "power_dpm_force_performance_level");
    return gpus_text(b, "%s%s%s%s%s", compute, compute[0] && memory[0] ? "/" : "", memory,
                     (compute[0] || memory[0]) && level[0] ? ", " : "", level);
}

/* Reads settings of the driver and sensors, which would wake a sleeping GPU. */
static void describe_awake(const struct amd_card *c, struct gpus_build *b, struct gpu *g)
{
    g->mode = amd_mode_text(b, c);
    g->power_max = amd_sensor(c, "power1_cap_max", 1e-6, UNIT_WATT);
    g->power_min = amd_sensor(c, "power1_cap_min", 1e-6, UNIT_WATT);
    g->temp_limit = amd_sensor(c, "temp2_crit", 1e-3, UNIT_CELSIUS);
}

void amd_describe(const struct amd_card *c, struct gpus_build *b, int gpu,
                  struct amd_before *before)
{
    struct gpu *g = &b->g.gpu[gpu];
    char line[128];
    g->vendor = "AMD";
    g->backend = "amdgpu";
    g->pci = gpus_text(b, "%s", c->pci);
    g->name = file_text(b, c->device, "product_name");
    if (!g->name[0])
        g->name = gpus_text(b, "%s", marketing_name(c, before));
    if (!g->name[0])
        g->name = gpus_text(b, "AMD GPU 1002:%04x", c->did);
    g->uuid = file_text(b, c->device, "unique_id");
    bool module = file_line("/sys/module/amdgpu/version", line, sizeof line) > 0;
    if (!module && file_line("/proc/sys/kernel/osrelease", line, sizeof line) <= 0)
        line[0] = '\0';
    const char *of_kernel = line[0] ? " of Linux " : "";
    g->driver = gpus_text(b, "amdgpu%s%s", module ? " " : of_kernel, line);
    g->mem_total = amd_number(c->device, "mem_info_vram_total", 1, UNIT_BYTES);
    g->visible_total = amd_number(c->device, "mem_info_vis_vram_total", 1, UNIT_BYTES);
    g->gtt_total = amd_number(c->device, "mem_info_gtt_total", 1, UNIT_BYTES);
    g->numa = amd_number(c->device, "numa_node", 1, UNIT_NONE);
    if (g->numa.validity == VALUE_OK && g->numa.v < 0)
        g->numa = value_missing("the firmware assigns it to no node", UNIT_NONE);
    if (amd_asleep(c)) {
        g->power_max = g->power_min = value_missing(amd_sleeps, UNIT_WATT);
        g->temp_limit = value_missing(amd_sleeps, UNIT_CELSIUS);
    } else {
        describe_awake(c, b, g);
    }
    g->pcie_max_width = amd_number(c->device, "max_link_width", 1, UNIT_NONE);
    g->pcie_max_speed = amd_number(c->device, "max_link_speed", 1e9, UNIT_NONE);
}
