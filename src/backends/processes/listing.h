/* The process numbers in /proc, sorted. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_LISTING_H
#define ROOFTOP_BACKENDS_PROCESSES_LISTING_H

#include <stddef.h>
#include <sys/types.h>

struct pid_listing {
    int dir_fd; /* /proc, kept open; -1: it cannot be read */
    char *buf;
    pid_t *pids; /* result of the last listing_read, without duplicates */
    size_t n, cap;
};

/* Opens /proc. Returns 0 or -errno. */
int listing_open(struct pid_listing *l);
/* Reads the pids. Returns 0, or -errno with pids unchanged. */
int listing_read(struct pid_listing *l);
/*
 * Counts the processes without listing them: the number of links of procfs's root is that of all
 * processes of the machine, plus some of its own. Where the kernel does not count, the result is at
 * most the number listed.
 */
size_t listing_population(const struct pid_listing *l);
void listing_close(struct pid_listing *l);

#endif
