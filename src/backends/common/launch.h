/* Starts programs and waits for them, and handles signals meanwhile. */
#pragma once

#include <stddef.h>

/* Between launch_begin and launch_end, signals that end programs do not end us: they are passed on
 * to the running program, unless the terminal has sent them there already. */
void launch_begin(void);
void launch_end(void);
/* The last signal since launch_begin; 0: none. */
int launch_stopped(void);

/* Runs argv until it ends. out_fd: its standard output, -1: ours. Returns 0 with its wait status,
 * or -errno if it could not be executed. */
int launch_run(char *const *argv, int out_fd, int *wait_status);
/* The same, and calls tick every 100 ms and once after the program ended. */
int launch_run_watched(char *const *argv, int out_fd, void (*tick)(void *ctx), void *ctx,
                       int *wait_status);
/* Runs argv and stores what it prints, NUL-terminated; kills it after ms milliseconds. Returns 0 if
 * it succeeded. */
int launch_capture(char *const *argv, char *out, size_t size, int ms);
