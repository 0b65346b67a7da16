/*
 * What a rank of a job says of itself in a small document, which lies in the rank's folder beside
 * what was recorded: who it is, where it ran, what it used, how it ended. An overview of a job
 * reads these documents only. Times are seconds; a number that is not known is NaN.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/value/field.h"

/* The names in a job's folder: rank-00007, or .rank-00007.XXXXXX until the rank's folder is whole;
 * and in a rank's folder. */
#define RANK_FOLDER      "rank-"
#define RANK_UNFINISHED  ".rank-"
#define RANK_SUMMARY     "summary.json"
#define RANK_SESSION     "session.rooftop"
#define RANK_COLLECTIVES "collectives.ring" /* format/collectives.h */
#define RANK_SCHEMA      "rooftop.rank/1"
#define RANK_FOLDER_ENV  "ROOFTOP_RANK_FOLDER" /* tells the program where its own files may lie */

enum { RANK_SUMMARY_MAX = 64 << 10 }; /* bytes of a document; a larger one is not read */

struct rank_summary {
    char state[12];    /* "running"; "ending" once it was told to end; "ended" */
    char launcher[16]; /* a name of launchers.def, or "" */
    char job[96], step[32];
    uint32_t rank, restart, requeue;
    uint32_t pid, other_pid; /* of the program, and of `other`, on the host; 0: not known */
    double ranks, local_rank;
    char host[65];
    char command[256], program[256], build_id[48]; /* build_id: hexadecimal digits, or "" */
    char gpus[128];                                /* the devices that it may use, as the variable
                                                      that limits them says; "": no variable does */
    char cpus[160];                                /* the CPUs that it may use: "0-3,8" */
    uint64_t start_us, end_us; /* since the epoch, by the host's clock; 0: not known */
    double wall, user, system;
    double ready;                      /* its threads waited for a CPU, all together */
    double voluntary, forced;          /* context switches: it waited; it was made to wait */
    double minor_faults, major_faults; /* of pages: without, with reading from a disk */
    double disk_wait;                  /* it waited for a disk or a file server, */
    double stopped;                    /* and a signal or a debugger had stopped it */
    double sampled;                    /* call stacks */
    double polled_user, polled_system; /* of the CPU time, that in communication, as the call
                                          stacks tell: a rank that waits asks again and again */
    double memory, swapped;            /* bytes: the most that was resident, swapped out */
    double far;                        /* share of its pages on another NUMA node than its CPUs */
    double gpus_used, gpus_far;        /* GPUs that it used when it was seen last; of them, those on
                                          another NUMA node than all CPUs that it may use */
    char far_gpu[48];                  /* one of those, with its node; "": none */
    double clock;                      /* Hz of its CPUs, mean */
    double throttled;                  /* how often its CPUs were throttled for heat */
    double others;                     /* CPU time of other programs on its CPUs */
    char other[48];                    /* the one of them that used most, */
    double other_used;                 /* and its CPU time */
    double status, signal;             /* how the program ended: one of both */
    double samples;                    /* in the session */
    char lost[160];                    /* why the session is not whole; "": it is */
    char no_collectives[240];          /* why calls of NCCL and RCCL are not recorded; "": they are
                                          if the program uses it */
    char rooftop[32];                  /* the version that wrote this */
};

extern const struct fields rank_summary_record;

/* All unknown. */
void rank_summary_begin(struct rank_summary *s);
/*
 * Replaces the document of a rank's folder: a reader sees the old one or the new one, after a crash
 * of the machine, too. 0 or -errno with err.
 */
int rank_summary_write(const struct rank_summary *s, const char *folder, struct error *err);
/* Reads the text of a document. path: for errors. 0 or -errno with err. */
int rank_summary_parse(struct rank_summary *out, const char *text, size_t n, const char *path,
                       struct error *err);
/*
 * Reads the document of a rank's folder, whose descriptor is given. A link, a pipe, a document of
 * more than RANK_SUMMARY_MAX bytes and the files of another user than `owner` are refused. -ENOENT:
 * there is none.
 */
int rank_summary_read(struct rank_summary *out, int folder, uint32_t owner, const char *path,
                      struct error *err);
