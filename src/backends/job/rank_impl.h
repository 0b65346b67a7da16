/* What the files of this room share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

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
    struct rank_thread *list;  /* of the last sample, by number */
    struct rank_thread *spare; /* room for the next one */
    size_t n;
    uint64_t ended; /* ns, of threads that ended, as they were seen last */
    bool known;
};
void rank_threads_see(struct rank_threads *t, const struct snapshot *s);
/* At the end: what a thread had waited at the last look, which may be later than the last sample.
 */
void rank_threads_end(struct rank_threads *t, pid_t tid, uint64_t ready);
double rank_threads_waited(const struct rank_threads *t); /* seconds; NaN: not known */
void rank_threads_free(struct rank_threads *t);

/* rank_stacks.c. Samples of call stacks, by where the CPU was; within: those in communication. */
enum rank_place { RANK_USER, RANK_KERNEL };
struct rank_stacks {
    uint64_t samples[2], within[2];
};
void rank_stacks_see(struct rank_stacks *r, const struct hot_stacks *p);

/* rank_states.c. A thread that looks at the program's first thread; ns. */
struct rank_states {
    pid_t pid; /* 0: it did not begin */
    bool started;
    atomic_bool end;
    pthread_t thread;
    uint64_t disk, stopped; /* it waited for a disk; a signal or a debugger had stopped it */
    uint64_t ready;         /* it had waited for a CPU at the last look; 0: not known */
};
void rank_states_begin(struct rank_states *r, pid_t pid); /* does nothing the second time */
bool rank_states_end(struct rank_states *r);              /* false: it had ended, or never began */

enum { RANK_NODES_MOST = 64 }; /* NUMA nodes, each a bit */
/* rank_gpus.c. Counts the GPUs that the rank's processes use now, and those on other nodes than
 * these (bits; 0: not known). */
void rank_gpus_see(struct rank_summary *out, const struct snapshot *s, uint64_t nodes);

/* rank_memory.c. The share of a process's pages that lie on other nodes than these (bits); NaN: the
 * kernel does not say it. */
double rank_memory_far(pid_t pid, uint64_t nodes);
