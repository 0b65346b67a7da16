/* What the agents of a trace could do a second, for the facts of kernels
 * (engine/roofline/gpu_peaks.h). */
#ifndef ROOFTOP_ENGINE_KERNELS_KERNEL_PEAKS_H
#define ROOFTOP_ENGINE_KERNELS_KERNEL_PEAKS_H

#include "engine/kernels/kernels.h"

/* One an agent; NaN = not known. Free it. */
struct kernel_peaks *kernel_peaks_of(const struct trace *t);

#endif
