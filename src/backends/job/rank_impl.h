/* What the files of this room share. */
#pragma once

#include "backends/job/rank_watch.h"

/* rank_begin.c */
void rank_begin_fill(struct rank_summary *s, char *const *argv);

/* rank_threads.c. How long threads waited for a CPU: Linux counts it for each thread, and forgets a
 * thread that ends. */
enum { RANK_THREADS_MOST = 8192 };
struct rank_thread {
    pid_t tid;
    uint64_t ready; /* ns */
};
struct rank_threads {
    struct rank_thread *list; /* of the last sample, by number */
    size_t n;
    uint64_t ended; /* ns, of threads that ended, as they were seen last */
    bool known;
};
void rank_threads_see(struct rank_threads *t, const struct snapshot *s);
double rank_threads_waited(const struct rank_threads *t); /* seconds; NaN: not known */

/* rank_memory.c. The share of a process's pages that lie on other nodes than these (bits); NaN: the
 * kernel does not say it. */
double rank_memory_far(pid_t pid, uint64_t nodes);
