/* Why a roofline has no numbers. */
#ifndef ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_REASON_H
#define ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_REASON_H

#include "engine/roofline/roofline.h"
#include "engine/trace/trace.h"

/* Of a whole that has no points: a sentence. Returns out. */
const char *roofline_why_empty(const struct trace *t, char *out, size_t size);
/* Of a point of a GPU's kernel that has neither FLOP/s nor bytes/s, or no roof; "" where it lacks
 * nothing but what its missing counters tell. Returns out. */
const char *roofline_why_unknown(const struct trace *t, const struct roof_point *p, char *out,
                                 size_t size);

#endif
