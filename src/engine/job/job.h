/*
 * A job of many ranks, from one profile a rank. Each profile is reduced to a row and to the list of
 * its collectives; the trace can be freed afterwards, so memory grows with ranks and collectives,
 * not with spans. Times are ns.
 *
 * No clock is compared. A collective that waits for all ends at nearly the same time in each rank,
 * so the rank that stays in it for the least time came last, and each other rank waited for as long
 * as it stayed longer. The least time is the transfer itself.
 */
#pragma once

#include "engine/kernels/device_use.h"
#include "engine/mpi/mpi.h"
#include "engine/trace/collective.h"

/* What a straggler does longer than the others. */
enum job_cause { JOB_NOT_SEEN, JOB_COMPUTES, JOB_COPIES, JOB_HOST_LATE, JOB_CAUSES };

struct job_rank {
    char *path;
    char name[96];         /* "rank 3"; the file's name if its rank is unknown */
    char host[64];         /* "" unknown */
    uint32_t number;       /* TRACE_UNKNOWN */
    uint32_t world;        /* number of ranks of the job, as the file says; 0 unknown */
    uint32_t devices;      /* at least 1 */
    struct device_use use; /* means over its devices; bytes, numbers and memory are sums */
    uint64_t from, to; /* time of day of its first and last work; GRAPH_UNKNOWN: not in the file */
    /* at the collectives that are known of all ranks of their group: */
    uint64_t together, last; /* their number; at how many it was the last */
    bool judged;             /* it is known what it waited */
    uint64_t waited, caused; /* ns that it waited for others; that others waited for it */
};

/* Collectives whose messages are about equally large, and how fast a link carried them. */
struct job_size {
    uint64_t least, most; /* bytes of a message */
    uint64_t n;
    double median, best; /* bytes/s */
};

/* The collectives of one operation in one group of ranks. */
struct job_group {
    enum collective_op op;
    char *group;              /* its name in the files, or NULL */
    uint32_t ranks;           /* TRACE_UNKNOWN */
    uint32_t members;         /* ranks whose profiles have some */
    uint64_t together;        /* those that are known of all ranks */
    uint64_t undecided;       /* of those: the last two came within JOB_APART_NS */
    uint64_t unmatched;       /* calls, of all ranks, that belong to no such collective */
    uint64_t skew, skew_most; /* ns from the first to the last arrival, over all; the longest */
    uint64_t transfer;        /* ns: the least time in each, over all */
    double bus;      /* bytes/s of each link while it transfers; NaN: sizes or ranks unknown */
    uint32_t latest; /* index of the rank that was last most often; TRACE_UNKNOWN: none */
    uint64_t latest_times;
    struct job_size *sizes; /* the smallest first; none where `bus` is not known */
    uint32_t nsizes;
};

struct job_straggler {
    uint32_t rank; /* index; TRACE_UNKNOWN: no rank holds the others up */
    uint32_t most; /* index of the rank that the others waited for most; TRACE_UNKNOWN: none */
    uint64_t lost; /* ns that each other rank waited for it, on average */
    double share;  /* lost / the job's wall time */
    double chance; /* probability that one of equal ranks is so late */
    enum job_cause cause;
    uint64_t excess; /* ns that it spends there beyond the median of the others */
};

struct job {
    struct job_rank *ranks; /* sorted by number, then by path */
    uint32_t n;
    struct job_group *groups; /* most time waited first */
    uint32_t ngroups;
    uint64_t wall;        /* the longest of a rank */
    double link;          /* bytes/s that a link can carry, set by the caller; 0 not known */
    uint32_t left_out;    /* profiles that cannot be read; set by the caller */
    uint32_t missing;     /* ranks whose profile is not there, as far as the files tell */
    double balance;       /* mean / most time of useful computing; NaN unknown */
    double communication; /* most time of useful computing / wall */
    double efficiency;    /* the product of both: mean time of useful computing / wall */
    const char *why_not;  /* why nothing is known about arrivals; NULL: it is */
    struct job_straggler straggler;
    /* Calls of MPI, where the profiles have such: matched, with times on one clock. NULL: none. */
    struct mpi_job *mpi;
    struct job_private *priv;
};

/*
 * Closer arrivals are undecided: about what a kernel's launch differs by from run to run.
 *
 * A rank holds the others up if it is later than one of equal ranks would be in one of JOB_CHANCE
 * jobs, if at least JOB_SHARE of all waiting is for it, and if the others lose at least JOB_LOST of
 * the job's time by it. Its cause is what it spends the most time in beyond the median
 * of the others, if that explains at least half of the loss.
 *
 * Efficiency by the names of the POP project ("POP Standard Metrics for Parallel Performance
 * Analysis"): parallel efficiency = load balance x communication efficiency. Useful computing is
 * the time in which a device runs kernels that are no communication.
 */
enum { JOB_APART_NS = 3000, JOB_CHANCE = 200, JOB_RANKS_MOST = 1 << 20 };
#define JOB_SHARE 0.5
#define JOB_LOST  0.01

/* Adds the rank of a profile, or the ranks of one that holds several. 0, or -errno with err: too
 * many were added. *j begins as zeros. */
int job_add(struct job *j, const struct trace *t, const char *path, struct error *err);
/* Finds everything else. 0, or -errno with err: two profiles are of the same rank, or of different
 * jobs. */
int job_finish(struct job *j, struct error *err);
/* Makes the job of one profile that has all ranks, as the files of a folder make together. False:
 * it has one rank only, or nothing is known about arrivals. Call job_free in either case. */
bool job_of_profile(struct job *j, const struct trace *t);
void job_free(struct job *j);
const char *job_cause_name(enum job_cause c); /* for documents: "computes" */
const char *job_cause_text(enum job_cause c); /* "it computes longer" */
