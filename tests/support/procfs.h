/*
 * A made-up /proc and /sys in a temporary directory, to which env_path points.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Makes an empty tree and sets it as the root. Only one may exist at a time. */
void procfs_new(void);
/* Removes the tree and restores the real root. */
void procfs_free(void);
const char *procfs_root(void);
/* Writes a file and creates its directories. Writes in place, so that open descriptors see the
 * change. */
void procfs_write(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void procfs_bytes(const char *path, const void *data, size_t n);
/* Unpacks a tree that is kept as a list (tests/data/sysfs, tests/data/gpu), once, and returns its
 * root, for env_set_root. It is removed when the program ends. */
const char *procfs_tree(const char *list);
void procfs_remove(const char *path); /* a file or a whole directory */

/* Makes CPUs 0..n-1 with a regular topology, and everything else that a poll reads; no
 * processes. */
void procfs_machine(int ncpus);
/* Writes /proc/stat so that each CPU has these ticks; the total is their sum. */
void procfs_stat(int ncpus, uint64_t user, uint64_t system, uint64_t idle, uint64_t iowait,
                 uint64_t forks);

struct procfs_process {
    pid_t pid, ppid;
    const char *comm, *cmdline;           /* NULL = empty; ' ' becomes a zero byte */
    char state;                           /* 0 means 'S' */
    uint64_t utime, stime, start, waited; /* waited: time of ended children */
    pid_t session;
    unsigned flags;
};
void procfs_process(const struct procfs_process *p);

/* A clock for env_set_clock; advance it by hand. */
extern uint64_t procfs_clock_ns;
uint64_t procfs_clock(void *ctx);
