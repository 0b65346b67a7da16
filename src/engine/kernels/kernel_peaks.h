/* The peak rates of a trace's agents, for the facts of kernels (engine/roofline/gpu_peaks.h). */
#pragma once

#include "engine/kernels/kernels.h"

/* One entry for each agent; NaN = unknown. The caller frees it. */
struct kernel_peaks *kernel_peaks_of(const struct trace *t);
