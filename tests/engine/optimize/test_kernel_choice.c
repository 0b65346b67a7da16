/* Which kernel is worth a try, by made facts: each threshold alone, and the order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/kernel_choice.h"
#include "support/test.h"

static struct kernel_row row_of(const char *name, double path, double ridge, double bytes,
                                double flops)
{
    struct kernel_row r = {.name = name, .kind = NODE_KERNEL, .criticality = path};
    facts_unknown(&r.facts);
    r.facts.v[FACT_RIDGE] = ridge;
    r.facts.v[FACT_BYTES] = bytes;
    r.facts.v[FACT_FLOPS] = flops;
    r.label = bottleneck_find(SCOPE_KERNEL, &r.facts);
    return r;
}

TEST(thresholds_and_order)
{
    struct kernel_row rows[] = {
        row_of("rare", 0.19, 0.5, 0.1, 0.9),      /* below the share of the path */
        row_of("at its roof", 0.5, 2, 0.1, 0.95), /* compute bound: FLOP/s count */
        row_of("unknown", 0.4, NAN, NAN, NAN),
        row_of("small gain", 0.21, 0.5, 0.8, 0.1), /* headroom .2 * .21 < .05 */
        row_of("good", 0.2, 0.5, 0.5, 0.99),
        row_of("better", 0.6, 2, 0.99, 0.5),
        row_of("copy", 0.9, 0.5, 0.1, 0.1),
        row_of("above its roof", 0.3, 0.5, 1.2, 0.1),
    };
    static const struct {
        const char *name;
        enum kernel_threshold lacks;
    } wanted[] = {
        {"better", KERNEL_THRESHOLDS},
        {"good", KERNEL_THRESHOLDS},
        {"at its roof", THRESHOLD_HEADROOM},
        {"unknown", THRESHOLD_HEADROOM},
        {"above its roof", THRESHOLD_HEADROOM},
        {"small gain", THRESHOLD_PRIORITY},
        {"rare", THRESHOLD_PATH},
    };
    rows[6].kind = NODE_TRANSFER;
    const struct kernel_table table = {.rows = rows, .n = sizeof rows / sizeof *rows};
    size_t n = 0;
    struct kernel_choice *list = kernel_choices(&table, &n);
    assert_int_equal(n, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list[i].row->name, wanted[i].name);
        assert_int_equal(list[i].lacks, wanted[i].lacks);
    }
    assert_true(fabs(list[0].value[THRESHOLD_PRIORITY] - 0.3) < 1e-9);
    assert_true(isnan(list[3].value[THRESHOLD_HEADROOM]));
    struct proposal_profile p;
    kernel_choice_profile(&list[0], &p);
    assert_string_equal(p.kernel, "better");
    assert_true(fabs(p.roof_share - 0.5) < 1e-9 && p.path_share == 0.6);
    kernel_choice_profile(&list[3], &p);
    assert_true(isnan(p.roof_share));
    free(list);
    const struct kernel_table none = {.rows = NULL};
    assert_null(kernel_choices(&none, &n));
    assert_int_equal(n, 0);
}
