/*
 * Which device came last to a collective. Such a collective cannot end on any device before all
 * devices have begun it, so a device that begins early waits for the last one. The k-th collective
 * of a name on one device is matched with the k-th on every other. This needs equal counts on all
 * devices, a group as large as the trace says, and spans that really overlap. Broadcasts, gathers
 * and sends are left out, because their sender need not wait. If the last two are closer than the
 * uncertainty of the clocks, the collective is undecided.
 */
#pragma once

#include "engine/trace/trace.h"

/* Input: a collective of a device; a row is a device. */
struct arrival {
    uint32_t row, node;
};

struct arrival_row {
    uint64_t times;  /* how often it came last */
    uint64_t caused; /* ns that all others together waited for it when it was last */
    uint64_t waited; /* ns that it waited for others */
};

struct arrivals {
    const char *why_not; /* why the arrivals are unknown; NULL: known, else nothing below is set */
    struct arrival_row *of;  /* one for each row */
    uint64_t together;       /* collectives that were found on several devices */
    uint64_t undecided;      /* of those: the clocks cannot tell which of two came last */
    uint64_t unmatched;      /* collectives without a match on other devices */
    uint64_t waited;         /* ns, of all devices */
    uint64_t uncertainty_ns; /* of the clocks */
    uint32_t latest; /* the row that was last most often, of equal ones that with the larger caused;
                        TRACE_UNKNOWN: none */
};

/* Reorders list. Free *out. */
void arrivals_find(struct arrivals *out, const struct trace *t, struct arrival *list, uint32_t n,
                   uint32_t rows);
void arrivals_free(struct arrivals *a);
