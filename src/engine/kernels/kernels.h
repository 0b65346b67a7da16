/*
 * The table of kernels of an opened profile: the work of its devices, summed by name, by base name
 * or by name and launch shape. Copies are rows of another kind. Times are ns, end - start of each
 * span. All sums are of integers, so the order of rows in a file does not change them.
 */
#pragma once

#include "base/arena.h"
#include "engine/code/gpu_words.h"
#include "engine/kernels/bottleneck.h"
#include "engine/kernels/kernel_counts.h"
#include "engine/kernels/occupancy.h"
#include "engine/path/critical_path.h"
#include "engine/path/path_shares.h"
#include "engine/roofline/gpu_work.h"
#include "engine/trace/trace.h"
#include "engine/value/value.h"

/* The peaks of an agent, per second; NaN = unknown. */
struct kernel_peaks {
    double ops[WORK_UNITS][WORK_TYPES];
    double bytes; /* of device memory */
};

enum kernels_group { KERNELS_BY_NAME, KERNELS_BY_BASE, KERNELS_BY_SHAPE, KERNELS_GROUPS };

__extension__ typedef unsigned __int128 kernel_wide; /* a sum of squares of ns */

/* Sums over calls. */
struct kernel_sum {
    uint64_t calls, timed;    /* number of calls; of those with a known time */
    uint64_t total, min, max; /* ns; min and max of one call */
    uint64_t on_path;         /* ns of the critical path in these calls */
    uint64_t slack_calls;     /* calls with known slack; their ns: */
    uint64_t slack_total, slack_min, slack_max;
    uint64_t bytes;     /* of copies, and of collectives' messages; 0 unknown */
    uint64_t followers; /* calls after another one in their queue; only they have gaps */
    uint64_t launched;  /* of the followers, those with a known launch */
    uint64_t gap;       /* ns before them in which the device was idle and their queue empty */
    uint64_t late;      /* part of gap before the launching call began: the host was late */
    uint64_t latency;   /* part of gap from the begin of that call on, as long as a launch takes */
    uint64_t waited;    /* part of gap after the launch, for other work or unknown reasons */
    /* Only collectives: */
    uint64_t exposed;     /* ns in which no kernel computed at the same time */
    uint64_t messages;    /* number of messages of known size */
    uint64_t bus, bus_ns; /* bytes that each link must have carried, and in which ns */
    uint64_t slower,
        compared;        /* ns beyond the fastest call of the same size; ns of the compared calls */
    uint32_t ranks;      /* ranks of each call; TRACE_UNKNOWN if they differ */
    uint8_t op;          /* enum collective_op from the file; COLLECTIVE_SOME if they differ */
    kernel_wide squares; /* sum of squares, ns^2; 0 after an overflow */
    bool overflow;       /* squares did not fit */
};

/* The shape of a kernel; if it has several, the shape with the most time. */
struct kernel_shape {
    uint32_t grid[3], block[3]; /* workgroups, work-items of one; 0 unknown */
    uint32_t agent;             /* index into trace.agents; TRACE_UNKNOWN */
    uint32_t vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes; /* TRACE_UNKNOWN */
};

/* A time from a sum's field as a double; NaN if no call has a known time. */
static inline double kernel_ns(const struct kernel_sum *s, uint64_t ns)
{
    return s->timed ? (double)ns : __builtin_nan("");
}

struct kernel_row {
    const char *name;
    enum node_kind kind; /* NODE_KERNEL, NODE_TRANSFER */
    bool collective;     /* communication: rules for kernels do not apply */
    struct kernel_sum sum;
    double mean, sd;               /* ns; sd of the sample, NaN for one call */
    double share;                  /* of the time of all rows, 0..1 */
    double criticality;            /* sum.on_path of the critical path, 0..1 */
    const char *arch;              /* of its agent: "gfx942"; "" unknown */
    const struct gpu_words *words; /* the vendor's terms for GPU parts */
    struct kernel_shape shape;
    uint32_t shapes; /* different grids, blocks and resources */
    struct occupancy occupancy;
    struct kernel_counts counts; /* from counters, for one call */
    struct facts facts;
    struct bottleneck label;
    bool traced;   /* a thread trace added to the facts (kernel_att.h) */
    uint32_t node; /* one of its spans in calls: the longest */
};

/* Rows: most time first, then by name, kind, shape. */
struct kernel_table {
    struct kernel_row *rows;
    uint32_t n;
    const struct gpu_words *words; /* the vendor's terms if all kernels share them */
    const struct briefs *briefs;   /* their short names; owned by the trace */
};

/* Totals over devices and path, ns. */
struct kernels_total {
    uint64_t begin, end;          /* of the first span of a device, and the last */
    uint64_t wall;                /* end - begin; for a part of a profile: the time in that part */
    uint64_t outside;             /* of wall: busy only with work outside that part */
    uint64_t busy;                /* any device at work */
    uint64_t exposed;             /* part of busy: nothing but communication */
    uint64_t copying;             /* part of busy: nothing but copies */
    uint64_t kernels, copies;     /* sums of their times */
    uint64_t nkernels, ncopies;   /* dispatches; copies */
    uint64_t shorts;              /* kernels of less than bottleneck_short */
    uint64_t path;                /* length of the critical path */
    uint64_t path_beside;         /* part of path: on the host while devices were at work */
    uint64_t on_path[PATH_PARTS]; /* ns of each part of the path */
    uint64_t gain[PATH_GAINS];    /* what twice the speed of each kind would save */
    uint64_t path_outside;        /* ns in which a queue was busy with work outside the window */
    uint64_t counted;             /* dispatches with counters */
    uint32_t counters;            /* number of different counters */
    bool host;                    /* calls of the host are known */
    bool launches;                /* at least one call is known that launched work */
    bool device; /* something ran on a device; otherwise the profile has no label */
    struct facts facts;
    struct bottleneck label;
};

/* ns in which no device did anything. */
static inline uint64_t kernels_idle(const struct kernels_total *t)
{
    return t->wall > t->busy + t->outside ? t->wall - t->busy - t->outside : 0;
}

struct kernels {
    struct kernel_table by[KERNELS_GROUPS];
    struct kernels_total total;
    struct arena memory;
};

/* Makes the table. peaks: one for each agent of the trace; NULL: the theoretical ones. Free *out.
 */
void kernels_make(struct kernels *out, const struct trace *t, const struct critical_path *path,
                  const struct kernel_peaks *peaks);
/* kernels_make() in two steps. The first takes most of the time and needs no path, so it can run in
 * parallel with the search for the path. If the watch says stop (base/watch.h), its result is
 * incomplete. The second step frees the result of the first. */
struct kernels_begun;
struct kernels_begun *kernels_begin(const struct trace *t);
void kernels_end(struct kernels *out, struct kernels_begun *begun, const struct critical_path *path,
                 const struct kernel_peaks *peaks);
void kernels_drop(struct kernels_begun *begun); /* NULL allowed */
void kernels_free(struct kernels *k);
const char *kernels_group_name(enum kernels_group g); /* "name", "base", "shape" */
/* The group of this name; the group by name if it is unknown or NULL. */
enum kernels_group kernels_group_named(const char *name);
/* Slack of its calls in ns: the least, the mean, the most; NaN = unknown. */
double kernel_slack_least(const struct kernel_row *r);
double kernel_slack_mean(const struct kernel_row *r);
double kernel_slack_most(const struct kernel_row *r);
/* The kind of a row: "kernel", "copy", "collective". */
const char *kernel_kind_name(const struct kernel_row *r);
/* The operation of a collective: from the file or, if the file has none, from the name. */
const char *kernel_operation(const struct kernel_row *r);
/* Describes a collective as far as it is known: "all-reduce of 8 ranks, 26.5 MB each, 120 GB/s on
 * the bus; 63 % of it beside no kernel". */
enum { KERNEL_COMMUNICATION_TEXT = 160 };
const char *kernel_communication_text(const struct kernel_row *r, bool ascii, char *out,
                                      size_t size);
/* Bytes per second that each link must have carried; NaN unknown. */
double kernel_bus_bandwidth(const struct kernel_row *r);
/* "grid (1024, 2), block 256"; "" unknown. Returns out. */
const char *kernel_shape_text(const struct kernel_shape *s, char out[LAUNCH_TEXT]);
/* "(1024, 2), 256", for a column whose head names both; "" unknown. Returns out. */
const char *kernel_shape_sizes(const struct kernel_shape *s, char out[LAUNCH_TEXT]);

/* "at most 3 of 8 waves a SIMD fit, limited by VGPR", in the vendor's terms; "" unknown. */
const char *kernel_fit_text(const struct kernel_row *r, char *out, size_t size);
