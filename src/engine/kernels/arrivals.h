/*
 * Who came last to what several devices do together. No collective of this kind can end anywhere
 * before all have begun it, so who begins early waits: for the last.
 *   The k-th of a name on one device is the k-th on every other, where each has as many of them,
 * where the group that the trace tells is as large as these are, and where they really overlap.
 * Broadcasts, gathers and sends are left out: who gives need not wait.
 *   Who is last by less than the clocks of the files may be apart is not decided.
 */
#ifndef ROOFTOP_ENGINE_KERNELS_ARRIVALS_H
#define ROOFTOP_ENGINE_KERNELS_ARRIVALS_H

#include "engine/trace/trace.h"

/* A collective of a device, in; rows are devices. */
struct arrival {
    uint32_t row, node;
};

struct arrival_row {
    uint64_t times;  /* that it came last */
    uint64_t caused; /* ns that all others together waited for it then */
    uint64_t waited; /* ns that it waited for others */
};

struct arrivals {
    const char *why_not;     /* NULL: they are known; else nothing below is */
    struct arrival_row *of;  /* each row */
    uint64_t together;       /* collectives that were found on several devices */
    uint64_t undecided;      /* of those: two came last, as far as the clocks tell */
    uint64_t unmatched;      /* collectives of one device whose others are not known */
    uint64_t waited;         /* ns, of all devices */
    uint64_t uncertainty_ns; /* of the clocks */
    uint32_t latest; /* the row most often last, of equals the one that was waited for longer;
                        TRACE_UNKNOWN: none was */
};

/* list is put into another order. Free it. */
void arrivals_find(struct arrivals *out, const struct trace *t, struct arrival *list, uint32_t n,
                   uint32_t rows);
void arrivals_free(struct arrivals *a);

#endif
