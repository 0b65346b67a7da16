/*
 * A program with a check of its own, run in processes of its own: the clock runs until all of them
 * have ended. Unlike a function in a sandbox it may do what the user may.
 */
#pragma once

#include "engine/judge/judge.h"

struct program_limits {
    double seconds;
    uint64_t memory; /* bytes of addresses, of each process */
    uint64_t output; /* bytes that it writes to standard output and error, together */
};
extern const struct program_limits program_limits_usual; /* 60 s, 16 GiB, 16 MiB */

struct program_took {
    uint64_t elapsed_ns; /* until it and all that it started have ended */
    /* User and system time of all of them; where the kernel refuses perf_event_open, of those that
     * were waited for: a process whose parent ignores SIGCHLD is not in it. */
    uint64_t cpu_ns;
};

/*
 * Judges two commands. plan: baseline and candidate are commands of the shell; the harness is not
 * used. nothing: the same command with a program that does nothing, which its check must refuse.
 * Otherwise as judge_run.
 */
int judge_programs(const struct judge_plan *plan, const char *nothing,
                   const struct program_limits *limits, struct judge_result *out,
                   struct error *err);
