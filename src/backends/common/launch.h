/* Starts programs and waits for them, signals included. */
#ifndef ROOFTOP_BACKENDS_COMMON_LAUNCH_H
#define ROOFTOP_BACKENDS_COMMON_LAUNCH_H

#include <stddef.h>

/*
 * Signals that end programs are kept from us while a run lasts: passed on to what runs, where the
 * terminal has not sent them there already. launch_begin once, launch_end afterwards.
 */
void launch_begin(void);
void launch_end(void);
/* The signal that came last since launch_begin; 0 none. */
int launch_stopped(void);

/* Runs it to its end. out_fd: its standard output, -1 ours. 0 with its wait status, or -errno where
 * it could not be executed. */
int launch_run(char *const *argv, int out_fd, int *wait_status);
/* The same; tick is called every 100 ms, and once after its end. */
int launch_run_watched(char *const *argv, int out_fd, void (*tick)(void *ctx), void *ctx,
                       int *wait_status);
/* What it prints, NUL-terminated; killed after ms. 0 where it ended well. */
int launch_capture(char *const *argv, char *out, size_t size, int ms);

#endif
