/* What the agents of a trace could do a second, for the facts of kernels
 * (engine/roofline/gpu_peaks.h). */
#pragma once

#include "engine/kernels/kernels.h"

/* One an agent; NaN = not known. Free it. */
struct kernel_peaks *kernel_peaks_of(const struct trace *t);
