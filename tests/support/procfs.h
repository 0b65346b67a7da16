/*
 * A /proc and /sys of the test's own, in a temporary directory that env_path then points at.
 */
#ifndef ROOFTOP_TESTS_SUPPORT_PROCFS_H
#define ROOFTOP_TESTS_SUPPORT_PROCFS_H

#include <stdint.h>
#include <sys/types.h>

/* Makes an empty tree and sets the root; one at a time. */
void procfs_new(void);
/* Removes the tree and restores the real root. */
void procfs_free(void);
const char *procfs_root(void);
/* Writes a file (in place, so that kept descriptors see it), with the directories above it. */
void procfs_write(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void procfs_bytes(const char *path, const void *data, size_t n);
void procfs_remove(const char *path); /* a file or a whole directory */

/* CPUs 0..n-1 with an even topology and everything a poll reads; no processes. */
void procfs_machine(int ncpus);
/* /proc/stat where each CPU has these ticks; total is their sum. */
void procfs_stat(int ncpus, uint64_t user, uint64_t system, uint64_t idle, uint64_t iowait,
                 uint64_t forks);

struct procfs_process {
    pid_t pid, ppid;
    const char *comm, *cmdline;           /* cmdline: NULL = empty; ' ' becomes the zero byte */
    char state;                           /* 0 = S */
    uint64_t utime, stime, start, waited; /* waited: of children that ended */
    pid_t session;
    unsigned flags;
};
void procfs_process(const struct procfs_process *p);

/* A clock for env_set_clock; advance it by hand. */
extern uint64_t procfs_clock_ns;
uint64_t procfs_clock(void *ctx);

#endif
