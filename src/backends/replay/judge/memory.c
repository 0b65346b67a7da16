/* Memory around a launch: bytes beside regions, patterns in outputs, module variables. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/replay/device/variables.h"
#include "backends/replay/judge/trial.h"
#include "base/arena.h"
#include "engine/judge/judge_inputs.h"

enum { MARGIN_MOST = 4096, MARGIN_BYTE = 0xa5 };

static uint8_t *pointer_to(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

uint8_t *trial_memory(const struct trial *k, size_t region)
{
    return pointer_to(k->s.c->regions[region].base);
}

/* The mapped bytes behind region i of a range, to the next region or the range's end. */
static uint64_t behind(const struct trial *k, const struct replay_range *range, size_t i,
                       uint8_t **at)
{
    const struct capture_region *r = &k->s.c->regions[i];
    const uint64_t begin = r->base + r->size;
    const uint64_t end =
        i + 1 < range->first + range->n ? k->s.c->regions[i + 1].base : range->base + range->size;
    *at = pointer_to(begin);
    return end - begin < MARGIN_MOST ? end - begin : MARGIN_MOST;
}

/* The mapped bytes before region i that are not behind the region before it. */
static uint64_t ahead(const struct trial *k, const struct replay_range *range, size_t i,
                      uint8_t **at)
{
    const struct capture_region *r = &k->s.c->regions[i];
    uint64_t begin = range->base;
    if (i > range->first)
        begin = r[-1].base + r[-1].size + MARGIN_MOST;
    if (begin >= r->base)
        return 0;
    const uint64_t n = r->base - begin < MARGIN_MOST ? r->base - begin : MARGIN_MOST;
    *at = pointer_to(r->base - n);
    return n;
}

void trial_margins_set(const struct trial *k)
{
    const struct replay_plan *p = &k->s.plan;
    uint8_t *at;
    for (const struct replay_range *r = p->ranges; r < p->ranges + p->n; r++)
        for (size_t i = r->first; i < r->first + r->n; i++) {
            uint64_t n = behind(k, r, i, &at);
            memset(at, MARGIN_BYTE, n);
            n = ahead(k, r, i, &at);
            if (n)
                memset(at, MARGIN_BYTE, n);
        }
}

static bool intact(const uint8_t *at, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (at[i] != MARGIN_BYTE)
            return false;
    return true;
}

const struct capture_region *trial_margins_changed(const struct trial *k)
{
    const struct replay_plan *p = &k->s.plan;
    uint8_t *at = NULL;
    for (const struct replay_range *r = p->ranges; r < p->ranges + p->n; r++)
        for (size_t i = r->first; i < r->first + r->n; i++) {
            uint64_t n = behind(k, r, i, &at);
            if (!intact(at, n))
                return &k->s.c->regions[i];
            n = ahead(k, r, i, &at);
            if (n && !intact(at, n))
                return &k->s.c->regions[i];
        }
    return NULL;
}

void trial_poison(const struct trial *k, size_t region, int pattern)
{
    judge_poison(trial_memory(k, region), k->s.c->regions[region].size, (unsigned)pattern);
}

uint8_t *trial_variables(const struct trial *k, unsigned side)
{
    const struct replay_code *code = &k->s.code[side];
    size_t all = 0;
    for (size_t i = 0; i < code->nvariables; i++)
        all += code->variables[i].size;
    uint8_t *to = xcalloc(all + 1, 1), *at = to;
    for (size_t i = 0; i < code->nvariables; at += code->variables[i].size, i++)
        k->s.device.r.memory_copy(at, pointer_to(code->variables[i].address),
                                  code->variables[i].size);
    return to;
}

double trial_modelled(const struct trial *k)
{
    void (*counts)(uint64_t *, uint64_t *) = NULL;
    uint64_t instructions = 0, lines = 0;
    void *found = dlsym(k->s.device.r.library, "rooftop_emulated_counts");
    memcpy(&counts, &found, sizeof counts);
    if (!counts)
        return NAN;
    counts(&instructions, &lines);
    return (double)instructions + GPU_LINE_COST * (double)lines;
}
