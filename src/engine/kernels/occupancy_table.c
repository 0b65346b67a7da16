
#include "engine/kernels/occupancy.h"

/*
 * LLVM: getEUsPerCU, getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule, getLdsDwGranularity
 * and getMaxWorkGroupsPerCU of AMDGPUBaseInfo.cpp, features of processors in AMDGPU.td. The wave
 * size of RDNA is 32 unless a kernel asks for 64, which profiles do not tell: 32 is assumed, and
 * workgroups in CU mode on two SIMDs.
 * CUDA: "CUDA C++ Programming Guide", table "Technical Specifications per Compute Capability", and
 * the sheet "GPU Data" of the CUDA Occupancy Calculator for steps of allocation. 64 K registers of
 * an SM in 4 partitions (2 in sm_60) are 512 (1024) a lane.
 */
#define LLVM(x) "LLVM, AMDGPUBaseInfo.cpp: " x
#define CUDA(x) "CUDA Programming Guide, Technical Specifications, " x

const struct occupancy_arch occupancy_table[] = {
    /* names, wave, SIMDs, waves, groups, VGPRs, step, unified, LDS, step, reserved, source */
    {"gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c", 64, 4, 10, 16, 256, 4, true, 65536, 512, 0,
     LLVM("before gfx908 there are no accumulation registers")},
    {"gfx908", 64, 4, 10, 16, 256, 4, false, 65536, 512, 0,
     LLVM("FeatureMAIInsts; AMD, CDNA ISA 3.6.4: as many accumulation registers apart")},
    {"gfx90a", 64, 4, 8, 16, 512, 8, true, 65536, 512, 0,
     LLVM("FeatureGFX90AInsts; AMD, CDNA 2 ISA 3.6.4")},
    {"gfx940 gfx941 gfx942", 64, 4, 8, 16, 512, 8, true, 65536, 512, 0,
     LLVM("FeatureGFX90AInsts; AMD, CDNA 3 ISA 3.6.4")},
    {"gfx950", 64, 4, 8, 16, 512, 8, true, 163840, 1280, 0,
     LLVM("FeatureAddressableLocalMemorySize163840; AMD, CDNA 4 ISA")},
    {"gfx1010 gfx1011 gfx1012 gfx1013", 32, 2, 20, 32, 1024, 8, true, 65536, 512, 0,
     LLVM("GFX10: 20 waves, steps of 8")},
    {"gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036", 32, 2, 16, 32, 1024, 16, true,
     65536, 512, 0, LLVM("GFX10.3: 16 waves, steps of 16")},
    {"gfx1100 gfx1101 gfx1151", 32, 2, 16, 32, 1536, 24, true, 65536, 512, 0,
     LLVM("Feature1_5xVGPRs")},
    {"gfx1102 gfx1103 gfx1150 gfx1152 gfx1153", 32, 2, 16, 32, 1024, 16, true, 65536, 512, 0,
     LLVM("GFX11 without Feature1_5xVGPRs")},
    {"gfx1200 gfx1201", 32, 2, 16, 32, 1536, 24, true, 65536, 512, 0,
     LLVM("GFX12, Feature1_5xVGPRs")},
    {"sm_60", 32, 2, 32, 32, 1024, 8, true, 65536, 256, 0, CUDA("6.0")},
    {"sm_61", 32, 4, 16, 32, 512, 8, true, 98304, 256, 0, CUDA("6.1")},
    {"sm_70", 32, 4, 16, 32, 512, 8, true, 98304, 256, 0, CUDA("7.0")},
    {"sm_75", 32, 4, 8, 16, 512, 8, true, 65536, 256, 0, CUDA("7.5")},
    {"sm_80", 32, 4, 16, 32, 512, 8, true, 167936, 128, 1024, CUDA("8.0")},
    {"sm_86", 32, 4, 12, 16, 512, 8, true, 102400, 128, 1024, CUDA("8.6")},
    {"sm_87", 32, 4, 12, 16, 512, 8, true, 167936, 128, 1024, CUDA("8.7")},
    {"sm_89", 32, 4, 12, 24, 512, 8, true, 102400, 128, 1024, CUDA("8.9")},
    {"sm_90", 32, 4, 16, 32, 512, 8, true, 233472, 128, 1024, CUDA("9.0")},
    {"sm_100", 32, 4, 16, 32, 512, 8, true, 233472, 128, 1024, CUDA("10.0")},
    {"sm_120", 32, 4, 12, 24, 512, 8, true, 102400, 128, 1024, CUDA("12.0")},
    {0},
};
