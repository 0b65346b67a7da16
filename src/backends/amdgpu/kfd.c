#include "backends/amdgpu/amdgpu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "base/env.h"

#define NODES "/sys/class/kfd/kfd/topology/nodes"

/* --- files of "key value" lines --- */

static const struct {
    const char *key;
    size_t offset;
} properties[] = {
    {"simd_count", offsetof(struct kfd_node, simds)},
    {"simd_per_cu", offsetof(struct kfd_node, simds_per_cu)},
    {"max_waves_per_simd", offsetof(struct kfd_node, waves_per_simd)},
    {"wave_front_size", offsetof(struct kfd_node, wave)},
    {"lds_size_in_kb", offsetof(struct kfd_node, lds_kib)},
    {"gfx_target_version", offsetof(struct kfd_node, gfx_version)},
    {"drm_render_minor", offsetof(struct kfd_node, render)},
    {"location_id", offsetof(struct kfd_node, location)},
    {"domain", offsetof(struct kfd_node, domain)},
    {"max_engine_clk_fcompute", offsetof(struct kfd_node, mhz)},
    {"num_xcc", offsetof(struct kfd_node, xccs)},
    {"local_mem_size", offsetof(struct kfd_node, local_mem)},
};

static uint64_t find_kfd_property(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (strncmp(p, key, len) == 0 && p[len] == ' ')
            return strtoull(p + len + 1, NULL, 10);
    return 0;
}

static void read_memory_bank(struct kfd_node *n, const char *folder, int i)
{
    char path[320], text[1024];
    snprintf(path, sizeof path, "%s/mem_banks/%d/properties", folder, i);
    if (file_read(path, text, sizeof text) <= 0 || n->nmemory == KFD_KINDS_MAX)
        return;
    n->memory[n->nmemory++] = (struct kfd_memory){.heap = (int)find_kfd_property(text, "heap_type"),
                                                  .size = find_kfd_property(text, "size_in_bytes"),
                                                  .width = find_kfd_property(text, "width"),
                                                  .mhz = find_kfd_property(text, "mem_clk_max")};
}

/* Counts equal caches together: a GPU has hundreds. */
static bool read_cache(struct kfd_node *n, const char *folder, int i)
{
    char path[320], text[4096];
    snprintf(path, sizeof path, "%s/caches/%d/properties", folder, i);
    if (file_read(path, text, sizeof text) <= 0)
        return false;
    struct kfd_cache c = {.level = (int)find_kfd_property(text, "level"),
                          .type = (unsigned)find_kfd_property(text, "type"),
                          .kib = find_kfd_property(text, "size"),
                          .line = find_kfd_property(text, "cache_line_size"),
                          .count = 1};
    for (int k = 0; k < n->ncache; k++)
        if (n->cache[k].level == c.level && n->cache[k].type == c.type &&
            n->cache[k].kib == c.kib) {
            n->cache[k].count++;
            return true;
        }
    if (n->ncache < KFD_KINDS_MAX)
        n->cache[n->ncache++] = c;
    return true;
}

static bool read_kfd_node(struct kfd_node *n, int number)
{
    enum { CACHES_MAX = 8192 };
    char folder[256], path[320], text[8192];
    snprintf(folder, sizeof folder, "%s/%d", NODES, number);
    snprintf(path, sizeof path, "%s/properties", folder);
    *n = (struct kfd_node){.node = number};
    if (file_read(path, text, sizeof text) <= 0)
        return false;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        *(uint64_t *)(void *)((char *)n + properties[i].offset) =
            find_kfd_property(text, properties[i].key);
    snprintf(path, sizeof path, "%s/name", folder);
    file_line(path, n->name, sizeof n->name);
    snprintf(path, sizeof path, "%s/gpu_id", folder);
    if (file_line(path, text, sizeof text) > 0)
        n->gpu_id = strtoull(text, NULL, 10);
    if (n->gpu_id == 0)
        return true;
    for (int i = 0; i < KFD_KINDS_MAX; i++)
        read_memory_bank(n, folder, i);
    for (int i = 0; i < CACHES_MAX && read_cache(n, folder, i); i++)
        continue;
    return true;
}

void kfd_read(struct kfd *k)
{
    long now = file_number("/sys/class/kfd/kfd/topology/generation_id", -2);
    k->present = file_exists(NODES);
    if (k->nodes && now == k->generation && k->present)
        return;
    if (!k->nodes)
        k->nodes = xcalloc(KFD_NODES_MAX, sizeof *k->nodes);
    k->generation = now;
    k->n = 0;
    /* a container may see only some of the nodes */
    for (int i = 0; k->present && i < KFD_NODES_MAX; i++)
        if (read_kfd_node(&k->nodes[k->n], i))
            k->n++;
}

void kfd_free(struct kfd *k)
{
    free(k->nodes);
    *k = (struct kfd){0};
}

/* Converts 90010 to "gfx90a". Returns out. */
static const char *kfd_isa(uint64_t version, char out[16])
{
    snprintf(out, 16, "gfx%u%x%x", (unsigned)(version / 10000 % 100),
             (unsigned)(version / 100 % 100), (unsigned)(version % 100));
    return version ? out : "";
}

const char *kfd_pci(const struct kfd_node *n, char out[16])
{
    snprintf(out, 16, "%04x:%02x:%02x.%x", (unsigned)(n->domain & 0xffff),
             (unsigned)(n->location >> 8 & 0xff), (unsigned)(n->location >> 3 & 0x1f),
             (unsigned)(n->location & 7));
    return out;
}

/* --- a GPU --- */

static struct value known_value(uint64_t v, double scale, enum unit unit)
{
    return v ? value_ok((double)v * scale, unit)
             : value_missing("the kernel's topology does not tell it", unit);
}

static const char *heap_name(int heap)
{
    static const char *const names[] = {"system", "VRAM, host-visible", "VRAM", "GDS", "LDS",
                                        "scratch"};
    return (unsigned)heap < sizeof names / sizeof *names ? names[heap] : "memory";
}

static const char *cache_contents(unsigned type)
{
    if (!(type & 2))
        return "data";
    return type & 1 ? "data and instructions" : "instructions";
}

static void describe_caches(const struct kfd_node *n, struct gpus_build *b, int gpu)
{
    for (int i = 0; i < n->ncache; i++) {
        const struct kfd_cache *c = &n->cache[i];
        struct gpu_pool *p = gpus_add_row(b, GPUS_POOLS, "not of a cache");
        if (!p)
            return;
        p->gpu = gpu;
        p->kind = "cache";
        p->name = gpus_text(b, "L%d", c->level);
        p->flags = cache_contents(c->type);
        p->source = "KFD";
        p->size = known_value(c->kib, 1024, UNIT_BYTES);
        p->count = value_ok((double)c->count, UNIT_NONE);
        p->granule = known_value(c->line, 1, UNIT_BYTES);
    }
}

void kfd_describe(const struct kfd_node *n, struct gpus_build *b, int gpu)
{
    struct gpu *g = &b->g.gpu[gpu];
    char isa[16];
    g->isa = gpus_text(b, "%s", kfd_isa(n->gfx_version, isa));
    g->kfd_id = n->gpu_id;
    g->cus = known_value(n->simds_per_cu ? n->simds / n->simds_per_cu : 0, 1, UNIT_NONE);
    g->simds = known_value(n->simds, 1, UNIT_NONE);
    g->wave = known_value(n->wave, 1, UNIT_NONE);
    g->waves = known_value(n->waves_per_simd, 1, UNIT_NONE);
    g->xccs = known_value(n->xccs, 1, UNIT_NONE);
    g->lds = known_value(n->lds_kib, 1024, UNIT_BYTES);
    g->max_hz = known_value(n->mhz, 1e6, UNIT_HZ);
    if (n->render)
        g->render = value_ok((double)n->render, UNIT_NONE);
    for (int i = 0; i < n->nmemory; i++) {
        const struct kfd_memory *m = &n->memory[i];
        struct gpu_pool *p = gpus_add_row(b, GPUS_POOLS, "not told for memory");
        if (!p)
            return;
        p->gpu = gpu;
        p->kind = "memory";
        p->name = heap_name(m->heap);
        p->source = "KFD";
        p->size = known_value(m->size, 1, UNIT_BYTES);
        p->count = value_ok(1, UNIT_NONE);
        p->width = known_value(m->width, 1, UNIT_NONE);
        p->hz = known_value(m->mhz, 1e6, UNIT_HZ);
        if (m->heap == 1 || m->heap == 2) {
            g->mem_width = p->width;
            g->max_mem_hz = p->hz;
        }
    }
    describe_caches(n, b, gpu);
}
