/* The perf backend's lines of `rooftop doctor`. */
#ifndef ROOFTOP_BACKENDS_PERF_PROBE_H
#define ROOFTOP_BACKENDS_PERF_PROBE_H

#include "engine/live/source.h"

void perf_probe(capability_sink sink, void *ctx);

#endif
