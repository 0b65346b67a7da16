/*
 * Copies and fills that AMD's runtime does with kernels of its own. Some profilers list them among
 * the program's kernels, others (Kineto of ROCm 7.2) as copies; here they are always copies.
 *   Source: ROCm/clr, rocclr/device/rocm/rocblit.hpp, BlitName.
 */
#pragma once

#include <stdbool.h>

/* Whether a kernel of this name is such a copy or fill: "__amd_rocclr_copyBuffer". */
bool trace_is_blit(const char *name);
