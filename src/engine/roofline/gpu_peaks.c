#include "engine/roofline/gpu_peaks.h"

#include <stdio.h>
#include <string.h>

#include "engine/roofline/gpu_arch.h"
#include "engine/roofline/gpu_peaks_table.h"

enum { CEILINGS_MAX = 64 };

static bool is_nvidia_arch(const char *arch)
{
    return strncmp(arch, "sm_", 3) == 0;
}

/* The vendor's names: "VALU f32", "tensor f16"; "HBM", "shared". Returns out. */
static const char *gpu_unit_label(const char *arch, enum work_unit u, enum work_type t,
                                  char out[24])
{
    const char *unit = u == UNIT_VALU ? "CUDA" : "tensor";
    if (!is_nvidia_arch(arch))
        unit = work_unit_name(u);
    const char *type = is_nvidia_arch(arch) && t == WORK_XF32 ? "tf32" : work_type_name(t);
    snprintf(out, 24, "%s %s", unit, type);
    return out;
}

static const char *gpu_level_label(const char *arch, enum work_level l)
{
    if (l == LEVEL_LDS && is_nvidia_arch(arch))
        return "shared";
    if (l == LEVEL_HBM && gpu_is_arch("gfx10* gfx11* gfx12* sm_75 sm_86 sm_89 sm_120", arch))
        return "DRAM";
    return work_level_name(l);
}

static const struct gpu_model *model_of(const char *arch, const char *model)
{
    for (const struct gpu_model *m = gpu_models; m->name; m++)
        if (strstr(model, m->name) && gpu_is_arch(m->archs, arch))
            return m;
    return NULL;
}

void gpu_peaks_sum(struct roof *r)
{
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        if (!c->memory && c->peak > r->flops)
            r->flops = c->peak;
        if (c->memory && c->level == LEVEL_HBM && c->peak > r->bytes)
            r->bytes = c->peak;
    }
}

static void add_unit_ceilings(struct ceiling *list, uint32_t *n, struct arena *memory,
                              const char *arch, double cycles)
{
    char label[24];
    for (const struct unit_rate *u = unit_rates; u->archs; u++) {
        if (!gpu_is_arch(u->archs, arch) || *n >= CEILINGS_MAX || !(cycles > 0))
            continue;
        gpu_unit_label(arch, u->unit, u->type, label);
        list[(*n)++] = (struct ceiling){
            .name = arena_printf(memory, "%s%s", label, u->extra ? " unpacked" : ""),
            .peak = cycles * u->ops,
            .unit = u->unit,
            .type = u->type,
            .extra = u->extra,
        };
    }
}

static void add_levels(struct ceiling *list, uint32_t *n, const char *arch,
                       const struct gpu_model *model, double units, double hertz)
{
    for (int l = 0; l < WORK_LEVELS && *n < CEILINGS_MAX; l++) {
        double peak = l == LEVEL_HBM && model ? model->memory : 0, pieces = units;
        if (l == LEVEL_L2)
            pieces = model ? model->channels : 0;
        for (const struct level_rate *r = level_rates; r->archs; r++)
            if (r->level == l && gpu_is_arch(r->archs, arch))
                peak = r->bytes * hertz * pieces;
        if (peak > 0)
            list[(*n)++] = (struct ceiling){.name = gpu_level_label(arch, (enum work_level)l),
                                            .peak = peak,
                                            .memory = true,
                                            .level = (uint8_t)l};
    }
}

bool gpu_peaks(struct roof *out, struct arena *memory, const char *arch, const char *model,
               uint32_t units, uint32_t clock_mhz)
{
    const struct gpu_model *m = model_of(arch, model);
    bool told = units != TRACE_UNKNOWN && clock_mhz != TRACE_UNKNOWN;
    double n = m ? m->units : 0;
    double mhz = m ? m->clock_mhz : 0;
    if (units != TRACE_UNKNOWN)
        n = units;
    if (clock_mhz != TRACE_UNKNOWN)
        mhz = clock_mhz;
    struct ceiling *list = arena_alloc(memory, CEILINGS_MAX * sizeof *list);
    uint32_t count = 0;
    add_unit_ceilings(list, &count, memory, arch, n * mhz * 1e6);
    add_levels(list, &count, arch, m, n, mhz * 1e6);
    if (count == 0)
        return false;
    *out = (struct roof){.name = arena_printf(memory, "%s", m ? m->name : arch),
                         .ceilings = list,
                         .nceilings = count};
    out->how = "theoretical";
    if (n > 0)
        out->how = arena_printf(memory, "theoretical: %.0f units at %.0f MHz%s", n, mhz,
                                told ? "" : ", as published");
    gpu_peaks_sum(out);
    return true;
}
