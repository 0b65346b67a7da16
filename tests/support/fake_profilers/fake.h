/*
 * Stand-ins for rocprofv3 and nsys. They accept only the documented options, run the command, and
 * write what the real ones would write for a program that runs two kernels on one GPU. A test
 * program is its own stand-in: links called rocprofv3 and nsys in a folder of PATH lead to it.
 *
 * Environment: FAKE_FAULTS "counters-1:fail base:nothing" (a pass, by the name of its output
 * folder, and what goes wrong: fail, killed, nothing, truncated, fewer, shapes, other-queues),
 * FAKE_ROCM the version of ROCm, FAKE_GPU the architecture, FAKE_LOG a file for command lines.
 */
#pragma once

#include <stdbool.h>

/* A dispatch of the base pass; they are in order. */
struct fake_dispatch {
    int id, kernel /* kernel 1 is axpy(float*), 2 is _Z4gemmPfS_ */, queue, groups;
    long start, end; /* ns, in the base pass */
};
enum { FAKE_DISPATCHES = 6 };
extern const struct fake_dispatch fake_dispatches[FAKE_DISPATCHES];
/* The value of a counter in the n-th dispatch (from 0), summed over all instances. */
double fake_counter(const char *name, int n);

/* Makes the link dir/name; name is "rocprofv3" or "nsys". */
void fake_profilers_link(const char *dir, const char *name);
/* Call it first in a test's main: returns whether the program was started as a stand-in, and its
 * exit status. */
bool fake_profilers_main(int argc, char **argv, int *status);

/* Whether FAKE_FAULTS has this fault for the pass. This and the following are for the stand-ins. */
bool fake_fault(const char *pass, const char *what);
/* Runs the command as a child that gets our signals. Returns its exit status; if a signal ended
 * it, ends by the same signal. */
int fake_run(char **argv);
void fake_log(int argc, char **argv);
void fake_make_folders(const char *path); /* makes the folders above a file */
int fake_rocprofv3(int argc, char **argv);
int fake_nsys(int argc, char **argv);
