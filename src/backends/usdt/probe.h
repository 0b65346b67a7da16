/* Reports whether USDT probes can be watched here. */
#ifndef ROOFTOP_BACKENDS_USDT_PROBE_H
#define ROOFTOP_BACKENDS_USDT_PROBE_H

#include "engine/live/source.h"

void usdt_probe_capability(capability_sink sink, void *ctx);

#endif
