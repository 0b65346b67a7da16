/*
 * Shared by tables of fields of the snapshot: numbers that are not known are NaN, shown as "n/a".
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns v, or NaN if it is unknown. */
static inline double if_known(bool known, double v)
{
    return known ? v : NAN;
}

/* Returns a row's time in ns, or NaN if the trace has no times: its share of the time is NaN then.
 */
static inline double if_timed(double share, uint64_t ns)
{
    return if_known(!isnan(share), (double)ns);
}
