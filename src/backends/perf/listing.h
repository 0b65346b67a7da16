/* The events of `rooftop events`: names of all kinds, and whether each opens now. */
#ifndef ROOFTOP_BACKENDS_PERF_LISTING_H
#define ROOFTOP_BACKENDS_PERF_LISTING_H

#include "engine/events/event_catalog.h"

extern const struct event_ops perf_event_ops;

#endif
