/* How the watched program uses a core's units and memory, from counters: its point on a roofline,
 * and on the curve of memory latency under load. */
#pragma once

#include "engine/live/snapshot.h"

struct watched_work {
    double flops;      /* per second, of the target; NAN: not counted */
    double bytes;      /* bytes of DRAM traffic per second, for the whole host; NAN: not counted */
    double reads;      /* the share of reads in bytes; NAN: no bytes */
    double intensity;  /* FLOPs for each byte; NAN: one of both is not counted */
    const char *why;   /* why flops or bytes are not counted, a clause; NULL: both are */
    const char *which; /* the quantity that `why` is about: "FLOP/s" or "DRAM traffic" */
};

/* Computed from the metrics flops, dram_read and dram_write of a snapshot (docs/METRICS.md). Texts
 * live as long as s. */
struct watched_work watched_work_of(const struct snapshot *s);
