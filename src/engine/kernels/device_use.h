/*
 * The use of each device by each rank (or program). The union over all devices would hide a device
 * that waits. Times are ns and come from the spans alone, so a sum over the file gives the same.
 */
#pragma once

#include "engine/kernels/arrivals.h"
#include "engine/trace/trace.h"

struct device_use {
    char rank[96];        /* "rank 3", the program's name; "" if there is only one rank */
    char device[96];      /* "GPU 0"; "" all devices of the rank */
    uint32_t agent;       /* index into trace.agents; TRACE_UNKNOWN */
    uint32_t rank_number; /* of the job; TRACE_UNKNOWN */
    uint64_t wall;        /* the time considered: equal for all rows, except with ranges of ranks */
    uint64_t busy;        /* any work: wall = busy + outside + idle */
    uint64_t kernels;     /* any kernel; busy - kernels: nothing but copies */
    uint64_t compute;     /* any kernel that is no communication */
    uint64_t communication; /* any kernel that is communication */
    uint64_t both;          /* both kinds at once: kernels = compute + communication - both */
    uint64_t copying;       /* any copy */
    uint64_t outside;       /* only work outside the considered part */
    uint64_t idle;          /* = late + launching + waiting + unknown + drained */
    uint64_t late;          /* until the call that launched the next work began */
    uint64_t launching;     /* from the begin of that call on, as long as a launch takes */
    uint64_t waiting;       /* after that: it waited for other work, or for something unknown */
    uint64_t unknown;       /* before work without a known launch */
    uint64_t drained;       /* after the last work */
    uint64_t nkernels, ncopies, ncommunications;
    uint64_t nunsized; /* copies whose bytes are not recorded */
    uint64_t bytes[3]; /* copied: to the device, from it, on it and between devices */
    uint64_t memory;   /* bytes of device memory; 0 unknown */
    /* The most bytes of the device's memory that the program's allocator had handed out and had
     * reserved. GRAPH_UNKNOWN: unknown, a row of several devices, or a part of the profile. */
    uint64_t allocated, reserved;
};

struct device_uses {
    struct device_use
        *rows; /* by rank, then device; a rank of several devices has its own row first */
    uint32_t n;
    uint32_t nranks, ndevices;
    /* The rank that computed longest; TRACE_UNKNOWN if fewer than two ranks computed. */
    uint32_t slowest; /* an index into rows */
    uint32_t idlest;  /* the device idle longest; TRACE_UNKNOWN: fewer than two */
    bool waited_for;  /* slowest communicates least of all, so the others wait for it there */
    double imbalance; /* of compute of ranks: longest / mean - 1; NaN */
    double spread;    /* of idle time of devices: (most - least) / wall; NaN */
    struct arrivals arrivals; /* at collectives, by row; a rank's row has the sums of its devices */
    struct arrival *collectives; /* what was communicated, and the row of its device, by time */
    uint32_t ncollectives;
};

void device_uses_find(struct device_uses *out, const struct trace *t);
/* The same, but the time of each rank is from its own first to its own last work, as if its work
 * were in a file of its own: what was before and after says nothing about ranks whose clocks are
 * not compared. */
void device_uses_find_ranks(struct device_uses *out, const struct trace *t);
void device_uses_free(struct device_uses *u);
/* The sums of the devices of these rows: times, numbers of kernels and copies, and what was
 * allocated. ndevices: their number, or NULL. */
struct device_use device_uses_sum(const struct device_uses *u, uint32_t from, uint32_t to,
                                  uint32_t *ndevices);
/* The first row of the next rank; u->n after the last. */
uint32_t device_uses_next_rank(const struct device_uses *u, uint32_t row);

/* "rank 3, GPU 0", or only one of the two if the other is unknown. Returns out. */
const char *device_use_name(const struct device_use *r, char *out, size_t size);
/* "of its idle time 80.0 % until the host launched, ..."; "" if it was never idle. Returns out. */
const char *device_use_idle_text(const struct device_use *r, char *out, size_t size);
/* "at most 5.06 GiB allocated, 11.9 GiB reserved, of 40.0 GiB"; "" if memory was not recorded.
 * Returns out. */
const char *device_use_memory_text(const struct device_use *r, bool ascii, char *out, size_t size);
/* Fills lines with remarks about all devices. Returns the number of lines. */
enum { DEVICE_USE_LINES = 4 };
int device_uses_say(const struct device_uses *u, char lines[DEVICE_USE_LINES][256]);
