/* What the watched program does to a core's units and to memory, from counters: its point on a
 * roofline and on the curve of memory under load. */
#pragma once

#include "engine/live/snapshot.h"

struct watched_work {
    double flops;      /* a second, of the target; NAN: not counted */
    double bytes;      /* that DRAM moved in a second, for the whole host; NAN: not counted */
    double reads;      /* the share of reads in them; NAN: no bytes */
    double intensity;  /* FLOPs for each byte; NAN: one of both is not counted */
    const char *why;   /* why flops or bytes are not counted, a clause; NULL: both are */
    const char *which; /* "FLOP/s" or "DRAM traffic": what that is about */
};

/* From the metrics flops, dram_read and dram_write of a snapshot (docs/METRICS.md). Its texts live
 * as long as s. */
struct watched_work watched_work_of(const struct snapshot *s);
