/* Names in ROCm's profiles, as people read them. */
#pragma once

#include "engine/trace/trace.h"

enum { ROCM_NAME = 16384 /* bytes of a kernel name; longer ones are not demangled */ };

/* Adds a kernel's name: demangled, without the mark of a descriptor's symbol (".kd"). */
uint32_t rocm_kernel_name(struct graph *calls, const char *name);
/* Writes the program's file name from a command line: "app" for "/opt/app -n 3". */
void rocm_program_name(const char *command, char *out, size_t size);
/* Adds "GPU 4" or "CPU 0" to the graph of calls; GRAPH_NONE for TRACE_UNKNOWN. */
uint32_t rocm_agent_name(struct trace *t, uint32_t agent);
/* The direction of a copy: 0 host to device, 1 device to host, 2 device to device. Taken from the
 * profiler's name for it, or from the agents if kind is NULL. */
uint32_t rocm_direction(const struct trace *t, const char *kind, uint32_t from, uint32_t to);
