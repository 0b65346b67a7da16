/* Divides counters over passes: limits are kept, no counter is lost, and no pass could be saved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/profiler/gpu_counters.h"
#include "support/test.h"

static const char *const archs[] = {"gfx90a", "gfx940", "gfx942", "gfx950", "gfx1100"};
enum { ARCHS = sizeof archs / sizeof *archs };
/* Registers of one instance of a block, as rocprof-compute and the headers of Linux say. */
static const struct {
    const char *name;
    uint32_t limit;
} blocks[] = {{"SQ", 8},  {"TA", 2},  {"TD", 2},  {"TCP", 4},  {"TCC", 4}, {"TCA", 4},
              {"CPC", 2}, {"CPF", 2}, {"SPI", 6}, {"GRBM", 2}, {"GL2C", 4}};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static uint32_t of_block(const struct counter_pass *p, const char *block, unsigned family)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        n += strcmp(gpu_counter_block(p->names[i], family), block) == 0;
    return n;
}

static uint32_t times(const struct counter_plan *plan, const char *name)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->npasses; i++)
        for (uint32_t k = 0; k < plan->passes[i].n; k++)
            n += strcmp(plan->passes[i].names[k], name) == 0;
    return n;
}

/* No pass counts more of a block than it has registers, and there are as many passes as the
 * fullest block needs, which is the minimum. */
static void assert_minimal(const struct counter_plan *plan, unsigned family)
{
    uint32_t bound = 0;
    for (size_t b = 0; b < BLOCKS; b++) {
        uint32_t all = 0, limit = blocks[b].limit ? blocks[b].limit : 1;
        for (uint32_t i = 0; i < plan->npasses; i++) {
            uint32_t n = of_block(&plan->passes[i], blocks[b].name, family);
            assert_true(n <= limit);
            all += n;
        }
        bound = (all + limit - 1) / limit > bound ? (all + limit - 1) / limit : bound;
    }
    assert_int_equal(plan->npasses, bound);
}

static uint32_t all_names(char *out, size_t size, unsigned family, unsigned *seed, unsigned of)
{
    uint32_t n = 0;
    size_t len = 0;
    out[0] = '\0';
    for (const struct gpu_counter_row *r = gpu_counter_table; r->block; r++) {
        char *names = strdup(r->names), *save = NULL;
        for (char *w = strtok_r(names, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
            *seed = *seed * 1664525u + 1013904223u;
            if (!(r->families & family) || (*seed >> 16) % of)
                continue;
            len += (size_t)snprintf(out + len, size - len, "%s%s", n ? "," : "", w);
            n++;
        }
        free(names);
    }
    return n;
}

TEST(every_counter_is_in_exactly_one_pass)
{
    static char list[65536];
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) {
        const char *arch = archs[round % ARCHS];
        struct arena memory = {0};
        struct counter_plan plan;
        struct error err = ERROR_INIT;
        uint32_t n = all_names(list, sizeof list, gpu_family(arch), &seed, 1 + round % 7), sum = 0;
        assert_int_equal(gpu_counters_plan(&plan, &memory, list, arch, &err), 0);
        for (uint32_t i = 0; i < plan.npasses; i++) {
            assert_true(plan.passes[i].n > 0);
            sum += plan.passes[i].n;
        }
        assert_int_equal(sum, n);
        for (char *w = strtok(list, ","); w; w = strtok(NULL, ","))
            assert_int_equal(times(&plan, w), 1);
        assert_minimal(&plan, gpu_family(arch));
        arena_free(&memory);
    }
}

/* Sets contain only counters that their architectures have, otherwise planning would refuse
 * them. */
TEST(sets_are_known_counters)
{
    static const char *const sets[] = {"roofline", "occupancy", "stalls"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (size_t k = 0; k < ARCHS; k++) {
            struct arena memory = {0};
            struct counter_plan plan;
            struct error err = ERROR_INIT;
            assert_int_equal(gpu_counters_plan(&plan, &memory, sets[i], archs[k], &err), 0);
            for (uint32_t p = 0; p < plan.npasses; p++)
                for (uint32_t c = 0; c < plan.passes[p].n; c++)
                    if (!gpu_counter_block(plan.passes[p].names[c], gpu_family(archs[k])))
                        fail_msg("%s of %s: %s", sets[i], archs[k], plan.passes[p].names[c]);
            /* formulas for operations on RDNA3 are not known */
            assert_int_equal(plan.npasses == 0, i == 0 && strcmp(archs[k], "gfx1100") == 0);
            arena_free(&memory);
        }
}

TEST(lists_are_merged)
{
    struct arena memory = {0};
    struct counter_plan plan;
    struct error err = ERROR_INIT;
    assert_int_equal(gpu_counters_plan(&plan, &memory, "occupancy, SQ_WAVES,TCC_HIT,,TCC_HIT",
                                       "gfx942:sramecc+:xnack-", &err),
                     0);
    assert_int_equal(plan.npasses, 1);
    assert_int_equal(times(&plan, "SQ_WAVES"), 1);
    assert_int_equal(times(&plan, "TCC_HIT"), 1);
    assert_int_equal(gpu_counters_plan(&plan, &memory, "none", "gfx942", &err), 0);
    assert_int_equal(plan.npasses, 0);
    arena_free(&memory);
}

static void refused(const char *list, const char *arch, enum error_kind kind, const char *word)
{
    struct arena memory = {0};
    struct counter_plan plan;
    struct error err = ERROR_INIT;
    char text[1024];
    assert_true(gpu_counters_plan(&plan, &memory, list, arch, &err) < 0);
    assert_int_equal(err.kind, kind);
    if (!strstr(error_format(&err, text, sizeof text), word))
        fail_msg("no \"%s\" in: %s", word, text);
    arena_free(&memory);
}

TEST(unknown_counters_are_refused)
{
    char *longest = malloc(100001);
    assert_non_null(longest);
    memset(longest, 'A', 100000);
    longest[100000] = '\0';
    refused("SQ_WAVE", "gfx942", ERROR_USAGE, "did you mean SQ_WAVES?");
    refused("TCC_EA_RDREQ", "gfx942", ERROR_USAGE, "TCC_EA0_RDREQ"); /* the name on gfx90a */
    refused("SQ_INSTS_FLAT_LDS_ONLY", "gfx950", ERROR_USAGE, "no counter of gfx950");
    refused("FETCH_SIZE", "gfx942", ERROR_USAGE, "no counter"); /* computed from other counters */
    refused(longest, "gfx942", ERROR_USAGE, "no counter");
    refused("SQ_WAVES", "gfx803", ERROR_UNSUPPORTED, "gfx803");
    refused("SQ_WAVES", "", ERROR_UNSUPPORTED, "gfx942");
    free(longest);
    struct error err = ERROR_INIT;
    assert_int_equal(gpu_counters_check("roofline,TCC_EA_RDREQ,GL2C_HIT", &err), 0);
    assert_true(gpu_counters_check("roofline,NOTHING", &err) < 0);
}
