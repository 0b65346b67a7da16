/*
 * What a GPU could do at most: ceilings of its roof, by unit and data type and by level of memory.
 * From the facts of its architecture (operations and bytes a cycle) times the compute units and the
 * clock that the profile tells of the processor, or that its model is published with. Theoretical:
 * nothing here was measured.
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_GPU_PEAKS_H
#define ROOFTOP_ENGINE_ROOFLINE_GPU_PEAKS_H

#include "base/arena.h"
#include "engine/roofline/roofline.h"
#include "engine/trace/trace.h"

/* arch: "gfx942", "sm_90"; model: "AMD Instinct MI300X" or "". units and clock_mhz: TRACE_UNKNOWN
 * where the profile does not tell them. false: nothing is known of it. Texts and the ceilings go
 * into memory; flops and bytes of the roof are those of its highest unit and of device memory. */
bool gpu_peaks(struct roof *out, struct arena *memory, const char *arch, const char *model,
               uint32_t units, uint32_t clock_mhz);

/* The names the architecture's maker uses: "VALU f32", "tensor f16"; "HBM", "shared". Into out. */
const char *gpu_unit_label(const char *arch, enum work_unit u, enum work_type t, char out[24]);
const char *gpu_level_label(const char *arch, enum work_level l);

/* For those who make ceilings: fills roof->flops and bytes from them. */
void gpu_peaks_sum(struct roof *r);

#endif
