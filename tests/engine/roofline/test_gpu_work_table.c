/* Compares the counters in formulas with the profiler's list of each architecture's counters. */
#include <stdio.h>
#include <string.h>

#include "engine/roofline/gpu_arch.h"
#include "engine/roofline/gpu_work_table.h"
#include "support/test.h"

enum { LINE = 512 };

static bool listed(const char *arch, const char *counter)
{
    FILE *f = fopen("tests/data/rocm/counter_names.txt", "r");
    char line[LINE], a[32], name[128], sum[160];
    bool found = false;
    assert_non_null(f);
    snprintf(sum, sizeof sum, "%s_sum", counter);
    while (!found && fgets(line, sizeof line, f))
        found = sscanf(line, "%31s %127s", a, name) == 2 && strcmp(a, arch) == 0 &&
                (strcmp(name, counter) == 0 || strcmp(name, sum) == 0);
    fclose(f);
    return found;
}

/* Whether a formula for arch has the counter; its name may end in "_sum". */
static bool in_formula(const char *arch, const char *counter)
{
    for (const struct work_formula *f = work_formulas; f->archs; f++)
        for (int k = 0; k < WORK_TERMS && f->terms[k].counter; k++) {
            size_t n = strlen(f->terms[k].counter);
            if (gpu_is_arch(f->archs, arch) && strncmp(f->terms[k].counter, counter, n) == 0 &&
                (counter[n] == '\0' || strcmp(counter + n, "_sum") == 0))
                return true;
        }
    return false;
}

/* Every counter in a formula exists on its architecture, except names of older releases. */
TEST(counters_exist)
{
    static const char *const archs[] = {"gfx908", "gfx90a",  "gfx940",  "gfx941",  "gfx942",
                                        "gfx950", "gfx1030", "gfx1100", "gfx1101", "gfx1102"};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        for (const struct work_formula *f = work_formulas; f->archs; f++)
            for (int k = 0; k < WORK_TERMS && f->terms[k].counter; k++) {
                const char *c = f->terms[k].counter;
                if (f->derived || !gpu_is_arch(f->archs, archs[i]))
                    continue;
                if (!listed(archs[i], c))
                    fail_msg("%s has no %s", archs[i], c);
                n++;
            }
    assert_true(n > 150);
    assert_false(listed("gfx942", "SQ_INSTS_VALU_MFMA_MOPS_F6F4"));
    assert_false(listed("gfx942", "TCC_EA0_WRREQ_32B")); /* only a public tool's formula has it */
}

/* HBM traffic is computed from the same counters as the profiler's FETCH_SIZE and WRITE_SIZE. */
TEST(fetch_and_write_size_use_the_same_counters)
{
    FILE *f = fopen("tests/data/rocm/counter_names.txt", "r");
    char line[LINE], arch[32], name[128], text[400];
    unsigned n = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%31s %127s %399s", arch, name, text) != 3 ||
            (strcmp(name, "FETCH_SIZE") != 0 && strcmp(name, "WRITE_SIZE") != 0))
            continue;
        for (char *t = strtok(text, "()*+-/"); t; t = strtok(NULL, "()*+-/"))
            if (t[0] >= 'A' && t[0] <= 'Z') {
                if (!in_formula(arch, t))
                    fail_msg("%s: %s needs %s", arch, name, t);
                n++;
            }
    }
    fclose(f);
    assert_true(n > 40);
}
