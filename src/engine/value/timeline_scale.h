/* Times on an axis: round steps, exact numbers in the unit that fits, and the other way round. */
#ifndef ROOFTOP_ENGINE_VALUE_TIMELINE_SCALE_H
#define ROOFTOP_ENGINE_VALUE_TIMELINE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { TIMELINE_TIME_MAX = 40 };

/* ns as "12.345 ms", exact to the decimals that a step needs; the unit is that which suits `end`,
 * so that all numbers of an axis have the same. */
const char *timeline_time(uint64_t ns, uint64_t step, uint64_t end, char out[TIMELINE_TIME_MAX]);
/* The smallest step of 1, 2 or 5 times a power of ten ns whose labels stand apart: of an axis of
 * `cells` over [from, to). */
uint64_t timeline_tick(uint64_t from, uint64_t to, uint32_t cells);

/* "1.5ms", "20us", "3s", "7" (ns): exact. ERROR_USAGE about `what`. */
int timeline_parse_time(uint64_t *out, const char *text, const char *what, struct error *err);

#endif
