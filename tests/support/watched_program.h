/*
 * A program to trace: it makes calls when it is told to, answers, and so shows that it is not
 * stopped.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Calls of access() with a path that is not there, for each answer. */
enum { WATCHED_CALLS = 50 };

struct watched_program {
    pid_t pid;
    int to, from;
};

/* Skips the test where running processes cannot be traced by ptrace, whose TracerPid is looked at.
 */
void watched_program_skip(void);
void watched_program_start(struct watched_program *p);
/* Fails the test if it does not answer within a long time. */
void watched_program_answers(struct watched_program *p);
/* The process that traces it now; 0: none. */
pid_t watched_program_tracer(const struct watched_program *p);
/* Waits until it is traced, or is not; fails the test if that never comes. */
void watched_program_until(const struct watched_program *p, bool traced);
/* Ends it: 'q' makes it exit with 7, 0 with 0. Returns its wait status. */
int watched_program_end(struct watched_program *p, char how);
