/*
 * The numbers of one run of a program: times, work, the time of each brick and kernel. They are
 * from samples (run_gather.h), from a profile (run_profile.h) or from a document
 * (export/live/run_json.h). Several runs are a side of a comparison (compare.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/value/stats.h"
#include "engine/value/value.h"

enum run_group {
    RUN_TIME,    /* elapsed and CPU time: the verdict is about these */
    RUN_USED,    /* user, system, memory, switches, faults */
    RUN_WORK,    /* counters and metrics */
    RUN_BRICK,   /* seconds of one call */
    RUN_KERNEL,  /* the same for kernels and copies */
    RUN_MACHINE, /* of the whole machine, including other processes */
    RUN_GROUPS
};
const char *run_group_name(enum run_group g);  /* "time": for documents */
const char *run_group_title(enum run_group g); /* for people */

/* Ids: "elapsed", "cpu", "user", "system", "rss", "waits", "preemptions", "minor-faults",
 * "major-faults", "wall", "device", "path", "tokens", "tokens_per_s"; "c:SET/EVENT", "m:METRIC",
 * "b:BRICK", "k:KERNEL", "t:COPY"; for the whole machine the names of the series. */
/* The calls of a kernel that had one name, launch shape and resources. */
struct run_shape {
    char *shape; /* owned */
    struct stats calls;
};

struct run_number {
    char *id, *label; /* owned */
    uint8_t group;    /* enum run_group */
    uint8_t unit;     /* enum unit */
    /* Its mean is the value of the run. If that is a mean over calls, or over samples in time, n,
     * sd and effective describe their spread; else n is 1 and sd 0. */
    struct stats within;
    double total; /* s, all calls together; NAN: the number is not a time of calls */
    double rate;  /* elements per second; NAN = unknown */
    /* of a counter: % of the time it was counted, 100 = always; 0 = not a counter */
    uint8_t scaled;
    bool host;                /* a time of spans on CPUs: one run does not tell how others vary */
    struct run_shape *shapes; /* sorted by text; owned */
    size_t nshapes;           /* 0 = unknown */
};

struct run {
    char *command;    /* what was run; owned */
    char *hostname;   /* owned */
    uint64_t wall_ns; /* time of the run, ns since the epoch; 0 = unknown */
    double others;    /* share of all CPUs that other processes used, 0 to 1; NAN = unknown */
    bool exact; /* a command was measured from begin to end: its totals can be compared with another
                   run's */
    bool stopped; /* it was ended by a signal, or its end was not seen: it may have done less */
    int status;   /* of the command, as a shell gives it */
    struct run_number *numbers;
    size_t n, cap;
};

/* Copies the texts; give each id once. The number stays valid until the next call. */
struct run_number *run_add(struct run *r, enum run_group group, const char *id, const char *label,
                           enum unit unit, double v);
const struct run_number *run_find(const struct run *r, const char *id);
void run_free(struct run *r);

/* Several runs of one program. */
struct runs {
    struct run *list;
    size_t n, cap;
};
/* Adds a zeroed run. The pointer is valid until the next call. */
struct run *runs_add(struct runs *all);
void runs_free(struct runs *all);
