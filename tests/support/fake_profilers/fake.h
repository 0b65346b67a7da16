/*
 * Stand-ins for rocprofv3 and nsys: they take the documented options and no other, run the command,
 * and write what the real ones would of a program that runs two kernels on one GPU. A test is its
 * own stand-in: links called rocprofv3 and nsys in a folder of PATH lead to it.
 *
 * Environment: FAKE_FAULTS "counters-1:fail base:nothing" (the pass, by the name of its output
 * folder, and what goes wrong: fail, killed, nothing, truncated, fewer, shapes, other-queues),
 * FAKE_ROCM the version of ROCm, FAKE_GPU the architecture, FAKE_LOG a file for command lines.
 */
#ifndef TESTS_SUPPORT_FAKE_PROFILERS_FAKE_H
#define TESTS_SUPPORT_FAKE_PROFILERS_FAKE_H

#include <stdbool.h>

/* What the program runs in the base pass, in order of its dispatches. */
struct fake_dispatch {
    int id, kernel /* 1 axpy(float*), 2 _Z4gemmPfS_ */, queue, groups;
    long start, end; /* ns, of the base pass */
};
enum { FAKE_DISPATCHES = 6 };
extern const struct fake_dispatch fake_dispatches[FAKE_DISPATCHES];
/* The sum over all instances of a counter of the n-th dispatch, 0 the first. */
double fake_counter(const char *name, int n);

/* Makes dir/name: "rocprofv3", "nsys". */
void fake_profilers_link(const char *dir, const char *name);
/* In main of a test, first: whether the program was started as one of them; then its exit status.
 */
bool fake_profilers_main(int argc, char **argv, int *status);

/* For the stand-ins. */
bool fake_fault(const char *pass, const char *what);
/* Runs it as a child that gets our signals; its exit status, or ends as it did. */
int fake_run(char **argv);
void fake_log(int argc, char **argv);
void fake_make_folders(const char *path); /* of a file */
int fake_rocprofv3(int argc, char **argv);
int fake_nsys(int argc, char **argv);

#endif
