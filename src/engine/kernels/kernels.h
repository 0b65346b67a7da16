/*
 * The table of kernels of an opened profile: what ran on its devices, summed by name, by base name
 * or by name and launch shape; copies are rows of their own kind. Times are ns, end - start of each
 * span. Numbers are sums of whole numbers, so that the order of rows in a file changes nothing.
 */
#ifndef ROOFTOP_ENGINE_KERNELS_KERNELS_H
#define ROOFTOP_ENGINE_KERNELS_KERNELS_H

#include "base/arena.h"
#include "engine/kernels/bottleneck.h"
#include "engine/path/critical_path.h"
#include "engine/roofline/gpu_work.h"
#include "engine/code/gpu_words.h"
#include "engine/kernels/kernel_counts.h"
#include "engine/kernels/occupancy.h"
#include "engine/path/path_shares.h"
#include "engine/trace/trace.h"

/* What an agent could do a second; NaN = not known. */
struct kernel_peaks {
    double ops[WORK_UNITS][WORK_TYPES];
    double bytes; /* of device memory */
};

enum kernels_group { KERNELS_BY_NAME, KERNELS_BY_BASE, KERNELS_BY_SHAPE, KERNELS_GROUPS };

__extension__ typedef unsigned __int128 kernel_wide; /* a sum of squares of ns */

/* What adds up. */
struct kernel_sum {
    uint64_t calls, timed;    /* of those, the ones whose time is known */
    uint64_t total, min, max; /* ns */
    uint64_t on_path;         /* ns of the critical path that lie in them */
    uint64_t slack_calls;     /* whose slack is known; of those, ns: */
    uint64_t slack_total, slack_min, slack_max;
    uint64_t bytes;     /* of copies, and of collectives' messages; 0 unknown */
    uint64_t followers; /* that came after another one of their queue: the gaps below are theirs */
    uint64_t launched;  /* of those, whose launching call is known */
    uint64_t gap;       /* ns the device was idle before them, their queue empty */
    uint64_t late;      /* of it, until the call that launched them began: the host came late */
    uint64_t latency;   /* ns from that call, or the queue's last end, to their start */
    /* Of collectives: */
    uint64_t exposed;          /* ns in which no kernel computed beside them */
    uint64_t messages;         /* whose size is known */
    uint64_t bus, bus_ns;      /* bytes that a link must have carried, in so many ns */
    uint64_t slower, compared; /* ns above their fastest of the same size, of so many */
    uint32_t ranks;            /* of each; TRACE_UNKNOWN: they differ */
    kernel_wide squares;       /* of ns; 0 where they do not fit */
    bool overflow;             /* they did not */
};

/* As of the part that took the most time: of several shapes the one that counts. */
struct kernel_shape {
    uint32_t grid[3], block[3]; /* workgroups, work-items of one; 0 unknown */
    uint32_t agent;             /* index into trace.agents; TRACE_UNKNOWN */
    uint32_t vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes; /* TRACE_UNKNOWN */
};

/* Times of it are NaN where no call has one. */
static inline double kernel_ns(const struct kernel_sum *s, uint64_t ns)
{
    return s->timed ? (double)ns : __builtin_nan("");
}

struct kernel_row {
    const char *name;
    enum node_kind kind; /* NODE_KERNEL, NODE_TRANSFER */
    bool collective;     /* communication: what is said of kernels does not hold */
    struct kernel_sum sum;
    double mean, sd;               /* ns; sd of the sample, NaN for one call */
    double share;                  /* of the time of all rows, 0..1 */
    double criticality;            /* sum.on_path of the critical path, 0..1 */
    const char *arch;              /* of its agent: "gfx942"; "" unknown */
    const struct gpu_words *words; /* in which it is spoken of */
    struct kernel_shape shape;
    uint32_t shapes; /* different grids, blocks and resources */
    struct occupancy occupancy;
    struct kernel_counts counts; /* what counters say, a call */
    struct facts facts;
    struct bottleneck label;
    bool traced;   /* a thread trace added to the facts (kernel_att.h) */
    uint32_t node; /* one of its spans in calls: the longest */
};

/* Rows: most time first, then by name, kind, shape. */
struct kernel_table {
    struct kernel_row *rows;
    uint32_t n;
    const struct gpu_words *words; /* of all its kernels */
    const struct briefs *briefs;   /* their names, to be read: the trace's */
};

/* What the devices and the path did as a whole; ns. */
struct kernels_total {
    uint64_t begin, end;          /* of the first span of a device, and the last */
    uint64_t wall;                /* between; of a part of a profile: in which it was measured */
    uint64_t outside;             /* of it: at work, but only for what is not of that part */
    uint64_t busy;                /* any device at work */
    uint64_t exposed;             /* of it, nothing but communication */
    uint64_t copying;             /* of it, nothing but copies */
    uint64_t kernels, copies;     /* sums of their times */
    uint64_t nkernels, ncopies;   /* dispatches; copies */
    uint64_t shorts;              /* kernels of less than bottleneck_short */
    uint64_t path;                /* length of the critical path, */
    uint64_t path_beside;         /* of it, on the host while devices were at work, */
    uint64_t on_path[PATH_PARTS]; /* and of its parts; in none of them: */
    uint64_t path_outside;        /* that a queue was busy for what is outside of the part */
    uint64_t counted;             /* dispatches with counters */
    uint32_t counters;            /* different ones */
    bool host;                    /* calls of the host are known */
    bool device;                  /* some of it ran on a device; else the whole has no label */
    struct facts facts;
    struct bottleneck label;
};

/* When no device did anything. */
static inline uint64_t kernels_idle(const struct kernels_total *t)
{
    return t->wall > t->busy + t->outside ? t->wall - t->busy - t->outside : 0;
}

struct kernels {
    struct kernel_table by[KERNELS_GROUPS];
    struct kernels_total total;
    struct arena memory;
};

/* peaks: of each agent of the trace; NULL: the theoretical ones. Free it. */
void kernels_make(struct kernels *out, const struct trace *t, const struct critical_path *path,
                  const struct kernel_peaks *peaks);
/* The same in two steps: the first, which takes the time, needs no path and can run beside the
 * search for it. Where nobody wants it any more (base/watch.h) it is not whole. The second frees
 * what the first made. */
struct kernels_begun;
struct kernels_begun *kernels_begin(const struct trace *t);
void kernels_end(struct kernels *out, struct kernels_begun *begun, const struct critical_path *path,
                 const struct kernel_peaks *peaks);
void kernels_drop(struct kernels_begun *begun); /* NULL allowed */
void kernels_free(struct kernels *k);
const char *kernels_group_name(enum kernels_group g); /* "name", "base", "shape" */
/* By name, where it is none of them or NULL. */
enum kernels_group kernels_group_named(const char *name);
/* How much longer one call could take without making the whole longer, ns: the least of its calls,
 * the mean, the most; NaN = not known. */
double kernel_slack_least(const struct kernel_row *r);
double kernel_slack_mean(const struct kernel_row *r);
double kernel_slack_most(const struct kernel_row *r);
/* "kernel", "copy", "collective" */
const char *kernel_kind_name(const struct kernel_row *r);
/* Of a collective: "all-reduce of 8 ranks, 26.5 MB each, 120 GB/s on the bus; 63 % of it beside no
 * kernel", as far as it is known. */
enum { KERNEL_COMMUNICATION_TEXT = 160 };
const char *kernel_communication_text(const struct kernel_row *r, bool ascii, char *out,
                                      size_t size);
/* Bytes a second that a link must have carried; NaN unknown. */
double kernel_bus_bandwidth(const struct kernel_row *r);
/* "1024x2 of 256": workgroups of work-items; in words of CUDA "1024,2 x 256"; "" unknown */
const char *kernel_shape_text(const struct kernel_shape *s, const struct gpu_words *words,
                              char *out, size_t size);

/* "at most 3 of 8 waves a SIMD fit, limited by VGPR", in the row's words; "" unknown. */
const char *kernel_fit_text(const struct kernel_row *r, char *out, size_t size);

#endif
