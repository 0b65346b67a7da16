/* What a thread trace adds to a row of the table of kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/att/kernel_att.h"
#include "support/att_made.h"
#include "support/test.h"

static struct kernel_row rows[KERNELS_GROUPS][2];

/* A table with "gemm" and another kernel, in each grouping. */
static struct kernels table(void)
{
    struct kernels k = {.total = {0}};
    for (int g = 0; g < KERNELS_GROUPS; g++) {
        rows[g][0] = (struct kernel_row){
            .name = g == KERNELS_BY_BASE ? "gemm" : "void gemm<4>(int)", .kind = NODE_KERNEL};
        rows[g][1] = (struct kernel_row){.name = "other", .kind = NODE_KERNEL};
        for (int i = 0; i < 2; i++)
            facts_unknown(&rows[g][i].facts);
        k.by[g] = (struct kernel_table){.rows = rows[g], .n = 2};
    }
    return k;
}

static void trace(struct att *a, const char *name)
{
    static const struct att_wait waits[] = {{3, 1}, {3, 2}, {5, 4}};
    *a = (struct att){.gfx = 9};
    a->name = "ui_output_agent_1_dispatch_1";
    struct att_row *r = att_made_row(a, "; gemm", 0, 0, 0, 0);
    r->isa = name;
    att_made_row(a, "global_load_dwordx4 v[2:5], v0, s[0:1]", 8, 10, 160, 80);
    att_made_row(a, "global_load_dwordx4 v[6:9], v0, s[0:1]", 16, 10, 160, 80);
    att_made_row(a, "s_waitcnt vmcnt(0)", 24, 10, 5000, 4960);
    att_made_row(a, "ds_read_b128 v[12:15], v11", 32, 10, 120, 40);
    att_made_row(a, "s_waitcnt lgkmcnt(0)", 40, 10, 800, 780);
    att_made_row(a, "v_fma_f32 v0, v1, v2, v3", 48, 120, 480, 0);
    att_made_row(a, "s_cbranch_scc1 65522", 56, 10, 80, 0);
    for (uint32_t i = 1; i < a->nrows; i++) { /* only the marker has all its fields */
        a->rows[i].line = i;
        att_row_complete(a, i);
    }
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        a->waits = att_grow(a->waits, a->nwaits, sizeof *a->waits);
        a->waits[a->nwaits++] = waits[i];
    }
    att_finish(a);
}

TEST(facts_of_a_trace)
{
    struct att a;
    struct facts f;
    trace(&a, "void gemm<4>(int)");
    kernel_att_facts(&f, &a);
    /* the stall is a part of the latency */
    assert_true(fabs(f.v[FACT_STALL] - 5940.0 / 6800) < 1e-12);
    assert_true(fabs(f.v[FACT_VALU] - 120.0 / 180) < 1e-12);
    assert_true(fabs(f.v[FACT_VMEM] - 20.0 / 180) < 1e-12);
    assert_true(fabs(f.v[FACT_BRANCH] - 10.0 / 180) < 1e-12);
    assert_true(f.v[FACT_SALU] == 0);
    assert_true(f.v[FACT_MEM_LATENCY] == 500); /* of one wait; LDS does not count as memory */
    assert_true(isnan(f.v[FACT_MEAN]));        /* times are those of the profile */
    att_free(&a);
}

TEST(a_trace_adds_to_the_rows_of_its_kernel)
{
    struct kernels k = table();
    struct att a;
    trace(&a, "void gemm<4>(int)");
    k.by[KERNELS_BY_NAME].rows[0].facts.v[FACT_STALL] = 0.1; /* a fact from counters is kept */
    assert_int_equal(kernels_add_att(&k, &a), 3);
    assert_true(rows[KERNELS_BY_NAME][0].facts.v[FACT_STALL] == 0.1);
    assert_int_equal(rows[KERNELS_BY_NAME][0].label.label, LABEL_MIXED);
    assert_int_equal(rows[KERNELS_BY_BASE][0].label.label, LABEL_LATENCY);
    assert_int_equal(rows[KERNELS_BY_BASE][0].label.confidence, CONFIDENCE_HIGH);
    assert_true(rows[KERNELS_BY_SHAPE][0].traced);
    assert_false(rows[KERNELS_BY_NAME][1].traced);
    assert_true(isnan(rows[KERNELS_BY_NAME][1].facts.v[FACT_VALU]));
    att_free(&a);
}

TEST(another_kernel_or_none_adds_nothing)
{
    struct kernels k = table();
    struct att a;
    trace(&a, "elsewhere(int)");
    assert_int_equal(kernels_add_att(&k, &a), 0);
    att_free(&a);
    a = (struct att){.gfx = 9};
    a.name = "";
    att_finish(&a);
    assert_int_equal(kernels_add_att(&k, &a), 0);
    att_free(&a);
}
