/* The sampler's lines of `rooftop doctor`. */
#ifndef ROOFTOP_BACKENDS_SAMPLER_PROBE_H
#define ROOFTOP_BACKENDS_SAMPLER_PROBE_H

#include "engine/live/source.h"

void sampler_probe(capability_sink sink, void *ctx);

#endif
