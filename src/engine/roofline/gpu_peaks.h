/*
 * The theoretical ceilings of a GPU's roof, by unit and data type and by level of memory. They are
 * facts of its architecture (operations and bytes per cycle) times the compute units and the clock,
 * which are from the profile or from the published data of the model. Nothing here was measured.
 */
#pragma once

#include "base/arena.h"
#include "engine/roofline/roofline.h"
#include "engine/trace/trace.h"

/* Fills out. arch: "gfx942", "sm_90"; model: "AMD Instinct MI300X" or "". units and clock_mhz:
 * TRACE_UNKNOWN if the profile lacks them. false if the GPU is unknown. Texts and ceilings are
 * allocated from `memory`. The roof's flops is the peak of its fastest unit, its bytes the peak of
 * device memory. */
bool gpu_peaks(struct roof *out, struct arena *memory, const char *arch, const char *model,
               uint32_t units, uint32_t clock_mhz);

/* Sets flops and bytes of a roof from its ceilings. */
void gpu_peaks_sum(struct roof *r);
