#include "backends/amdgpu/amdgpu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory has three names: drm-memory-vram (5.14), drm-resident-vram, drm-total-vram (6.x). */
static const struct {
    const char *key;
    size_t offset;
    /* 0: a plain number; 1: with a unit (KiB, MiB, or none); 2: a plain number to add */
    unsigned unit;
    size_t has;
} keys[] = {
    {"drm-client-id", offsetof(struct fdinfo, client), 0, 0},
    {"drm-memory-vram", offsetof(struct fdinfo, vram), 1, offsetof(struct fdinfo, has_vram)},
    {"drm-resident-vram", offsetof(struct fdinfo, vram), 1, offsetof(struct fdinfo, has_vram)},
    {"drm-memory-gtt", offsetof(struct fdinfo, gtt), 1, offsetof(struct fdinfo, has_gtt)},
    {"drm-resident-gtt", offsetof(struct fdinfo, gtt), 1, offsetof(struct fdinfo, has_gtt)},
    {"drm-engine-gfx", offsetof(struct fdinfo, gfx), 0, offsetof(struct fdinfo, has_engine)},
    {"drm-engine-compute", offsetof(struct fdinfo, compute), 0,
     offsetof(struct fdinfo, has_engine)},
    {"drm-engine-dma", offsetof(struct fdinfo, copy), 0, offsetof(struct fdinfo, has_engine)},
    {"drm-engine-dec", offsetof(struct fdinfo, video), 2, offsetof(struct fdinfo, has_engine)},
    {"drm-engine-enc", offsetof(struct fdinfo, video), 2, offsetof(struct fdinfo, has_engine)},
    {"drm-engine-enc_1", offsetof(struct fdinfo, video), 2, offsetof(struct fdinfo, has_engine)},
    {"drm-engine-jpeg", offsetof(struct fdinfo, video), 2, offsetof(struct fdinfo, has_engine)},
};

/* Parses "1234 KiB", "17 ns", "5"; false if it is no number or does not fit. */
static bool parse_fdinfo_number(const char *p, bool bytes, uint64_t *out)
{
    char *end;
    if (*p < '0' || *p > '9')
        return false;
    uint64_t v = strtoull(p, &end, 10), unit = 1;
    end += strspn(end, " ");
    if (bytes && strncmp(end, "KiB", 3) == 0)
        unit = 1024;
    else if (bytes && strncmp(end, "MiB", 3) == 0)
        unit = 1024 * 1024;
    if (v > (UINT64_C(1) << 62) / unit)
        return false;
    *out = v * unit;
    return true;
}

static void read_fdinfo_line(struct fdinfo *f, const char *line)
{
    const char *colon = strchr(line, ':');
    if (!colon)
        return;
    size_t len = (size_t)(colon - line);
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    if (len == 10 && memcmp(line, "drm-driver", len) == 0)
        snprintf(f->driver, sizeof f->driver, "%s", value);
    if (len == 8 && memcmp(line, "drm-pdev", len) == 0)
        snprintf(f->pci, sizeof f->pci, "%s", value);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint64_t v;
        if (strlen(keys[i].key) != len || memcmp(line, keys[i].key, len) != 0 ||
            !parse_fdinfo_number(value, keys[i].unit == 1, &v))
            continue;
        uint64_t *to = (uint64_t *)(void *)((char *)f + keys[i].offset);
        *to = keys[i].unit == 2 ? *to + v : v;
        if (keys[i].has)
            *(bool *)((char *)f + keys[i].has) = true;
    }
}

bool fdinfo_parse(struct fdinfo *out, const char *text, size_t n)
{
    char line[256];
    *out = (struct fdinfo){0};
    for (size_t at = 0; at < n;) {
        size_t len = 0;
        while (at + len < n && text[at + len] != '\n' && text[at + len] != '\0')
            len++;
        snprintf(line, sizeof line, "%.*s", (int)(len < 255 ? len : 255), text + at);
        read_fdinfo_line(out, line);
        at += len + 1;
    }
    return out->driver[0] && out->pci[0];
}
