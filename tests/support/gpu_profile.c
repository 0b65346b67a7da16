#include "support/gpu_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void gpu_profile_open(struct gpu_profile *p, const char *name, const char *arch,
                      const char *product, const char *extdata)
{
    char sql[512];
    memset(p, 0, sizeof *p);
    rocpd_file_open(&p->file, name);
    rocpd_file_sql(&p->file, "BEGIN");
    rocpd_file_tables(&p->file, "_a", "g1");
    rocpd_file_names(&p->file);
    snprintf(sql, sizeof sql,
             "UPDATE [rocpd_info_agent@] SET name = '%s', product_name = '%s', extdata = '%s'"
             " WHERE id = 4; DELETE FROM [rocpd_info_kernel_symbol@];",
             arch, product, extdata);
    rocpd_file_sql(&p->file, sql);
}

static unsigned number_of(const char **list, unsigned *n, unsigned max, const char *name)
{
    unsigned i = 0;
    while (i < *n && strcmp(list[i], name) != 0)
        i++;
    assert_true(i < max);
    list[i] = name;
    return i;
}

unsigned gpu_profile_dispatch(struct gpu_profile *p, const char *kernel, unsigned long start,
                              unsigned long end)
{
    char sql[512];
    unsigned i = number_of(p->kernel, &p->kernels, 64, kernel), id = ++p->dispatches;
    if (i == p->kernels) {
        p->kernels++;
        snprintf(sql, sizeof sql,
                 "INSERT INTO [rocpd_info_kernel_symbol@](id, kernel_name, display_name) VALUES"
                 "(%u, '%s.kd', '%s')",
                 i + 1, kernel, kernel);
        rocpd_file_sql(&p->file, sql);
    }
    snprintf(sql, sizeof sql,
             "INSERT INTO [rocpd_kernel_dispatch@](id, dispatch_id, kernel_id, start, [end],"
             " event_id) VALUES(%u, %u, %u, %lu, %lu, %u)",
             id, id, i + 1, start, end, id);
    rocpd_file_sql(&p->file, sql);
    return id;
}

void gpu_profile_counter(struct gpu_profile *p, unsigned dispatch, const char *name, double value)
{
    char sql[512];
    unsigned i = number_of(p->counter, &p->counters, 128, name);
    if (i == p->counters) {
        p->counters++;
        snprintf(sql, sizeof sql, "INSERT INTO [rocpd_info_pmc@](id, name) VALUES(%u, '%s')", i + 1,
                 name);
        rocpd_file_sql(&p->file, sql);
    }
    snprintf(sql, sizeof sql,
             "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) VALUES(%u, %u, %.17g)",
             dispatch, i + 1, value);
    rocpd_file_sql(&p->file, sql);
}

void gpu_profile_close(struct gpu_profile *p)
{
    rocpd_file_sql(&p->file, "COMMIT");
    rocpd_file_close(&p->file);
}

void gpu_profile_remove(struct gpu_profile *p)
{
    rocpd_file_remove(&p->file);
}

/* A dispatch without vector operations: the four counters of every type, and those of MFMA, are
 * 0. */
static void idle_units(struct gpu_profile *p, unsigned d)
{
    static const char *const counters[] = {
        "SQ_INSTS_VALU_ADD_F16",        "SQ_INSTS_VALU_MUL_F16",
        "SQ_INSTS_VALU_TRANS_F16",      "SQ_INSTS_VALU_FMA_F16",
        "SQ_INSTS_VALU_ADD_F64",        "SQ_INSTS_VALU_MUL_F64",
        "SQ_INSTS_VALU_TRANS_F64",      "SQ_INSTS_VALU_FMA_F64",
        "SQ_INSTS_VALU_MFMA_MOPS_F64",  "SQ_INSTS_VALU_MFMA_MOPS_F32",
        "SQ_INSTS_VALU_MFMA_MOPS_BF16", "SQ_INSTS_VALU_MFMA_MOPS_F8",
        "SQ_INSTS_VALU_MFMA_MOPS_I8"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        gpu_profile_counter(p, d, counters[i], 0);
}

/* A dispatch with so many millions of: additions and FMAs of f32, MOPS of f16, and requests of
 * each level. */
static void busy(struct gpu_profile *p, unsigned d, const double m[7])
{
    idle_units(p, d);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_ADD_F32", m[0] * 1e6);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_MUL_F32", 0);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_TRANS_F32", 0);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_FMA_F32", m[1] * 1e6);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_MFMA_MOPS_F16", m[2] * 1e6);
    gpu_profile_counter(p, d, "TCC_EA0_RDREQ", m[3] * 1e6);
    gpu_profile_counter(p, d, "TCC_BUBBLE", m[3] * 1e6 / 2);
    gpu_profile_counter(p, d, "TCC_EA0_RDREQ_32B", 0);
    gpu_profile_counter(p, d, "TCC_EA0_WRREQ", m[4] * 1e6);
    gpu_profile_counter(p, d, "TCC_EA0_WRREQ_64B", m[4] * 1e6);
    gpu_profile_counter(p, d, "TCP_TCC_READ_REQ_sum", m[5] * 1e6);
    gpu_profile_counter(p, d, "TCP_TCC_WRITE_REQ_sum", m[4] * 1e6);
    gpu_profile_counter(p, d, "TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 0);
    gpu_profile_counter(p, d, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", 0);
    gpu_profile_counter(p, d, "TCP_TOTAL_CACHE_ACCESSES_sum", m[5] * 2e6);
    gpu_profile_counter(p, d, "SQ_LDS_IDX_ACTIVE", m[6] * 1e6);
    gpu_profile_counter(p, d, "SQ_LDS_BANK_CONFLICT", m[6] * 1e5);
}

void gpu_profile_mi300x(struct gpu_profile *p)
{
    /* gemm: 2 G MOPS of f16 in 1 ms are 1024 TFLOP/s of 1307; axpy: 4.4 GB in 1 ms of 5.3 TB/s */
    static const double gemm[] = {10, 30, 2000, 5, 3, 60, 300}, axpy[] = {0, 8, 0, 30, 24, 46, 0};
    gpu_profile_open(p, "mi300x", "gfx942", "AMD Instinct MI300X",
                     "{\"cu_count\": 304, \"max_engine_clk_fcompute\": 2100}");
    for (unsigned i = 0; i < 4; i++) {
        unsigned long at = 10000000ul * i;
        double slower[7];
        busy(p, gpu_profile_dispatch(p, "gemm(half*, half*)", at, at + 1000000), gemm);
        for (int k = 0; k < 7; k++)
            slower[k] = axpy[k] * (i ? 1 : 0.5);
        busy(p, gpu_profile_dispatch(p, "saxpy(float*)", at + 2000000, at + 3000000), slower);
    }
    unsigned d = gpu_profile_dispatch(p, "softmax(float*)", 50000000, 50400000);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_ADD_F32", 5e6);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_MUL_F32", 5e6);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_TRANS_F32", 5e6);
    gpu_profile_counter(p, d, "SQ_INSTS_VALU_FMA_F32", 20e6);
    gpu_profile_counter(p, d, "FETCH_SIZE", 600e3);
    gpu_profile_counter(p, d, "WRITE_SIZE", 600e3);
    gpu_profile_dispatch(p, "fill(int*)", 51000000, 51200000);
    gpu_profile_close(p);
}
