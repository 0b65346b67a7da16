/* Sentences that say why a roofline has no numbers. */
#pragma once

#include "engine/roofline/roofline.h"
#include "engine/trace/trace.h"

/* Why a trace has no points. Returns out. */
const char *roofline_why_empty(const struct trace *t, char *out, size_t size);
/* Why the point of a GPU kernel has no rates or no roof; "" if only its missing counters are the
 * reason. Of a program's point: why it has no roof. Returns out. */
const char *roofline_why_unknown(const struct roofline *r, const struct trace *t,
                                 const struct roof_point *p, char *out, size_t size);
/* Why the point of a program has no roof. */
const char *roofline_why_no_roof(const struct roofline *r);
