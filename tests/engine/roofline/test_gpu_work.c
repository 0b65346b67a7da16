/* Work of dispatches computed from counters, with each architecture's formulas; the expected
 * numbers were computed by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/roofline/gpu_work.h"
#include "support/gpu_profile.h"
#include "support/trace_look.h"
#include "support/test.h"

struct value {
    const char *counter;
    double v;
};

/* One dispatch of 1000 ns with these counters. */
static void work_of(struct gpu_work *w, const char *arch, const struct value *values, size_t n,
                    bool backwards)
{
    struct gpu_profile p;
    struct trace t;
    gpu_profile_open(&p, "work", arch, "", "{}");
    unsigned d = gpu_profile_dispatch(&p, "k()", 100, 1100);
    for (size_t i = 0; i < n; i++) {
        const struct value *v = &values[backwards ? n - 1 - i : i];
        gpu_profile_counter(&p, d, v->counter, v->v);
    }
    gpu_profile_close(&p);
    look_open(&t, p.file.path);
    assert_int_equal(t.ndispatches, 1);
    gpu_work_of(w, &t, 0);
    trace_free(&t);
    gpu_profile_remove(&p);
}
#define WORK(w, arch, values) work_of(w, arch, values, sizeof(values) / sizeof *(values), false)

#define VALU(t, add, mul, trans, fma)                                                              \
    {"SQ_INSTS_VALU_ADD_" #t, add}, {"SQ_INSTS_VALU_MUL_" #t, mul},                                \
        {"SQ_INSTS_VALU_TRANS_" #t, trans},                                                        \
    {                                                                                              \
        "SQ_INSTS_VALU_FMA_" #t, fma                                                               \
    }

TEST(gfx90a)
{
    static const struct value values[] = {
        VALU(F64, 1, 2, 3, 4),
        VALU(F32, 10, 20, 30, 40),
        VALU(F16, 5, 0, 0, 100),
        {"SQ_INSTS_VALU_MFMA_MOPS_F64", 7},
        {"SQ_INSTS_VALU_MFMA_MOPS_F32", 8},
        {"SQ_INSTS_VALU_MFMA_MOPS_F16", 9},
        {"SQ_INSTS_VALU_MFMA_MOPS_BF16", 10},
        {"SQ_INSTS_VALU_MFMA_MOPS_I8", 11},
        {"TCC_EA_RDREQ_sum", 1000},
        {"TCC_EA_RDREQ_32B_sum", 100},
        {"TCC_EA_WRREQ_sum", 500},
        {"TCC_EA_WRREQ_64B_sum", 300},
        {"TCP_TCC_READ_REQ_sum", 50},
        {"TCP_TCC_WRITE_REQ_sum", 20},
        {"TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 2},
        {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", 1},
        {"TCP_TOTAL_CACHE_ACCESSES_sum", 4000},
        {"SQ_LDS_IDX_ACTIVE", 600},
        {"SQ_LDS_BANK_CONFLICT", 100},
    };
    struct gpu_work w;
    WORK(&w, "gfx90a", values);
    assert_true(w.ops[UNIT_VALU][WORK_F64] == 64 * (1 + 2 + 3 + 2 * 4));
    assert_true(w.ops[UNIT_VALU][WORK_F32] == 64 * (10 + 20 + 30 + 2 * 40));
    assert_true(w.ops[UNIT_VALU][WORK_F16] == 64 * (5 + 2 * 100));
    assert_true(w.ops[UNIT_MATRIX][WORK_F64] == 512 * 7);
    assert_true(w.ops[UNIT_MATRIX][WORK_F32] == 512 * 8);
    assert_true(w.ops[UNIT_MATRIX][WORK_F16] == 512 * 9);
    assert_true(w.ops[UNIT_MATRIX][WORK_BF16] == 512 * 10);
    assert_true(w.ops[UNIT_MATRIX][WORK_I8] == 512 * 11);
    /* the GPU has no F8: unknown, but nothing is missing */
    assert_true(isnan(w.ops[UNIT_MATRIX][WORK_F8]));
    assert_true(w.bytes[LEVEL_HBM] == 100 * 32 + 900 * 64 + 300 * 64 + 200 * 32);
    assert_true(w.bytes[LEVEL_L2] == 73 * 64);
    assert_true(w.bytes[LEVEL_L1] == 4000 * 64);
    assert_true(w.bytes[LEVEL_LDS] == 500 * 32 * 4);
    assert_int_equal(w.missing, 0);
    assert_int_equal(w.derived, 0);
}

static const struct value mi300[] = {
    VALU(F64, 0, 0, 0, 0),
    VALU(F32, 1, 1, 1, 1),
    VALU(F16, 0, 0, 0, 3),
    {"SQ_INSTS_VALU_MFMA_MOPS_F64", 1},
    {"SQ_INSTS_VALU_MFMA_MOPS_F32", 2},
    {"SQ_INSTS_VALU_MFMA_MOPS_F16", 3},
    {"SQ_INSTS_VALU_MFMA_MOPS_BF16", 4},
    {"SQ_INSTS_VALU_MFMA_MOPS_F8", 5},
    {"SQ_INSTS_VALU_MFMA_MOPS_I8", 6},
    {"TCC_EA0_RDREQ", 1000}, /* 1000 reads: 600 of 128 bytes, 100 of 32, 300 of 64 */
    {"TCC_BUBBLE", 600},
    {"TCC_EA0_RDREQ_32B", 100},
    {"TCC_EA0_WRREQ", 50},
    {"TCC_EA0_WRREQ_64B", 40},
    {"TCP_TCC_READ_REQ_sum", 10},
    {"TCP_TCC_WRITE_REQ_sum", 10},
    {"TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 0},
    {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", 0},
    {"TCP_TOTAL_CACHE_ACCESSES_sum", 100},
    {"SQ_LDS_IDX_ACTIVE", 10},
    {"SQ_LDS_BANK_CONFLICT", 10},
};
enum { MI300 = sizeof mi300 / sizeof *mi300 };

TEST(mi300_counts_reads_of_128_bytes)
{
    static const char *const archs[] = {"gfx940", "gfx941", "gfx942:sramecc+:xnack-"};
    for (size_t i = 0; i < 3; i++) {
        struct gpu_work w;
        WORK(&w, archs[i], mi300);
        assert_true(w.bytes[LEVEL_HBM] == 600 * 128 + 100 * 32 + 300 * 64 + 40 * 64 + 10 * 32);
        assert_true(w.bytes[LEVEL_L1] == 100 * 128);
        assert_true(w.bytes[LEVEL_LDS] == 0); /* it was counted, and there was none */
        assert_true(w.ops[UNIT_VALU][WORK_F64] == 0);
        assert_true(w.ops[UNIT_MATRIX][WORK_F8] == 512 * 5);
        assert_true(isnan(w.ops[UNIT_MATRIX][WORK_XF32]));
        assert_int_equal(w.missing, 0);
    }
}

TEST(gfx950)
{
    struct value values[MI300 + 2];
    struct gpu_work w;
    memcpy(values, mi300, sizeof mi300);
    values[MI300] = (struct value){"SQ_INSTS_VALU_MFMA_MOPS_F6F4", 12};
    values[MI300 + 1] = (struct value){"SQ_INSTS_VALU_MFMA_MOPS_XF32", 13};
    WORK(&w, "gfx950", values);
    assert_true(w.ops[UNIT_MATRIX][WORK_F6F4] == 512 * 12);
    assert_true(w.ops[UNIT_MATRIX][WORK_XF32] == 512 * 13);
    assert_int_equal(w.missing, 0);
    work_of(&w, "gfx950", mi300, MI300, false);
    assert_int_equal(w.missing, 2);
}

TEST(rdna3_knows_its_memory_only)
{
    static const struct value values[] = {
        {"GL2C_EA_RDREQ_32B_sum", 1},  {"GL2C_EA_RDREQ_64B_sum", 2}, {"GL2C_EA_RDREQ_96B_sum", 3},
        {"GL2C_EA_RDREQ_128B_sum", 4}, {"GL2C_MC_WRREQ_sum", 10},    {"GL2C_EA_WRREQ_64B_sum", 4},
        {"SQ_INSTS_VALU_FMA_F32", 4},
    };
    struct gpu_work w;
    WORK(&w, "gfx1100", values);
    assert_true(w.bytes[LEVEL_HBM] == 32 + 128 + 288 + 512 + 6 * 32 + 4 * 64);
    assert_true(isnan(w.bytes[LEVEL_L2]) && isnan(w.ops[UNIT_VALU][WORK_F32]));
    assert_int_equal(w.missing, 0);
}

TEST(nvidia_metrics_by_name)
{
    static const struct value values[] = {
        {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", 100},
        {"sm__sass_thread_inst_executed_op_fmul_pred_on.sum", 10},
        {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", 1000},
        {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 1},
        {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 2},
        {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 3},
        {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 65536},
        {"dram__bytes_read.sum", 300},
        {"dram__bytes_write.sum", 40},
        {"lts__t_bytes.sum", 500},
        {"l1tex__t_bytes.sum", 600},
    };
    struct gpu_work w;
    WORK(&w, "sm_90", values);
    assert_true(w.ops[UNIT_VALU][WORK_F32] == 2110);
    assert_true(w.ops[UNIT_VALU][WORK_F16] == 9);
    assert_true(isnan(w.ops[UNIT_VALU][WORK_F64]));
    assert_true(w.ops[UNIT_MATRIX][WORK_BF16] == 65536);
    assert_true(w.bytes[LEVEL_HBM] == 340);
    assert_true(w.bytes[LEVEL_L2] == 500 && w.bytes[LEVEL_L1] == 600);
    assert_true(isnan(w.bytes[LEVEL_LDS]));
    assert_int_equal(w.missing, 4); /* three of f64, one of shared memory */
}

/* If a counter is missing, the numbers that need it are unknown, and all others stay. */
TEST(a_missing_counter_is_unknown_never_zero)
{
    struct gpu_work all, w;
    work_of(&all, "gfx942", mi300, MI300, false);
    for (size_t left_out = 0; left_out < MI300; left_out++) {
        struct value values[MI300];
        unsigned unknown = 0;
        memcpy(values, mi300, sizeof mi300);
        values[left_out].counter = "SQ_WAVES";
        work_of(&w, "gfx942", values, MI300, false);
        const double *x = &all.ops[0][0], *y = &w.ops[0][0];
        for (int i = 0; i < WORK_UNITS * WORK_TYPES; i++) {
            unknown += isnan(y[i]) && !isnan(x[i]);
            assert_true(isnan(y[i]) || x[i] == y[i]);
        }
        for (int l = 0; l < WORK_LEVELS; l++) {
            unknown += isnan(w.bytes[l]);
            assert_true(isnan(w.bytes[l]) || all.bytes[l] == w.bytes[l]);
        }
        assert_int_equal(unknown, 1);
        assert_int_equal(w.missing, 1);
    }
}

TEST(the_order_of_rows_changes_nothing)
{
    struct gpu_work a, b;
    work_of(&a, "gfx942", mi300, MI300, false);
    work_of(&b, "gfx942", mi300, MI300, true);
    assert_memory_equal(a.ops[UNIT_VALU], b.ops[UNIT_VALU], 3 * sizeof(double));
    assert_memory_equal(a.bytes, b.bytes, sizeof a.bytes);
}

TEST(instances_are_summed)
{
    static const struct value values[] = {{"TCP_TOTAL_CACHE_ACCESSES", 1},
                                          {"TCP_TOTAL_CACHE_ACCESSES", 2},
                                          {"TCP_TOTAL_CACHE_ACCESSES", 4}};
    struct gpu_work w;
    WORK(&w, "gfx942", values);
    assert_true(w.bytes[LEVEL_L1] == 7 * 128);
}

TEST(sums_of_the_profiler_are_a_fallback)
{
    static const struct value derived[] = {{"FETCH_SIZE", 3}, {"WRITE_SIZE", 2}};
    static const struct value old[] = {{"FetchSize", 3}, {"WriteSize", 0}};
    static const struct value half[] = {{"FETCH_SIZE", 3}};
    struct value both[MI300 + 2];
    struct gpu_work w;
    WORK(&w, "gfx942", derived);
    assert_true(w.bytes[LEVEL_HBM] == 5 * 1024);
    assert_int_equal(w.derived, 1 << LEVEL_HBM);
    WORK(&w, "gfx906", old);
    assert_true(w.bytes[LEVEL_HBM] == 3 * 1024);
    WORK(&w, "gfx942", half);
    assert_true(isnan(w.bytes[LEVEL_HBM]));
    memcpy(both, derived, sizeof derived);
    memcpy(both + 2, mi300, sizeof mi300);
    WORK(&w, "gfx942", both);
    assert_true(w.bytes[LEVEL_HBM] != 5 * 1024);
    assert_int_equal(w.derived, 0);
}

TEST(nonsense_is_not_counted)
{
    static const struct value negative[] = {{"TCP_TOTAL_CACHE_ACCESSES", -4}};
    static const struct value conflicts[] = {{"SQ_LDS_IDX_ACTIVE", 10},
                                             {"SQ_LDS_BANK_CONFLICT", 11}};
    struct gpu_work w;
    WORK(&w, "gfx942", negative);
    assert_true(isnan(w.bytes[LEVEL_L1]));
    WORK(&w, "gfx942", conflicts);
    assert_true(isnan(w.bytes[LEVEL_LDS]));
    WORK(&w, "gfx9999", conflicts); /* no formulas */
    assert_true(isnan(w.bytes[LEVEL_LDS]));
    assert_int_equal(w.missing, 0);
    WORK(&w, "", conflicts);
    assert_int_equal(w.missing, 0);
}

TEST(a_dispatch_has_its_own_counters_only)
{
    struct gpu_profile p;
    struct trace t;
    struct gpu_work w;
    gpu_profile_open(&p, "own", "gfx942", "", "{}");
    unsigned a = gpu_profile_dispatch(&p, "k()", 100, 200);
    unsigned b = gpu_profile_dispatch(&p, "k()", 300, 400);
    gpu_profile_counter(&p, a, "SQ_LDS_IDX_ACTIVE", 10);
    gpu_profile_counter(&p, b, "SQ_LDS_BANK_CONFLICT", 1);
    gpu_profile_counter(&p, b, "TCP_TOTAL_CACHE_ACCESSES", 5);
    gpu_profile_close(&p);
    look_open(&t, p.file.path);
    for (uint32_t i = 0; i < t.ndispatches; i++) {
        gpu_work_of(&w, &t, i);
        assert_true(isnan(w.bytes[LEVEL_LDS]));
        assert_true(trace_dispatch_at(&t, i).id == a ? isnan(w.bytes[LEVEL_L1])
                                                     : w.bytes[LEVEL_L1] == 5 * 128);
    }
    trace_free(&t);
    gpu_profile_remove(&p);
}

/* --- CSV --- */

TEST(counters_of_a_csv_file)
{
    static const char text[] =
        "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Id,"
        "Kernel_Name,Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
        "SGPR_Count,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
        "1,1,Agent 4,1,42,42,64,1,k,64,0,0,8,0,16,TCC_EA_RDREQ_sum,10.0,100,200\n"
        "1,1,Agent 4,1,42,42,64,1,k,64,0,0,8,0,16,TCC_EA_RDREQ_32B_sum,2.0,100,200\n"
        "1,1,Agent 4,1,42,42,64,1,k,64,0,0,8,0,16,TCC_EA_WRREQ_sum,5.0,100,200\n"
        "1,1,Agent 4,1,42,42,64,1,k,64,0,0,8,0,16,TCC_EA_WRREQ_64B_sum,5.0,100,200\n";
    static const char agents[] =
        "Node_Id,Logical_Node_Id,Logical_Node_Type_Id,Agent_Type,Name,Product_Name,Cu_Count,"
        "Max_Engine_Clk_Fcompute\n4,4,0,GPU,gfx90a,AMD Instinct MI250X,110,1700\n";
    char folder[] = "/tmp/rooftop-work-XXXXXX", a[64], b[64];
    struct trace t = {0};
    struct gpu_work w;
    assert_non_null(mkdtemp(folder));
    snprintf(a, sizeof a, "%s/42_counter_collection.csv", folder);
    snprintf(b, sizeof b, "%s/42_agent_info.csv", folder);
    FILE *f = fopen(a, "w");
    fputs(text, f);
    fclose(f);
    f = fopen(b, "w");
    fputs(agents, f);
    fclose(f);
    const char *paths[] = {a, b};
    assert_int_equal(trace_open(&t, paths, 2, NULL), 0);
    unlink(a);
    unlink(b);
    rmdir(folder);
    assert_int_equal(t.ndispatches, 1);
    gpu_work_of(&w, &t, 0);
    assert_true(w.bytes[LEVEL_HBM] == 8 * 64 + 2 * 32 + 5 * 64);
    trace_free(&t);
}
