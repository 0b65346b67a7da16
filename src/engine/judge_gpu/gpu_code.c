#include "engine/judge_gpu/gpu_code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/kernels/occupancy.h"
#include "engine/value/value.h"

const struct gpu_thresholds gpu_thresholds_usual = {
    .vgprs = 0.20, .occupancy = 0.15, .lds = 0.30, .scratch = 0.20};

/* --- numbers --- */

/* The LDS that the kernel itself declares. */
static uint32_t fixed_lds(const struct code_kernel *k)
{
    if (k->group_size != CODE_UNKNOWN)
        return k->group_size;
    return k->has_descriptor ? k->descriptor.group_size : 0;
}

/* "amdgcn-amd-amdhsa--gfx942:xnack-" -> "gfx942" */
static void processor_of(const char *isa, char out[32])
{
    const char *at = strstr(isa, "gfx");
    const size_t n = at ? strcspn(at, ":") : 0;
    snprintf(out, 32, "%.*s", (int)(n < 31 ? n : 31), at ? at : "");
}

struct gpu_resources gpu_resources_of(const struct gpu_side *side, const struct capture *c,
                                      const struct code_kernel *captured)
{
    const struct code_kernel *k = side->kernel;
    const uint32_t own = captured ? fixed_lds(captured) : 0;
    const uint32_t dynamic = c->group_segment_size > own ? c->group_segment_size - own : 0;
    struct gpu_resources r = {.vgprs = k->vgprs,
                              .agprs = k->agprs,
                              .sgprs = k->sgprs,
                              .vgpr_spills = k->vgpr_spills,
                              .sgpr_spills = k->sgpr_spills,
                              .lds = fixed_lds(k) + dynamic,
                              .scratch = k->private_size};
    const struct occupancy_use use = {.block = c->block[0] * c->block[1] * c->block[2],
                                      .vgprs = k->vgprs,
                                      .accum_vgprs = k->agprs,
                                      .lds_bytes = r.lds};
    char processor[32];
    processor_of(side->object->isa, processor);
    r.waves = occupancy_of(processor, &use).waves;
    return r;
}

/* --- guards --- */

struct comparing {
    const struct gpu_side *side;
    const struct gpu_resources *r;
    const struct capture *c;
    struct judge_refusal *refused;
};

static int guard_arguments(const struct comparing *k)
{
    const struct code_kernel *a = k->side[0].kernel, *b = k->side[1].kernel;
    if (a->nexplicit != b->nexplicit)
        return judge_refuse(k->refused, GUARD_ARGUMENTS, "it takes %u arguments, not %u",
                            b->nexplicit, a->nexplicit);
    for (uint32_t i = 0; i < a->nexplicit; i++) {
        const struct code_arg *x = &a->args[i], *y = &b->args[i];
        if (x->offset != y->offset || x->size != y->size || x->kind != y->kind)
            return judge_refuse(k->refused, GUARD_ARGUMENTS,
                                "argument %u is %.20s of %u bytes at %u, not %.20s of %u at %u",
                                i + 1, y->kind_name, y->size, y->offset, x->kind_name, x->size,
                                x->offset);
    }
    return 0;
}

static int guard_launch(const struct comparing *k)
{
    const struct code_kernel *b = k->side[1].kernel;
    const uint32_t *block = k->c->block, *needs = b->required_workgroup_size;
    char wanted[SIZES_TEXT], has[SIZES_TEXT];
    const uint32_t items = block[0] * block[1] * block[2];
    const bool some = needs[0] && needs[0] != CODE_UNKNOWN;
    if (some && (needs[0] != block[0] || needs[1] != block[1] || needs[2] != block[2]))
        return judge_refuse(k->refused, GUARD_ARGUMENTS,
                            "it requires work-groups of %s, the launch has %s",
                            value_sizes(needs, wanted), value_sizes(block, has));
    if (b->max_flat_workgroup_size != CODE_UNKNOWN && items > b->max_flat_workgroup_size)
        return judge_refuse(k->refused, GUARD_ARGUMENTS,
                            "it bears work-groups of %u work-items, the launch has %u",
                            b->max_flat_workgroup_size, items);
    if (b->wavefront_size != k->side[0].kernel->wavefront_size)
        return judge_refuse(k->refused, GUARD_ARGUMENTS, "its waves have %u lanes, not %u",
                            b->wavefront_size, k->side[0].kernel->wavefront_size);
    return 0;
}

static bool has_variable(const struct code_object *o, const struct code_variable *v)
{
    for (uint32_t i = 0; i < o->nvariables; i++)
        if (strcmp(o->variables[i].name, v->name) == 0 && o->variables[i].size == v->size)
            return true;
    return false;
}

/* The compiler's mark of a module, a byte that nothing reads: "__hip_cuid_a3ab67489e1cf399". */
static bool is_mark(const struct code_variable *v)
{
    return strncmp(v->name, "__hip_cuid_", 11) == 0 && v->size == 1;
}

/* Module variables keep their contents from launch to launch: a place for answers and counts. */
static int guard_state(const struct comparing *k)
{
    const struct code_object *a = k->side[0].object, *b = k->side[1].object;
    for (uint32_t i = 0; i < b->nvariables; i++) {
        const struct code_variable *v = &b->variables[i];
        if (v->writable && !is_mark(v) && !has_variable(a, v))
            return judge_refuse(k->refused, GUARD_STATE,
                                "the baseline has no variable %.80s of %llu bytes, which keeps its "
                                "contents from launch to launch",
                                v->name, (unsigned long long)v->size);
    }
    return 0;
}

static bool is_service(enum code_arg_kind kind)
{
    return kind == CODE_ARG_PRINTF_BUFFER || kind == CODE_ARG_HOSTCALL_BUFFER ||
           kind == CODE_ARG_DEFAULT_QUEUE || kind == CODE_ARG_COMPLETION_ACTION ||
           kind == CODE_ARG_HEAP || kind == CODE_ARG_QUEUE_PTR;
}

static bool takes_argument_kind(const struct code_kernel *k, enum code_arg_kind kind)
{
    for (uint32_t i = 0; i < k->nargs; i++)
        if (k->args[i].kind == kind)
            return true;
    return false;
}

/* Services of the host, other launches, memory that is allocated: not part of a launch. */
static int guard_services(const struct comparing *k)
{
    const struct code_kernel *b = k->side[1].kernel;
    for (uint32_t i = 0; i < b->nargs; i++)
        if (is_service(b->args[i].kind) && !takes_argument_kind(k->side[0].kernel, b->args[i].kind))
            return judge_refuse(k->refused, GUARD_CALLS,
                                "it asks for %.40s, which the baseline does not use",
                                b->args[i].kind_name);
    return 0;
}

static bool are_both_known(uint32_t a, uint32_t b)
{
    return a != CODE_UNKNOWN && b != CODE_UNKNOWN;
}

/* More than allowed; where the baseline has none: any. */
static bool is_beyond_share(uint32_t base, uint32_t mine, double share)
{
    return are_both_known(base, mine) && (double)mine > (double)base * (1 + share);
}

static int refuse_number(const struct comparing *k, const char *what, uint32_t base, uint32_t mine,
                         double share)
{
    return judge_refuse(k->refused, GUARD_RESOURCES,
                        "%s: %u, the baseline has %u; at most %.0f %% more are borne", what, mine,
                        base, 100 * share);
}

static int guard_resources(const struct comparing *k)
{
    const struct gpu_resources *a = &k->r[0], *b = &k->r[1];
    const struct gpu_thresholds *t = &gpu_thresholds_usual;
    char processor[32];
    processor_of(k->side[1].object->isa, processor);
    const struct occupancy_arch *arch = occupancy_arch(processor);
    if (arch && b->lds > arch->lds)
        return judge_refuse(k->refused, GUARD_RESOURCES,
                            "a work-group needs %u bytes of LDS, a unit of %s has %u", b->lds,
                            processor, arch->lds);
    if (isnan(b->waves) && !isnan(a->waves))
        return judge_refuse(k->refused, GUARD_RESOURCES,
                            "no work-group fits into a unit of %s: %u registers, %u bytes of LDS",
                            processor, b->vgprs, b->lds);
    if (is_beyond_share(a->vgpr_spills, b->vgpr_spills, t->scratch))
        return refuse_number(k, "spilled VGPRs", a->vgpr_spills, b->vgpr_spills, t->scratch);
    if (is_beyond_share(a->scratch, b->scratch, t->scratch))
        return refuse_number(k, "bytes of scratch memory of a lane", a->scratch, b->scratch,
                             t->scratch);
    /* LDS and registers that cost no occupancy cost nothing: their number alone is no reason. */
    const bool fewer = !(b->waves >= a->waves);
    if (fewer && is_beyond_share(a->lds, b->lds, t->lds))
        return refuse_number(k, "bytes of LDS, at the cost of occupancy", a->lds, b->lds, t->lds);
    if (fewer && is_beyond_share(a->vgprs, b->vgprs, t->vgprs))
        return refuse_number(k, "VGPRs, at the cost of occupancy", a->vgprs, b->vgprs, t->vgprs);
    if (b->waves < a->waves * (1 - t->occupancy))
        return judge_refuse(k->refused, GUARD_RESOURCES,
                            "occupancy: %.3g waves of a SIMD, the baseline has %.3g; at most "
                            "%.0f %% less are borne",
                            b->waves, a->waves, 100 * t->occupancy);
    return 0;
}

int gpu_code_guard(const struct gpu_side side[2], const struct gpu_resources r[2],
                   const struct capture *c, const bool allow[JUDGE_GUARDS],
                   struct judge_refusal *refused)
{
    static int (*const guards[])(const struct comparing *) = {
        guard_arguments, guard_launch, guard_state, guard_services, guard_resources};
    const struct comparing k = {side, r, c, refused};
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
        if (guards[i](&k) && !allow[refused->guard])
            return 1;
    return 0;
}
