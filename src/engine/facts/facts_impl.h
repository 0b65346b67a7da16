/* What the parts of facts share. */
#pragma once

#include "base/ids.h"
#include "engine/facts/facts.h"
#include "engine/syscalls/roles.h"

/* A thread's stretch of equal calls that is still going on. */
struct stretch {
    uint64_t key, calls, bytes, ns;
    const struct descriptor_object *object;
    bool waited; /* on a futex, at least once */
    bool over;   /* the thread has ended: its number may come again */
};

enum { FACTS_BURST = 1024 };

struct run_facts_private {
    struct ids by_pid, by_tid, by_use, programs;
    struct ids threads;        /* the process of a thread that is not its first */
    struct stretch *stretches; /* of each loop */
    size_t stretches_cap;
    uint64_t starts[FACTS_BURST]; /* times of the last starts, a ring */
    uint32_t nstarts;
};

static inline bool facts_done(const struct syscall_event *e)
{
    return !(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)) && e->result >= 0;
}
/* Parts of run_facts_add, for a call: what was done with a descriptor; the thread's stretch of
 * equal calls. */
void facts_use(struct run_facts *f, uint32_t process, const struct syscall_event *e,
               const struct syscall_duty *duty, const struct descriptor_object *object);
void facts_stretch(struct run_facts *f, uint32_t process, const struct syscall_event *e,
                   const struct syscall_duty *duty, const struct descriptor_object *object);
void facts_stretch_end(struct run_facts *f, size_t loop);
/* The thread has ended. */
void facts_thread_over(struct run_facts *f, int32_t tid);
