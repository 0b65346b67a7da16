/* Memory around a launch: bytes beside regions, patterns in outputs, module variables. */
#include <stdlib.h>
#include <string.h>

#include "backends/replay/device/variables.h"
#include "backends/replay/judge/trial.h"
#include "base/arena.h"
#include "engine/judge/judge_inputs.h"

/* In timed launches, of which there are many, only what lies near is looked at; what lies farther
 * keeps what it had, so that a kernel sees no difference. */
enum { MARGIN_MOST = REPLAY_BLOCK, MARGIN_TIMED = 4096, MARGIN_BYTE = 0xa5 };

static uint8_t *pointer_in_trial(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

uint8_t *trial_memory(const struct trial *k, size_t region)
{
    return pointer_in_trial(k->s.c->regions[region].base);
}

static uint64_t margin_most(const struct trial *k)
{
    return k->timing ? MARGIN_TIMED : MARGIN_MOST;
}

/* The mapped bytes behind region i of a range, to the next region or the range's end. */
static uint64_t find_margin_behind(const struct trial *k, const struct replay_range *range,
                                   size_t i, uint8_t **at)
{
    const struct capture_region *r = &k->s.c->regions[i];
    const uint64_t begin = r->base + r->size;
    const uint64_t end =
        i + 1 < range->first + range->n ? k->s.c->regions[i + 1].base : range->base + range->size;
    *at = pointer_in_trial(begin);
    return end - begin < margin_most(k) ? end - begin : margin_most(k);
}

/* The mapped bytes before region i that are not behind the region before it. */
static uint64_t find_margin_ahead(const struct trial *k, const struct replay_range *range, size_t i,
                                  uint8_t **at)
{
    const struct capture_region *r = &k->s.c->regions[i];
    uint64_t begin = range->base;
    if (i > range->first)
        begin = r[-1].base + r[-1].size + margin_most(k);
    if (begin >= r->base)
        return 0;
    const uint64_t n = r->base - begin < margin_most(k) ? r->base - begin : margin_most(k);
    *at = pointer_in_trial(r->base - n);
    return n;
}

void trial_margins_set(const struct trial *k)
{
    const struct replay_plan *p = &k->s.plan;
    uint8_t *at;
    for (const struct replay_range *r = p->ranges; r < p->ranges + p->n; r++)
        for (size_t i = r->first; i < r->first + r->n; i++) {
            uint64_t n = find_margin_behind(k, r, i, &at);
            memset(at, MARGIN_BYTE, n);
            n = find_margin_ahead(k, r, i, &at);
            if (n)
                memset(at, MARGIN_BYTE, n);
        }
}

/* Memory behind the bus is read slowly by the CPU, and quickly by the runtime's copies. */
static bool is_margin_intact(const struct trial *k, const struct replay_range *range,
                             const uint8_t *at, uint64_t n)
{
    static uint8_t copy[MARGIN_MOST];
    if (n == 0)
        return true;
    if (!range->host) {
        if (k->s.device.r.memory_copy(copy, at, n) != HSA_STATUS_SUCCESS)
            return true; /* the comparison of memory fails, too, and says why */
        at = copy;
    }
    return at[0] == MARGIN_BYTE && memcmp(at, at + 1, n - 1) == 0;
}

const struct capture_region *trial_margins_changed(const struct trial *k)
{
    const struct replay_plan *p = &k->s.plan;
    uint8_t *at = NULL;
    for (const struct replay_range *r = p->ranges; r < p->ranges + p->n; r++)
        for (size_t i = r->first; i < r->first + r->n; i++) {
            uint64_t n = find_margin_behind(k, r, i, &at);
            if (!is_margin_intact(k, r, at, n))
                return &k->s.c->regions[i];
            n = find_margin_ahead(k, r, i, &at);
            if (n && !is_margin_intact(k, r, at, n))
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
        k->s.device.r.memory_copy(at, pointer_in_trial(code->variables[i].address),
                                  code->variables[i].size);
    return to;
}
