/* Sums over the rows of a thread trace, with made-up traces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/att/att_analysis.h"
#include "support/att_made.h"
#include "support/test.h"

static void near(double a, double b, int line)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("line %d: %g, not %g", line, a, b);
}
#define NEAR(a, b) near(a, b, __LINE__)

TEST(mnemonics_have_their_category)
{
    static const struct {
        const char *isa;
        enum att_category category;
    } rows[] = {
        {"v_fma_f32 v0, v1, v2, v3", ATT_VALU},
        {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", ATT_MATRIX},
        {"v_smfmac_f32_16x16x32_f16 v[0:3]", ATT_MATRIX},
        {"v_wmma_f32_16x16x16_f16 v[0:7]", ATT_MATRIX},
        {"v_accvgpr_read_b32 v0, a0", ATT_VALU},
        {"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3", ATT_VALU},
        {"s_add_u32 s0, s1, s2", ATT_SALU},
        {"s_mov_b64 s[0:1], 0", ATT_SALU},
        {"s_setreg_b32 hwreg(HW_REG_MODE), s0", ATT_SALU},
        {"s_load_dwordx4 s[0:3], s[4:5], 0x0", ATT_SMEM},
        {"s_buffer_load_dword s0, s[4:7], 0x0", ATT_SMEM},
        {"s_memtime s[0:1]", ATT_SMEM},
        {"s_waitcnt vmcnt(0)", ATT_WAIT},
        {"s_wait_loadcnt 0x0", ATT_WAIT},
        {"s_barrier_signal -1", ATT_BARRIER},
        {"s_nop 0", ATT_IMMED},
        {"s_endpgm", ATT_IMMED},
        {"s_delay_alu instid0(VALU_DEP_1)", ATT_IMMED},
        {"s_cbranch_scc1 65530", ATT_JUMP},
        {"s_branch 12", ATT_JUMP},
        {"s_setpc_b64 s[30:31]", ATT_JUMP},
        {"s_sendmsg sendmsg(MSG_INTERRUPT)", ATT_MESSAGE},
        {"global_load_dword v1, v0, s[0:1]", ATT_VMEM},
        {"buffer_store_dword v1, off, s[0:3], 0", ATT_VMEM},
        {"scratch_load_dword v1, off", ATT_VMEM},
        {"image_load v0, v1, s[0:7]", ATT_VMEM},
        {"image_bvh_intersect_ray v[0:3], v[4:14], s[0:3]", ATT_BVH},
        {"flat_load_dword v1, v[0:1]", ATT_FLAT},
        {"ds_read_b32 v4, v5", ATT_LDS},
        {"  s_nop 0", ATT_IMMED},
        {"\tds_read_b32 v4, v5", ATT_LDS},
        {" \t s_branch 12", ATT_JUMP},
        {"exp mrt0 v0, v1, v2, v3", ATT_OTHER},
        {"", ATT_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (att_category_of(rows[i].isa) != rows[i].category)
            fail_msg("%s is %s", rows[i].isa, att_category_name(att_category_of(rows[i].isa)));
}

TEST(places_are_found_in_sources)
{
    static const struct {
        const char *source, *file;
        uint32_t line;
    } rows[] = {
        {"axpy.cpp:7", "axpy.cpp", 7},
        {"/a/b.h:12 -> c.cpp:3", "/a/b.h", 12},
        {"C:/x.cpp:44", "C:/x.cpp", 44},
        {"", "", 0},
        {"x.cpp", "", 0},
        {":7", "", 0},
        {"x.cpp:", "", 0},
        {"x.cpp:99999999999", "", 0},
        {"axpy(float*, float*, int)", "", 0},
        {"7", "", 0},
    };
    struct att a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        att_made_row(&a, "v_nop", i, 0, 0, 0)->source = rows[i].source;
        att_row_complete(&a, a.nrows - 1);
        assert_string_equal(a.rows[i].file, rows[i].file);
        assert_int_equal(a.rows[i].source_line, rows[i].line);
    }
    att_free(&a);
}

/* Latency contains the stall: cycles are never latency + stall. */
TEST(cycles_are_counted_once)
{
    struct att a = {0};
    struct att_totals t;
    att_made_row(&a, "; kernel.kd", 0, 0, 0, 0);
    att_made_row(&a, "v_add_f32 v0, v1, v2", 0, 4, 40, 30)->idle = 5;
    att_made_row(&a, "global_load_dword v1, v0, s[0:1]", 4, 4, 160, 70);
    att_made_row(&a, "v_nop", 12, 0, 0, 0);
    att_totals(&a, &t);
    assert_int_equal(t.all.rows, 3);
    assert_int_equal(t.all.executed, 2);
    assert_int_equal(t.all.hits, 8);
    assert_int_equal(t.all.latency, 200);
    assert_int_equal(t.all.stall, 100);
    assert_int_equal(t.all.idle, 5);
    assert_int_equal(t.category[ATT_VALU].latency, 40);
    assert_int_equal(t.category[ATT_VMEM].stall, 70);
    NEAR(att_share(t.all.stall, t.all.latency), 0.5);
    NEAR(att_per_hit(&a.rows[2]), 40);
    assert_true(isnan(att_per_hit(&a.rows[3])));
    assert_true(isnan(att_share(0, 0)));
    att_free(&a);
}

/* Each reason has its own sum, from the first to the last that exists; rows without reasons add to
 * none. */
TEST(reasons_are_summed_apart)
{
    struct att a = {0};
    struct att_totals t;
    att_made_row(&a, "v_nop", 0, 1, 7, 7);
    for (uint64_t i = 0; i < 2; i++) {
        struct att_row *r = att_made_row(&a, "s_waitcnt vmcnt(0)", 4 + 4 * i, 1, 7, 7);
        a.reasons = att_grow(a.reasons, a.nreasons, sizeof *a.reasons);
        for (unsigned k = 0; k < ATT_REASONS_MAX; k++)
            a.reasons[a.nreasons][k] = 100 * i + k + 1;
        r->reasons = a.nreasons++;
    }
    att_totals(&a, &t);
    for (unsigned k = 0; k < ATT_REASONS_MAX; k++)
        assert_int_equal(t.reasons[k], 100 + 2 * (k + 1));
    att_free(&a);
}

TEST(sums_do_not_wrap)
{
    struct att a = {0};
    struct att_totals t;
    att_made_row(&a, "v_nop", 0, 1, UINT64_MAX - 1, 0);
    att_made_row(&a, "v_nop", 4, 1, 7, 0);
    att_totals(&a, &t);
    assert_true(t.all.latency == UINT64_MAX);
    att_free(&a);
}

TEST(the_hottest_come_first_in_one_order)
{
    struct att a = {0};
    uint32_t n;
    att_made_row(&a, "; kernel.kd", 0, 0, 0, 0);
    att_made_row(&a, "v_a", 0, 1, 10, 0);
    att_made_row(&a, "v_b", 4, 1, 90, 0);
    att_made_row(&a, "v_c", 8, 2, 10, 0);
    att_made_row(&a, "v_d", 12, 1, 10, 0);
    att_made_row(&a, "v_e", 16, 0, 0, 0)->stalled = 3;
    att_made_row(&a, "v_f", 20, 0, 0, 0);
    uint32_t *hot = att_hottest(&a, &n);
    const uint32_t expected[] = {2, 3, 1, 4, 5, 6};
    assert_int_equal(n, 6);
    assert_memory_equal(hot, expected, sizeof expected);
    free(hot);
    att_free(&a);
}

TEST(kernels_are_named_by_their_marker)
{
    struct att a = {0};
    assert_string_equal(att_kernel_name(&a), "");
    att_made_row(&a, "; _Z1fv.kd", 0, 0, 0, 0);
    assert_string_equal(att_kernel_name(&a), "_Z1fv.kd");
    att_made_row(&a, "v_nop", 0, 0, 0, 0);
    struct att_row *marker = att_made_row(&a, "; _Z1gv.kd", 256, 0, 0, 0);
    marker->isa = "; _Z1gv.kd";
    marker->source = "g()"; /* the tool has the demangled name here */
    att_row_complete(&a, 2);
    att_made_row(&a, "v_nop", 256, 3, 9, 0);
    assert_string_equal(att_kernel_name(&a), "g()");
    att_free(&a);
}

TEST(rows_are_found_by_line)
{
    struct att a = {0};
    att_made_row(&a, "v_c", 8, 0, 0, 0)->line = 30;
    att_made_row(&a, "v_a", 0, 0, 0, 0)->line = 10;
    att_made_row(&a, "; k", 0, 0, 0, 0)->line = 10;
    att_made_row(&a, "v_b", 4, 0, 0, 0)->line = 20;
    att_finish(&a);
    assert_string_equal(a.rows[att_row_of_line(&a, 10)].isa, "v_a");
    assert_string_equal(a.rows[att_row_of_line(&a, 20)].isa, "v_b");
    assert_string_equal(a.rows[att_row_of_line(&a, 30)].isa, "v_c");
    assert_int_equal(att_row_of_line(&a, 15), ATT_UNKNOWN);
    assert_int_equal(att_row_of_line(&a, 31), ATT_UNKNOWN);
    att_free(&a);
}

/* A loop: an entry, the body from 8 on, to which the branch at 16 goes back, and the exit. */
TEST(blocks_begin_at_targets_and_behind_branches)
{
    struct att a = {0};
    uint32_t n;
    att_made_row(&a, "; k.kd", 0, 0, 0, 0);
    att_made_row(&a, "s_mov_b32 s0, 0", 0, 1, 4, 0);
    att_made_row(&a, "s_mov_b32 s1, 0", 4, 1, 4, 0);
    att_made_row(&a, "v_add_f32 v0, v1, v2", 8, 10, 400, 300);
    att_made_row(&a, "s_add_u32 s0, s0, 1", 12, 10, 40, 0);
    att_made_row(&a, "s_cbranch_scc1 65533", 16, 10, 80, 0); /* 16 + 4 - 12 = 8 */
    att_made_row(&a, "s_endpgm", 20, 1, 4, 0);
    att_made_row(&a, "; other.kd", 256, 0, 0, 0);
    att_made_row(&a, "s_endpgm", 256, 0, 0, 0);
    struct att_block *b = att_blocks(&a, &n);
    assert_int_equal(n, 4);
    assert_int_equal(b[0].first, 3);
    assert_int_equal(b[0].nrows, 3);
    assert_int_equal(b[0].entered, 10);
    assert_int_equal(b[0].sum.latency, 520);
    assert_int_equal(b[0].sum.stall, 300);
    assert_int_equal(b[1].first, 1);
    assert_int_equal(b[1].nrows, 2);
    assert_int_equal(b[2].first, 6);
    assert_int_equal(b[3].first, 8);
    free(b);
    att_free(&a);
}

TEST(latency_ends_as_the_generation_says)
{
    struct att a = {.gfx = 9, .gfxv = "vega"};
    char name[32];
    assert_string_equal(att_latency_end(&a), "issue");
    assert_string_equal(att_gfx_name(&a, name), "gfx9 (vega)");
    a.gfx = 11, a.gfxv = "navi";
    assert_string_equal(att_latency_end(&a), "execution");
    a.gfx = ATT_UNKNOWN;
    assert_string_equal(att_latency_end(&a), "execution");
    a.gfxv = "vega";
    assert_string_equal(att_latency_end(&a), "issue");
    a.gfxv = "";
    assert_null(att_latency_end(&a));
    assert_string_equal(att_gfx_name(&a, name), "unknown GPU");
}
