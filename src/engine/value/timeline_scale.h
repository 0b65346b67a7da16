/* Times on an axis: round steps, exact labels in a fitting unit, and parsing of such labels. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { TIMELINE_TIME_MAX = 40 };

/* Formats ns as "12.345 ms" with the decimals that `step` (ns) needs. The unit fits `end` (ns), so
 * that all labels of an axis have the same one. Returns out. */
const char *timeline_time(uint64_t ns, uint64_t step, uint64_t end, char out[TIMELINE_TIME_MAX]);
/* The smallest step (1, 2 or 5 times a power of ten, in ns) whose labels do not touch on an axis of
 * `cells` character cells over [from, to) ns. */
uint64_t timeline_tick(uint64_t from, uint64_t to, uint32_t cells);

/* Parses "1.5ms", "20us", "3s", "7" (ns) into *out, in ns, exactly. 0, or -errno with ERROR_USAGE
 * that names `what`. */
int timeline_parse_time(uint64_t *out, const char *text, const char *what, struct error *err);
