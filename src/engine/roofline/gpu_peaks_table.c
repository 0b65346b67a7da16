#include "engine/roofline/gpu_peaks_table.h"

#include <stddef.h>

/*
 * Sources:
 *   [C] rocprof-compute (ROCm/rocm-systems 1b1610fc2), analysis_configs/<arch>/
 *       0200_system_speed_of_light.yaml: operations and bytes a cycle and compute unit; the F6F4
 *       row of gfx950 corrected (16384; the file says 16834);
 *   [P] AMD's CDNA 2, 3 and 4 white papers and data sheets: packed F32 and F16 on the VALU, XF32,
 *       units, clocks and bandwidth of the products;
 *   [1] AMD's CDNA white paper, MI100's data sheet;
 *   [R] AMD's RDNA 3 instruction set: two F32 operations are issued at once (VOPD); data sheets of
 *       the Radeon cards;
 *   [A] NVIDIA A100 Tensor Core GPU Architecture, white paper (SXM: 108 SMs at 1410 MHz; the L2
 *       reads 5120 bytes a cycle);
 *   [H] NVIDIA H100 Tensor Core GPU Architecture, white paper (dense rates), H100 and H200 data
 *       sheets;
 *   [L] NVIDIA Ada GPU Architecture, white paper, and data sheets of RTX 6000 Ada, L40S and L4
 * (dense rates, accumulated in F16 where that is faster; 2 F64 cores an SM). Of the RTX 4090 it
 * says 82.6 TFLOP/s of F32 at the boost clock of 2520 MHz, product pages 83; [V] NVIDIA Tesla V100
 * GPU Architecture, white paper (SXM2: 80 SMs at 1530 MHz), data
 *       sheets of the PCIe cards; [N] AMD RDNA 2 instruction set and data
 * sheets of the processors with Radeon 680M (gfx1035): its memory is the machine's, whatever that
 * is; [G] CUDA C Programming Guide: shared memory has 32 banks of 4 bytes in each cycle.
 */
#define CDNA3 "gfx940 gfx941 gfx942"
#define ALL   "gfx90a gfx940 gfx941 gfx942 gfx950"
#define MI300 "gfx940 gfx941 gfx942 gfx950"

const struct unit_rate unit_rates[] = {
    {"gfx908", UNIT_VALU, WORK_F64, 64, false, "[1]"},
    {"gfx908", UNIT_VALU, WORK_F32, 128, false, "[1]"},
    {"gfx908", UNIT_VALU, WORK_F16, 256, false, "[1] packed"},
    {"gfx908", UNIT_MATRIX, WORK_F32, 256, false, "[1]"},
    {"gfx908", UNIT_MATRIX, WORK_F16, 1024, false, "[1]"},
    {"gfx908", UNIT_MATRIX, WORK_BF16, 512, false, "[1]"},
    {"gfx908", UNIT_MATRIX, WORK_I8, 1024, false, "[1]"},
    {ALL, UNIT_VALU, WORK_F64, 128, false, "[C]"},
    {ALL, UNIT_VALU, WORK_F32, 256, false, "[P] packed"},
    {ALL, UNIT_VALU, WORK_F32, 128, true, "[C]"},
    {ALL, UNIT_VALU, WORK_F16, 256, false, "[P] packed"},
    {"gfx90a", UNIT_MATRIX, WORK_F64, 256, false, "[C]"},
    {"gfx90a", UNIT_MATRIX, WORK_F32, 256, false, "[C]"},
    {"gfx90a", UNIT_MATRIX, WORK_F16, 1024, false, "[C]"},
    {"gfx90a", UNIT_MATRIX, WORK_BF16, 1024, false, "[C]"},
    {"gfx90a", UNIT_MATRIX, WORK_I8, 1024, false, "[C]"},
    {CDNA3, UNIT_MATRIX, WORK_F64, 256, false, "[C]"},
    {CDNA3, UNIT_MATRIX, WORK_F32, 256, false, "[C]"},
    {CDNA3, UNIT_MATRIX, WORK_XF32, 1024, false, "[P]"},
    {CDNA3, UNIT_MATRIX, WORK_F16, 2048, false, "[C]"},
    {CDNA3, UNIT_MATRIX, WORK_BF16, 2048, false, "[C]"},
    {CDNA3, UNIT_MATRIX, WORK_F8, 4096, false, "[C]"},
    {CDNA3, UNIT_MATRIX, WORK_I8, 4096, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_F64, 128, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_F32, 256, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_F16, 4096, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_BF16, 4096, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_F8, 8192, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_I8, 8192, false, "[C]"},
    {"gfx950", UNIT_MATRIX, WORK_F6F4, 16384, false, "[C]"},
    {"gfx110*", UNIT_VALU, WORK_F32, 256, false, "[R]"},
    {"gfx110*", UNIT_VALU, WORK_F16, 512, false, "[R]"},
    {"gfx103*", UNIT_VALU, WORK_F64, 8, false, "[N]"},
    {"gfx103*", UNIT_VALU, WORK_F32, 128, false, "[N]"},
    {"gfx103*", UNIT_VALU, WORK_F16, 256, false, "[N] packed"},
    {"sm_70", UNIT_VALU, WORK_F64, 64, false, "[V]"},
    {"sm_70", UNIT_VALU, WORK_F32, 128, false, "[V]"},
    {"sm_70", UNIT_VALU, WORK_F16, 256, false, "[V]"},
    {"sm_70", UNIT_MATRIX, WORK_F16, 1024, false, "[V]"},
    {"sm_80", UNIT_VALU, WORK_F64, 64, false, "[A]"},
    {"sm_80", UNIT_VALU, WORK_F32, 128, false, "[A]"},
    {"sm_80", UNIT_VALU, WORK_F16, 512, false, "[A]"},
    {"sm_80", UNIT_MATRIX, WORK_F64, 128, false, "[A]"},
    {"sm_80", UNIT_MATRIX, WORK_XF32, 1024, false, "[A]"},
    {"sm_80", UNIT_MATRIX, WORK_F16, 2048, false, "[A]"},
    {"sm_80", UNIT_MATRIX, WORK_BF16, 2048, false, "[A]"},
    {"sm_80", UNIT_MATRIX, WORK_I8, 4096, false, "[A]"},
    {"sm_89", UNIT_VALU, WORK_F64, 4, false, "[L]"},
    {"sm_89", UNIT_VALU, WORK_F32, 256, false, "[L]"},
    {"sm_89", UNIT_VALU, WORK_F16, 256, false, "[L]"},
    {"sm_89", UNIT_MATRIX, WORK_XF32, 256, false, "[L]"},
    {"sm_89", UNIT_MATRIX, WORK_F16, 1024, false, "[L]"},
    {"sm_89", UNIT_MATRIX, WORK_BF16, 512, false, "[L]"},
    {"sm_89", UNIT_MATRIX, WORK_F8, 2048, false, "[L]"},
    {"sm_89", UNIT_MATRIX, WORK_I8, 2048, false, "[L]"},
    {"sm_90", UNIT_VALU, WORK_F64, 128, false, "[H]"},
    {"sm_90", UNIT_VALU, WORK_F32, 256, false, "[H]"},
    {"sm_90", UNIT_VALU, WORK_F16, 512, false, "[H]"},
    {"sm_90", UNIT_MATRIX, WORK_F64, 256, false, "[H]"},
    {"sm_90", UNIT_MATRIX, WORK_XF32, 2048, false, "[H]"},
    {"sm_90", UNIT_MATRIX, WORK_F16, 4096, false, "[H]"},
    {"sm_90", UNIT_MATRIX, WORK_BF16, 4096, false, "[H]"},
    {"sm_90", UNIT_MATRIX, WORK_F8, 8192, false, "[H]"},
    {"sm_90", UNIT_MATRIX, WORK_I8, 8192, false, "[H]"},
    {.archs = NULL},
};

const struct level_rate level_rates[] = {
    {"gfx90a", LEVEL_L2, 64, "[C] a channel"},
    {MI300, LEVEL_L2, 128, "[C] a channel"},
    {"gfx90a", LEVEL_L1, 64, "[C]"},
    {MI300, LEVEL_L1, 128, "[C]"},
    {ALL, LEVEL_LDS, 128, "[C]"},
    {"sm_80", LEVEL_L2, 64, "[A] of 80 slices"},
    {"sm_70 sm_80 sm_89 sm_90", LEVEL_LDS, 128, "[G]"},
    {.archs = NULL},
};

const struct gpu_model gpu_models[] = {
    {"MI100", "gfx908", 120, 1502, 32, 1228.8e9, "[1]"},
    {"MI200", "gfx90a", 104, 1700, 32, 1638.4e9, "[P] as rocprof-compute calls all of them"},
    {"MI210", "gfx90a", 104, 1700, 32, 1638.4e9, "[P]"},
    {"MI250X", "gfx90a", 110, 1700, 32, 1638.4e9, "[P] one of its two dies"},
    {"MI250", "gfx90a", 104, 1700, 32, 1638.4e9, "[P] one of its two dies"},
    {"MI300A", CDNA3, 228, 2100, 96, 5324.8e9, "[P]"},
    {"MI300X", CDNA3, 304, 2100, 128, 5324.8e9, "[P]"},
    {"MI325X", CDNA3, 304, 2100, 128, 6000e9, "[P]"},
    {"MI350X", "gfx950", 256, 2200, 128, 8000e9, "[P]"},
    {"MI355X", "gfx950", 256, 2400, 128, 8000e9, "[P]"},
    {"MI350", "gfx950", 256, 2200, 128, 8000e9, "[P] as rocprof-compute calls them: of MI350X"},
    {"7900 XTX", "gfx1100", 96, 2500, 0, 960e9, "[R]"},
    {"7900 XT", "gfx1100", 84, 2400, 0, 800e9, "[R]"},
    {"W7900", "gfx1100", 96, 2495, 0, 864e9, "[R]"},
    {"680M", "gfx1035", 12, 2400, 0, 0, "[N]"},
    {"RTX 4090 Laptop", "sm_89", 76, 2040, 0, 576e9, "[L]"},
    {"RTX 4090 D", "sm_89", 114, 2520, 0, 1008e9, "[L]"},
    {"RTX 4090", "sm_89", 128, 2520, 0, 1008e9, "[L]"},
    {"RTX 6000 Ada", "sm_89", 142, 2505, 0, 960e9, "[L]"},
    {"L40S", "sm_89", 142, 2520, 0, 864e9, "[L]"},
    {"L40", "sm_89", 142, 2490, 0, 864e9, "[L]"},
    {"L4", "sm_89", 58, 2040, 0, 300e9, "[L]"},
    {"V100S", "sm_70", 80, 1597, 0, 1134e9, "[V]"},
    {"V100-PCIE", "sm_70", 80, 1380, 0, 900e9, "[V]"},
    {"V100", "sm_70", 80, 1530, 0, 900e9, "[V]"},
    {"A100-SXM4-80GB", "sm_80", 108, 1410, 80, 2039e9, "[A]"},
    {"A100 80GB PCIe", "sm_80", 108, 1410, 80, 1935e9, "[A]"},
    {"A100", "sm_80", 108, 1410, 80, 1555e9, "[A]"},
    {"H200", "sm_90", 132, 1830, 0, 4800e9, "[H]"},
    {"H100 PCIe", "sm_90", 114, 1620, 0, 2000e9, "[H]"},
    {"H100 80GB HBM3", "sm_90", 132, 1830, 0, 3350e9, "[H]"},
    {.name = NULL},
};
