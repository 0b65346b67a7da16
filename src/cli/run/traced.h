/* Runs a command under a tracer of system calls, for the commands that judge what it did. */
#pragma once

#include "cli/options/options.h"
#include "engine/syscalls/tracer.h"

/* Bytes of each written buffer that are kept where their digest matters. */
enum { TRACED_STRINGS = 60000 };

/* Signals that end rooftop reach the command instead, and its trace is completed. */
void traced_catch_signals(void);
/* The last of these signals that came; 0: none. A run that one of them ended is incomplete. */
int traced_interrupted(void);
/* 0, or -EINTR with err if one came: so says what follows from that for the run. */
int traced_check(const char *program, const char *so, struct error *err);
/* Reports err, and returns the exit status for a run that a signal cut short. */
int traced_exit(const struct error *err);
/* For tracer_setup.stop_signal. */
int traced_stop_signal(void *ctx);

struct traced_run {
    struct tracer_result result;
    uint64_t wall_ns; /* from the start of the program to its last event, without the tracer's */
    char program[64]; /* the command without folders */
    const char *by;   /* the mechanism */
};

/*
 * Runs argv, and its descendants, by the mechanism that is named or the best one, and gives the
 * events to sink. strings: bytes kept of each buffer. 0, or -errno with err.
 */
int run_traced(char *const *argv, const char *by, uint32_t strings, const struct syscall_sink *sink,
               struct traced_run *out, struct error *err);
