/* The summary of a code object of a GPU, and what a kernel uses. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/code/kernel_brief.h"
#include "engine/kernels/occupancy.h"
#include "engine/summary/summary_impl.h"
#include "gpu/isa.h"

enum { KERNELS_SHOWN = 12, NAME_CELLS = 48 };
#define LOW_OCCUPANCY 0.5 /* rule: less than half of the slots can be filled */

static const char *register_count_text(struct summary *s, uint32_t v)
{
    return v == CODE_UNKNOWN ? "n/a" : arena_printf(&s->memory, "%" PRIu32, v);
}

static struct occupancy find_code_occupancy(const struct code_object *c,
                                            const struct code_kernel *k, uint32_t block)
{
    struct isa isa = {.processor = ""};
    const struct occupancy_use use = {.block = block == CODE_UNKNOWN ? 0 : block,
                                      .vgprs = k->vgprs,
                                      .accum_vgprs = k->agprs == CODE_UNKNOWN ? 0 : k->agprs,
                                      .lds_bytes = k->group_size};
    isa_parse(c->isa, &isa);
    return occupancy_of(isa.processor, &use);
}

const char *summary_kernel_use(struct summary *s, const struct code_object *c,
                               const struct code_kernel *k, uint32_t block, bool ascii)
{
    const struct occupancy o = find_code_occupancy(c, k, block);
    const char *lds =
        k->group_size == CODE_UNKNOWN ? "n/a" : summary_value(s, k->group_size, UNIT_BYTES, ascii);
    const char *fit = "how many waves fit is n/a: its processor is not in the table";
    if (!isnan(o.waves))
        fit = arena_printf(&s->memory, "%.0f of %" PRIu32 " waves fit on a SIMD%s%s", o.waves,
                           o.most, o.limit == OCCUPANCY_SLOTS ? "" : ", limited by ",
                           o.limit == OCCUPANCY_SLOTS ? "" : occupancy_limit_name(o.limit));
    return arena_printf(&s->memory, "VGPR %s, SGPR %s, LDS %s; %s",
                        register_count_text(s, k->vgprs), register_count_text(s, k->sgprs), lds,
                        fit);
}

static bool does_spill(const struct code_kernel *k)
{
    return (k->vgpr_spills != CODE_UNKNOWN && k->vgpr_spills > 0) ||
           (k->sgpr_spills != CODE_UNKNOWN && k->sgpr_spills > 0);
}

static void add_code_verdict(struct summary *s, const struct code_object *c)
{
    static const char how[] =
        "A kernel that spills has too few registers: it moves values to memory and back. One that "
        "fills less than half of the slots for waves hides less latency. How many waves fit "
        "follows "
        "from registers and LDS for workgroups of the largest size that the kernel was built for "
        "(the sources are in the table of engine/kernels/occupancy_table.c).";
    uint32_t spill = 0, low = 0;
    for (uint32_t i = 0; i < c->nkernels; i++) {
        const struct occupancy o =
            find_code_occupancy(c, &c->kernels[i], c->kernels[i].max_flat_workgroup_size);
        spill += does_spill(&c->kernels[i]);
        low += !isnan(o.waves) && o.waves < LOW_OCCUPANCY * o.most;
    }
    if (spill)
        summary_verdict(s, NULL, how, "%s spill registers to memory (rule: 1 register or more)",
                        summary_count(s, spill, "kernel does", "kernels do"));
    if (low)
        summary_verdict(s, NULL, how,
                        "%s less than half of the slots for waves (rule: less than 50 %%)",
                        summary_count(s, low, "kernel can fill", "kernels can fill"));
    if (!spill && !low)
        summary_verdict(s, NULL, how,
                        "nothing stands out: no kernel spills, none fills less than half of the "
                        "slots for waves, as far as the file says");
}

/* Short names of the kernels, which differ from each other. */
static struct briefs *name_code_kernels(struct summary *s, const struct code_object *c)
{
    const char **names = arena_alloc(&s->memory, (c->nkernels + 1u) * sizeof *names);
    for (uint32_t i = 0; i < c->nkernels; i++)
        names[i] = c->kernels[i].name;
    return briefs_new(names, c->nkernels);
}

void summary_add_code(struct summary *s, const struct code_object *c, bool ascii)
{
    struct isa isa = {.processor = ""};
    char name[4 * NAME_CELLS + 1];
    isa_parse(c->isa, &isa);
    summary_head(s, "code object");
    summary_head(s, isa.processor);
    summary_head(s, arena_printf(&s->memory, "version %u", c->version));
    summary_head(s, summary_count(s, c->nkernels, "kernel", "kernels"));
    summary_head(s, summary_value(s, (double)c->elf_size, UNIT_BYTES, ascii));
    add_code_verdict(s, c);
    struct briefs *briefs = name_code_kernels(s, c);
    for (uint32_t i = 0; i < c->nkernels && i < KERNELS_SHOWN; i++) {
        const struct code_kernel *k = &c->kernels[i];
        briefs_fit(briefs, k->name, NAME_CELLS, ascii, name, sizeof name);
        summary_say(s, i == 0 ? "kernels" : "", NULL,
                    "From the metadata of the compiler. Waves: for workgroups of the largest size.",
                    "%s: %s%s", name,
                    summary_kernel_use(s, c, k, k->max_flat_workgroup_size, ascii),
                    does_spill(k) ? "; spills" : "");
        s->lines[s->n - 1].next = "rooftop gpu code object";
    }
    briefs_free(briefs);
    if (c->nkernels > KERNELS_SHOWN)
        summary_say(s, "", NULL, "In the order of the file.", "and %u more",
                    c->nkernels - KERNELS_SHOWN);
    if (c->nvariables)
        summary_say(s, "variables", NULL, "Of the object, without the descriptors of kernels.",
                    "%" PRIu32, c->nvariables);
    summary_say(s, "not in it", NULL, "A code object is what the compiler wrote.",
                "times, launches and data: rooftop gpu capture takes those of a run");
}
