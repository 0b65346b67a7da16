/* How programs are run for bench.h; backends/bench fills it. */
#pragma once

#include "engine/bench/bench.h"

struct runner_ops {
    /*
     * Runs n programs (1 or 2) at once, in the order given, with output to nowhere and an
     * environment of random size, and waits for all. cpus: the CPU of each, or NULL. The load is
     * filled in too. 0, or -errno with err where one cannot be started.
     */
    int (*run)(char **const argv[], size_t n, const int *cpus, struct bench_sample *out,
               struct error *err);
    /* From now on the first signal that ends rooftop ends the running programs only, and stopped
     * returns it. May be NULL, as stopped may: signals end rooftop. */
    void (*stop_in_order)(void);
    int (*stopped)(void);
    /* Runs a command and waits for it. Its output is discarded, its messages go to our standard
     * error. 0, or -errno with err if it cannot be started, or ends with a status but 0. */
    int (*run_unmeasured)(char **argv, struct error *err);
    void (*conditions)(struct bench_conditions *out);
    /* What built the program that argv[0] names: "GNU C17 12.2.0 -O2" of its debug information,
     * else what the compilers wrote into .comment; "": unknown, as for a script. */
    void (*compiler)(const char *name, char *out, size_t size);
    /* Two CPUs of different cores for a duet, those that were busy least in a third of a second;
     * busy: the share of that time, 0..1, NAN = unknown. -errno with err where there are no two. */
    int (*two_cpus)(int cpu[2], double busy[2], struct error *err);
};
extern const struct runner_ops runner;
