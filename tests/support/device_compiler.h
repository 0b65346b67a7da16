/* A clang that compiles HIP for AMD's GPUs, without ROCm. */
#pragma once

/* Sets $CLANG, or skips the test where there is no such clang with its linker. */
void need_device_compiler(void);
/* The words that compile one file to a linked code object of gfx942; behind them stand more
 * options, the source, and -o with the output. */
#define DEVICE_COMPILE                                                                             \
    "$CLANG -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx942 -nogpulib "     \
    "-nogpuinc -Itests/platform/gpu/kernels "
