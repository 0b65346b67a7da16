/* Names of ROCm's profiles as people read them. */
#ifndef ROOFTOP_BACKENDS_ROCM_NAMES_H
#define ROOFTOP_BACKENDS_ROCM_NAMES_H

#include "engine/trace/trace.h"

enum { ROCM_NAME = 16384 /* of a kernel; longer ones are kept as they are */ };

/* A kernel's: demangled, without what tells that it is a descriptor's symbol (".kd"). */
uint32_t rocm_kernel_name(struct graph *calls, const char *name);
/* The program's file name in a command line: "app" of "/opt/app -n 3". */
void rocm_program_name(const char *command, char *out, size_t size);
/* "GPU 4", "CPU 0" in the graph of calls; GRAPH_NONE for TRACE_UNKNOWN. */
uint32_t rocm_agent_name(struct trace *t, uint32_t agent);
/* 0 host to device, 1 device to host, 2 device to device: by what the profiler calls it (NULL
 * unknown), else by where it is from and to. */
uint32_t rocm_direction(const struct trace *t, const char *kind, uint32_t from, uint32_t to);

#endif
