#include "engine/roofline/gpu_work_table.h"

#include <stddef.h>

/*
 * Sources:
 *   [S] rocprof-compute (ROCm/rocm-systems 1b1610fc2), src/utils/roofline_calc.py and
 *       src/rocprof_compute_soc: which counters make FLOPs and bytes;
 *   [D] rocprofiler-sdk's counter_defs.yaml: which counters an architecture has, and what its
 *       FETCH_SIZE and WRITE_SIZE are made of;
 *   [L] CDNA 3 white paper: lines of the vector L1 are 128 bytes (64 before): the number of bytes
 *       an access stands for, as in AMDResearch/intellikit's metrix for gfx942;
 *   [N] Yang, Kurth, Williams, "Hierarchical Roofline Analysis for GPUs", 2019: the metrics of
 *       Nsight Compute; the tensor paths count operations ("sm__ops_path_tensor").
 * SQ_INSTS_VALU_* count instructions of a wave of 64 work-items, an FMA is two operations of each;
 * a unit of MOPS is 512 operations. TRANS are transcendental functions, one operation each.
 */
#define CDNA      "gfx90a gfx940 gfx941 gfx942 gfx950"
#define MI300     "gfx940 gfx941 gfx942 gfx950"
#define NVIDIA    "sm_*"
#define OPS(u, t) .unit = UNIT_##u, .type = WORK_##t
#define BYTES(l)  .memory = true, .level = LEVEL_##l

#define VALU(t)                                                                                    \
    {                                                                                              \
        CDNA, OPS(VALU, t),                                                                        \
            .terms = {{"SQ_INSTS_VALU_ADD_" #t, 64},                                               \
                      {"SQ_INSTS_VALU_MUL_" #t, 64},                                               \
                      {"SQ_INSTS_VALU_TRANS_" #t, 64},                                             \
                      {"SQ_INSTS_VALU_FMA_" #t, 128}},                                             \
            .source = "[S] [D]"                                                                    \
    }
#define MFMA(archs, t)                                                                             \
    {                                                                                              \
        archs, OPS(MATRIX, t), .terms = {{"SQ_INSTS_VALU_MFMA_MOPS_" #t, 512}},                    \
                               .source = "[S] [D]"                                                 \
    }
#define CUDA(t, letter)                                                                            \
    {                                                                                              \
        NVIDIA, OPS(VALU, t),                                                                      \
            .terms = {{"sm__sass_thread_inst_executed_op_" letter "add_pred_on.sum", 1},           \
                      {"sm__sass_thread_inst_executed_op_" letter "mul_pred_on.sum", 1},           \
                      {"sm__sass_thread_inst_executed_op_" letter "fma_pred_on.sum", 2}},          \
            .source = "[N]"                                                                        \
    }
#define TENSOR(t, path)                                                                            \
    {                                                                                              \
        NVIDIA, OPS(MATRIX, t), .optional = true,                                                  \
                                .terms = {{"sm__ops_path_tensor_src_" path ".sum", 1}},            \
                                .source = "[N]"                                                    \
    }

const struct work_formula work_formulas[] = {
    VALU(F64),
    VALU(F32),
    VALU(F16),
    MFMA(CDNA, F64),
    MFMA(CDNA, F32),
    MFMA(CDNA, F16),
    MFMA(CDNA, BF16),
    MFMA("gfx950", XF32), /* [D]: older architectures have no such counter */
    MFMA(MI300, F8),
    MFMA("gfx950", F6F4),
    MFMA(CDNA, I8),

    /* Requests are of 64 bytes unless the name says 32; see [D]'s FETCH_SIZE, WRITE_SIZE. */
    {"gfx908 gfx90a", BYTES(HBM),
     .terms = {{"TCC_EA_RDREQ", 64},
               {"TCC_EA_RDREQ_32B", -32},
               {"TCC_EA_WRREQ", 32},
               {"TCC_EA_WRREQ_64B", 32}},
     .source = "[S] [D]"},
    /* BUBBLE counts reads of 128 bytes, which RDREQ counts too: 128 B + 64 (R - B - R32) + .. */
    {MI300, BYTES(HBM),
     .terms = {{"TCC_EA0_RDREQ", 64},
               {"TCC_BUBBLE", 64},
               {"TCC_EA0_RDREQ_32B", -32},
               {"TCC_EA0_WRREQ", 32},
               {"TCC_EA0_WRREQ_64B", 32}},
     .source = "[S] [D]"},
    {"gfx103* gfx11*", BYTES(HBM),
     .terms = {{"GL2C_EA_RDREQ_32B", 32},
               {"GL2C_EA_RDREQ_64B", 64},
               {"GL2C_EA_RDREQ_96B", 96},
               {"GL2C_EA_RDREQ_128B", 128},
               {"GL2C_MC_WRREQ", 32},
               {"GL2C_EA_WRREQ_64B", 32}},
     .source = "[D] FETCH_SIZE, WRITE_SIZE of gfx1030 and gfx1100"},
    {"gfx*", BYTES(HBM), .derived = true, .terms = {{"FETCH_SIZE", 1024}, {"WRITE_SIZE", 1024}},
     .source = "[D]: in KB, by the profiler's own formula"},
    {"gfx*", BYTES(HBM), .derived = true, .terms = {{"FetchSize", 1024}, {"WriteSize", 1024}},
     .source = "[D]: older names of the same"},
    {CDNA, BYTES(L2),
     .terms = {{"TCP_TCC_READ_REQ", 64},
               {"TCP_TCC_WRITE_REQ", 64},
               {"TCP_TCC_ATOMIC_WITH_RET_REQ", 64},
               {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ", 64}},
     .source = "[S]"},
    {"gfx90a", BYTES(L1), .terms = {{"TCP_TOTAL_CACHE_ACCESSES", 64}}, .source = "[S]"},
    {MI300, BYTES(L1), .terms = {{"TCP_TOTAL_CACHE_ACCESSES", 128}}, .source = "[L]"},
    /* 32 banks of 4 bytes in each cycle without a conflict. */
    {CDNA, BYTES(LDS), .terms = {{"SQ_LDS_IDX_ACTIVE", 128}, {"SQ_LDS_BANK_CONFLICT", -128}},
     .source = "[S]"},

    CUDA(F64, "d"),
    CUDA(F32, "f"),
    CUDA(F16, "h"),
    TENSOR(F64, "fp64"),
    TENSOR(F64, "fp64_dst_fp64"),
    TENSOR(XF32, "tf32_dst_fp32"),
    TENSOR(F16, "fp16"),
    {NVIDIA, OPS(MATRIX, F16), .optional = true,
     .terms = {{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 1},
               {"sm__ops_path_tensor_src_fp16_dst_fp16.sum", 1}},
     .source = "[N]"},
    TENSOR(F16, "fp16_dst_fp32"), /* the accumulator is nearly always f32 */
    TENSOR(BF16, "bf16_dst_fp32"),
    TENSOR(F8, "fp8"),
    TENSOR(I8, "int8"),
    {NVIDIA, BYTES(HBM), .terms = {{"dram__bytes.sum", 1}}, .source = "[N]"},
    {NVIDIA, BYTES(HBM), .terms = {{"dram__bytes_read.sum", 1}, {"dram__bytes_write.sum", 1}},
     .source = "[N]"},
    {NVIDIA, BYTES(L2), .terms = {{"lts__t_bytes.sum", 1}}, .source = "[N]"},
    {NVIDIA, BYTES(L1), .terms = {{"l1tex__t_bytes.sum", 1}}, .source = "[N]"},
    /* A wavefront moves up to 32 banks of 4 bytes; wavefronts that conflicts cause are included. */
    {NVIDIA, BYTES(LDS), .terms = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 128}},
     .source = "CUDA C Programming Guide: 32 banks of 4 bytes"},
    {.archs = NULL},
};
