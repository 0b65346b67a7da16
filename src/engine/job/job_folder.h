/*
 * A folder that the ranks of a job wrote by `rooftop job`: a folder for each rank with its summary
 * and its session. One run of one job is shown, the last that began; what else is there, and what
 * is missing, is told in notes and never joined with it.
 */
#pragma once

#include "engine/job/rank_summary.h"

enum { JOB_FOLDER_NAME = 64 };

struct job_member {
    struct rank_summary s;
    char folder[JOB_FOLDER_NAME]; /* below the job's folder */
    bool whole;                   /* its folder has its last name; false: it runs, or it died */
    /* Seconds that its calls of MPI took; NaN: they were not recorded, or not read. */
    struct {
        double calls;                                          /* in them */
        double late_sender, late_receiver, collective, window; /* that it waited for others */
        double caused; /* that others waited for it, all together */
    } mpi;
};

enum slow_cause {
    SLOW_NOT_SEEN,
    SLOW_SHARED_CPU,    /* with another rank of its host */
    SLOW_OTHER_PROGRAM, /* on its CPUs */
    SLOW_CPU_WAIT,      /* it waited for a CPU; for whom is not known */
    SLOW_SWAPPED,
    SLOW_FAULTS,
    SLOW_CLOCK,
    SLOW_FAR_MEMORY,
    SLOW_FAR_GPU, /* a GPU that it uses is on another NUMA node than its CPUs */
    SLOW_COMPUTES,
    SLOW_SYSTEM,      /* in the kernel */
    SLOW_STOPPED,     /* by a signal or a debugger */
    SLOW_DISK,        /* it waited for a disk or a file server */
    SLOW_IDLE,        /* it slept, or waited for what is not recorded */
    SLOW_COLLECTIVES, /* it comes last to them; by what is not seen */
    SLOW_HANG,        /* the others wait for it in one that does not end */
    SLOW_CAUSES
};

/* The rank that is slower than the others, and by what; rank JOB_NONE: none stands out. */
#define JOB_NONE UINT32_MAX
struct job_slow {
    uint32_t rank; /* index of the member */
    double behind; /* seconds that this costs: it needed, or waited for a CPU, beyond the median;
                      of CPU time, with the wait for CPUs that all have; at collectives, that each
                      other rank waited for it */
    double own, median; /* what it did itself beyond the median of the others, and that; 0: it is
                           slow by something else */
    double spread;      /* of the others: 1.48 times the median distance from their median; NaN */
    enum slow_cause cause;
    uint32_t beside; /* index of a rank that shares its CPUs; JOB_NONE */
    char said[240];  /* "rank 3 is slow: it ended 1.2 s after the median of the others" */
    char why[240]; /* the cause, with its numbers, or why it is not clear; "": no rank stands out */
};

struct job_folder {
    char *path;
    struct job_member *ranks; /* of the run that is shown, by number */
    uint32_t n;
    uint32_t size;     /* ranks of the job, as they say; 0: not known */
    uint32_t missing;  /* of them, so many wrote nothing that can be read */
    uint32_t left_out; /* folders of ranks that cannot be read */
    uint32_t failed;   /* ended by a signal, or with another status than 0 */
    char failure[80];  /* "2 of 4 ranks failed; the first was rank 3: signal 9"; "": none */
    uint32_t unfinished;
    double mpi_part; /* of the calls of MPI, the first ones, that were read; 1: all; 0: none */
    bool mixed;      /* a rank is there twice at the same time: no rank is called slow */
    double wall;     /* seconds from the first begin to the last end, by the hosts' clocks; NaN */
    char **notes;
    uint32_t nnotes, notes_room;
    struct job_slow slow;
};

/* Whether the path is a folder with the summary of a rank. Only names are looked at. */
bool job_folder_is(const char *path);
/*
 * Reads the summaries. A rank whose folder cannot be read, or is another user's, is left out and
 * told. Returns 0, or -errno with err: the folder cannot be read, or holds no rank at all. Call
 * job_folder_free in either case.
 */
int job_folder_open(struct job_folder *f, const char *path, struct error *err);
void job_folder_free(struct job_folder *f);
/* job_folder_mpi.c. Reads the calls of MPI that the ranks recorded, if there are any: what cannot
 * be read, or is too much, is told in a note. -ECANCELED if the thread's watch says so. */
int job_folder_read_mpi(struct job_folder *f, struct error *err);
/* The same from the ranks' calls in j, which job_finish has looked at. Both change the verdict to
 * that of the calls. */
struct job;
void job_folder_take_mpi(struct job_folder *f, const struct job *j);
/* Median of a number over the ranks of the shown run, without those where it is not known and
 * without the rank with the index `but` (JOB_NONE: none). NaN: no rank knows it. */
double job_folder_median(const struct job_folder *f, double (*of)(const struct job_member *),
                         uint32_t but, double *spread);
/* CPU time outside of communication; all of it where that was not recorded. NaN unknown. */
double job_member_work(const struct job_member *m);
/* Time in which a rank neither computed nor waited for a CPU; NaN unknown. */
double job_member_idle(const struct job_member *m);
/* The name that its folder has when it has ended for the first time: "rank-00007". It stays while
 * the folder's changes. */
const char *job_member_key(const struct job_member *m, char out[24]);
const struct job_member *job_folder_find(const struct job_folder *f, const char *key);
/* What is to be told of ranks that failed beside the verdict; "": nothing, or the verdict says it.
 */
const char *job_folder_failure(const struct job_folder *f);
/* "0", "signal 9", "running": how it ended. */
const char *job_member_end(const struct job_member *m, char out[32]);
const char *slow_cause_name(enum slow_cause c); /* for documents: "shared_cpu" */
