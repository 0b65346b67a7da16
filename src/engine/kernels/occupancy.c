#include "engine/kernels/occupancy.h"

#include <math.h>
#include <stddef.h>

#include "engine/roofline/gpu_arch.h"

static uint64_t round_up(uint64_t v, uint64_t step)
{
    return (v + step - 1) / step * step;
}

const struct occupancy_arch *occupancy_arch(const char *name)
{
    for (const struct occupancy_arch *a = occupancy_table; a->names; a++)
        if (gpu_is_arch(a->names, name))
            return a;
    return NULL;
}

/* How many waves the registers of a SIMD allow. */
static uint64_t waves_by_registers(const struct occupancy_arch *a, const struct occupancy_use *u)
{
    uint64_t accum = u->accum_vgprs == UINT32_MAX ? 0 : u->accum_vgprs, n = u->vgprs;
    if (u->vgprs == UINT32_MAX)
        return a->waves;
    if (a->unified && accum)
        n = round_up(n, 4) + accum; /* accumulation registers begin at a multiple of 4 */
    else if (accum > n)
        n = accum;
    n = round_up(n ? n : 1, a->granule);
    if (n > a->vgprs)
        return 0;
    return a->vgprs / n < a->waves ? a->vgprs / n : a->waves;
}

struct occupancy occupancy_of(const char *arch, const struct occupancy_use *u)
{
    const struct occupancy_arch *a = occupancy_arch(arch);
    struct occupancy o = {.waves = NAN, .arch = a, .most = a ? a->waves : 0};
    if (!a || u->block == 0)
        return o;
    o.complete = u->vgprs != UINT32_MAX && u->lds_bytes != UINT32_MAX;
    uint64_t each = (u->block + (uint64_t)a->wave - 1) / a->wave; /* waves of a workgroup */
    uint64_t slots = (uint64_t)a->simds * a->waves, groups = slots / each;
    o.limit = groups * each == slots ? OCCUPANCY_SLOTS : OCCUPANCY_BLOCK;
    if (each > 1 && groups > a->groups) {
        groups = a->groups;
        o.limit = OCCUPANCY_BLOCK;
    }
    uint64_t by_registers = a->simds * waves_by_registers(a, u) / each;
    if (by_registers < groups) {
        groups = by_registers;
        o.limit = OCCUPANCY_VGPRS;
    }
    uint64_t lds = u->lds_bytes == UINT32_MAX ? 0 : (uint64_t)u->lds_bytes + a->lds_reserved;
    if (lds && a->lds / round_up(lds, a->lds_granule) < groups) {
        groups = a->lds / round_up(lds, a->lds_granule);
        o.limit = OCCUPANCY_LDS;
    }
    if (groups == 0) { /* the kernel did run, so the known numbers are incomplete */
        o.limit = OCCUPANCY_UNKNOWN;
        return o;
    }
    o.waves = (double)(groups * each) / a->simds;
    if (!o.complete && o.limit == OCCUPANCY_SLOTS)
        o.limit = OCCUPANCY_UNKNOWN;
    return o;
}

const char *occupancy_limit_name(enum occupancy_limit l)
{
    static const char *const names[] = {"", "slots", "VGPR", "LDS", "workgroup"};
    return names[l];
}
