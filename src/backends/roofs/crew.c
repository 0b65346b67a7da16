#include "backends/roofs/roofs_impl.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/arena.h"

enum { CPU_SETS = 8 }; /* CPUs have numbers up to 8191 */

uint32_t crew_find_cpus(struct crew *c)
{
    cpu_set_t set[CPU_SETS]; /* the kernel refuses a set that is smaller than its own */
    uint32_t n = 0;
    CPU_ZERO_S(sizeof set, set);
    if (sched_getaffinity(0, sizeof set, set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETS * CPU_SETSIZE && n < CREW_CPUS_MAX; i++)
        if (CPU_ISSET_S((size_t)i, sizeof set, set))
            c->cpu[n++] = i;
    return n;
}

struct crew_member {
    struct crew *crew;
    uint32_t i;
};

static void *work_as_member(void *arg)
{
    const struct crew_member *m = arg;
    cpu_set_t set[CPU_SETS];
    CPU_ZERO_S(sizeof set, set);
    CPU_SET_S((size_t)m->crew->cpu[m->i], sizeof set, set);
    sched_setaffinity(0, sizeof set, set); /* a refusal costs accuracy only */
    pthread_mutex_lock(&m->crew->gate);
    bool given_up = m->crew->given_up;
    pthread_mutex_unlock(&m->crew->gate);
    if (!given_up)
        m->crew->work(m->crew->own, m->i);
    return NULL;
}

int crew_run(struct crew *c)
{
    pthread_t *thread = xcalloc(c->n, sizeof *thread);
    struct crew_member *m = xcalloc(c->n, sizeof *m);
    uint32_t started = 0;
    pthread_mutex_init(&c->gate, NULL);
    pthread_mutex_lock(&c->gate);
    for (; started < c->n; started++) {
        m[started] = (struct crew_member){c, started};
        if (pthread_create(&thread[started], NULL, work_as_member, &m[started]) != 0)
            break;
    }
    bool all = started == c->n;
    c->given_up = !all;
    pthread_mutex_unlock(&c->gate);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&c->gate);
    free(thread);
    free(m);
    return all ? 0 : -EAGAIN;
}
