/*
 * The numbers in /proc, by rising pid.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_LISTING_H
#define ROOFTOP_BACKENDS_PROCESSES_LISTING_H

#include <stddef.h>
#include <sys/types.h>

struct listing {
    int dir_fd; /* /proc, kept open; -1 = it cannot be read */
    char *buf;
    pid_t *pids; /* of the last listing_read, each once */
    size_t n, cap;
};

/* 0 or -errno. */
int listing_open(struct listing *l);
/* 0 or -errno; pids is left as it was then. */
int listing_read(struct listing *l);
/* How many processes there are, without listing them: the links of procfs's root are those that the
 * kernel counts on the whole machine, and some of its own. At most as many as were listed where
 * nobody counts. */
size_t listing_population(const struct listing *l);
void listing_close(struct listing *l);

#endif
