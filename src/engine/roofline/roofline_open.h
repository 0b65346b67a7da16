/* The roofline of a profile: programs' bricks and GPU kernels, with the roofs of this machine or of
 * a file. */
#pragma once

#include "engine/roofline/roofline.h"
#include "engine/roofs/cpu_roofs.h"
#include "engine/trace/trace.h"

/*
 * Fills *out from a trace. roofs: a roofline.csv of rocprof-compute for the GPUs (NULL: the one
 * beside the trace's files, else theory), or a document of `rooftop lab roofs` for the CPU (NULL:
 * what is stored for this host). Arrays are allocated from `memory`; names belong to the trace.
 * Returns 0, or -errno with err if the file cannot be read.
 */
int roofline_open(struct roofline *out, struct arena *memory, const struct trace *t,
                  const char *roofs, struct error *err);

/* The CPU's roofs only: from the file if it has roofs of a CPU, else those stored for this host. */
int roofline_cpu_roofs(struct cpu_roofs *out, struct arena *memory, const char *roofs,
                       struct error *err);
