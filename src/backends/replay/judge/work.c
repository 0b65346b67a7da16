/* What launches do and need at least: lines of inputs that matter, counts of the emulated GPU. */
#include <dlfcn.h>
#include <string.h>

#include "backends/replay/judge/trial.h"
#include "base/env.h"
#include "engine/judge/judge_inputs.h"
#include "format/capture.h"

enum { LINES_TRIED = 16 };

bool trial_counts(const struct trial *k, struct emulated_counts *out)
{
    void (*counts)(struct emulated_counts *) = NULL;
    void *found = dlsym(k->s.device.r.library, "rooftop_emulated_counts");
    memcpy(&counts, &found, sizeof counts);
    *out = (struct emulated_counts){0};
    if (counts)
        counts(out);
    return counts != NULL;
}

void trial_races(const struct trial *k, bool look, struct emulated_races *out)
{
    void (*races)(bool, struct emulated_races *) = NULL;
    void *found = dlsym(k->s.device.r.library, "rooftop_emulated_races");
    memcpy(&races, &found, sizeof races);
    *out = (struct emulated_races){.races = 0};
    if (races)
        races(look, out);
}

bool trial_is_modelled(const struct trial *k)
{
    struct emulated_counts ignored;
    return trial_counts(k, &ignored);
}

/* --- lines that changed --- */

/* Lines of memory from an address on in which n bytes differ; *last: the last one that did. */
static uint64_t lines_that_differ(uint64_t address, const uint8_t *now, const uint8_t *was,
                                  uint64_t n, uint64_t *last)
{
    uint64_t lines = 0;
    for (uint64_t at = 0, end; at < n; at = end) {
        end = at + GPU_LINE - (address + at) % GPU_LINE;
        end = end < n ? end : n;
        if (memcmp(now + at, was + at, end - at) == 0 || (address + at) / GPU_LINE == *last)
            continue;
        *last = (address + at) / GPU_LINE;
        lines++;
    }
    return lines;
}

uint64_t trial_changed_lines(const struct trial *k)
{
    uint64_t lines = 0, last = UINT64_MAX;
    for (size_t i = 0; i < k->s.c->nregions; i++) {
        const struct capture_region *r = &k->s.c->regions[i];
        for (uint64_t at = 0; at < r->size && k->changed[i]; at += CAPTURE_BLOCK) {
            const uint8_t *was = replay_output_bytes(k->before, i, at);
            const uint64_t n = r->size - at < CAPTURE_BLOCK ? r->size - at : CAPTURE_BLOCK;
            if (was)
                lines += lines_that_differ(r->base + at, trial_memory(k, i) + at, was, n, &last);
        }
    }
    return lines;
}

/* --- lines that matter --- */

static uint64_t address_of_input(const struct trial *k, const struct gpu_input *in)
{
    return k->s.c->regions[in->region].base + in->offset;
}

static uint64_t count_input_lines(const struct trial *k, const struct gpu_input *in)
{
    const uint64_t at = address_of_input(k, in);
    return in->size ? (at + in->size - 1) / GPU_LINE - at / GPU_LINE + 1 : 0;
}

struct trial_part trial_line(const struct trial *k)
{
    struct trial_part part = {.size = 0};
    uint64_t draw[2], all = 0;
    for (size_t i = 0; i < k->inputs.n; i++)
        all += count_input_lines(k, &k->inputs.input[i]);
    env_random(draw, sizeof draw);
    uint64_t line = all ? judge_random(&draw[0]) % all : 0;
    part.seed = draw[1];
    for (size_t i = 0; i < k->inputs.n; i++) {
        const struct gpu_input *in = &k->inputs.input[i];
        const uint64_t n = count_input_lines(k, in), at = address_of_input(k, in);
        if (line < n) {
            const uint64_t begin = at / GPU_LINE * GPU_LINE + line * GPU_LINE,
                           end = begin + GPU_LINE;
            part.input = in;
            part.offset = begin > at ? begin - at : 0;
            part.size = (end - at < in->size ? end - at : in->size) - part.offset;
            return part;
        }
        line -= n;
    }
    return part;
}

/* One line changed: is the answer another one than that to the captured inputs? */
static int try_line(struct trial *k, bool *matters, struct replay_failure *f)
{
    struct replay_verdict v;
    struct replay_rule bits = k->t->rule;
    const struct trial_setup setup = {.poison = -1, .part = trial_line(k)};
    bits.tolerance = (struct memory_tolerance){.exact = true};
    int rc = trial_launch(k, 0, &setup, NULL, f);
    if (rc != 0)
        return rc;
    if (replay_output_compare(&v, k->right, &bits, f) != 0)
        return -1;
    for (size_t d = 0; d < v.n; d++)
        for (size_t i = 0; i < k->s.c->nregions; i++)
            *matters |= k->changed[i] && k->s.c->regions[i].base == v.differences[d].region;
    replay_verdict_free(&v);
    return 0;
}

static uint64_t waves_of(const struct trial *k)
{
    const struct capture *c = k->s.c;
    const struct code_kernel *kernel = code_object_kernel(k->s.captured, c->mangled_name);
    const uint64_t lanes = kernel && kernel->wavefront_size == 32 ? 32 : 64;
    uint64_t waves = 1;
    for (int d = 0; d < 3; d++) /* at least: groups at the grid's edge are smaller */
        waves *= c->block[d] ? c->grid[d] / c->block[d] : 1;
    return waves * ((c->block[0] * c->block[1] * c->block[2] + lanes - 1) / lanes);
}

int trial_need(struct trial *k, struct replay_failure *f)
{
    int rc = 0;
    k->need = (struct gpu_need){.waves = waves_of(k)};
    for (size_t i = 0; i < k->inputs.n; i++)
        k->need.input_lines += count_input_lines(k, &k->inputs.input[i]);
    k->probe = GPU_PROBE_FRESH;
    for (int i = 0; i < LINES_TRIED && rc == 0 && k->inputs.n; i++) {
        bool matters = false;
        rc = try_line(k, &matters, f);
        k->need.tried += rc == 0;
        k->need.mattered += matters;
    }
    k->probe = rc == -1 ? k->probe : NULL;
    return rc;
}
