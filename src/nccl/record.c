/* Writes communicators and calls into the memory that `rooftop job` made. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nccl/nccl_impl.h"

struct collectives *record_memory;

static uint64_t get_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- the memory --- */

/* Communicators that another program made here, such as the one before exec() or a worker before
 * its restart: they have ended with it, and nobody waits in their open calls. */
static void end_earlier_groups(struct collectives *m)
{
    const uint64_t made = LOAD(m->header.groups);
    for (uint64_t i = 0; i < made && i < COLLECTIVES_GROUPS; i++)
        STORE(m->groups[i].ended, 1);
}

/* Makes this process the one that records. Not if another one does that still runs. */
static bool claim_memory(struct collectives *m)
{
    uint32_t owner = LOAD(m->header.pid);
    const uint32_t self = (uint32_t)getpid();
    if (owner == self)
        return true; /* before it called exec() */
    if (owner && !(kill((pid_t)owner, 0) != 0 && errno == ESRCH)) {
        ADD(m->header.refused, 1);
        return false;
    }
    return __atomic_compare_exchange_n(&m->header.pid, &owner, self, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

static struct collectives *map_collectives(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    void *m = MAP_FAILED;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == sizeof *record_memory)
        m = mmap(NULL, sizeof *record_memory, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return m == MAP_FAILED ? NULL : m;
}

/* A child that the program forks records nothing: its calls are not the rank's. */
static void forget_collectives(void)
{
    STORE(record_memory, NULL);
}

static int why_not; /* errno; 0: it is open, or there is none */

static void open_memory(void)
{
    const char *path = getenv(COLLECTIVES_VARIABLE);
    if (!path || !*path)
        return;
    errno = EINVAL; /* it is another file */
    struct collectives *m = map_collectives(path);
    why_not = m ? 0 : errno;
    if (!m)
        return;
    if (m->header.magic != COLLECTIVES_MAGIC || m->header.version != COLLECTIVES_VERSION ||
        !claim_memory(m)) {
        munmap(m, sizeof *m);
        return;
    }
    end_earlier_groups(m);
    pthread_atfork(NULL, NULL, forget_collectives);
    STORE_RELEASE(record_memory, m);
}

void record_open(profiler_log *log)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static bool told;
    const int error = errno;
    pthread_once(&once, open_memory);
    if (why_not && log && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        TELL(log, "calls are not recorded: the memory of rooftop job cannot be opened, errno %d",
             why_not);
    errno = error;
}

/* --- communicators --- */

uint32_t record_group(uint32_t slot, uint64_t id, const char *name, int nodes, int ranks, int rank)
{
    struct collectives *m = LOAD_ACQUIRE(record_memory);
    if (!m)
        return NO_GROUP;
    const uint64_t before = ADD(m->header.groups, 1);
    struct collectives_group *g = &m->groups[slot];
    STORE(g->serial, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(g->id, id);
    STORE(g->calls, 0);
    STORE(g->pairs, 0);
    STORE(g->begun, 0);
    STORE(g->announced, 0);
    STORE(g->rank, (uint32_t)rank);
    STORE(g->ranks, (uint32_t)ranks);
    STORE(g->nodes, (uint32_t)nodes);
    STORE(g->ended, 0);
    const size_t n = name ? strnlen(name, sizeof g->name - 1) : 0;
    for (size_t i = 0; i < sizeof g->name; i++)
        STORE(g->name[i], i < n ? name[i] : '\0');
    STORE_RELEASE(g->serial, before + 1);
    return slot;
}

void record_group_beyond(void)
{
    struct collectives *m = LOAD_ACQUIRE(record_memory);
    if (m)
        ADD(m->header.dropped, 1);
}

void record_group_end(uint32_t group)
{
    struct collectives *m = LOAD(record_memory);
    if (m && group != NO_GROUP)
        STORE(m->groups[group].ended, 1);
}

void record_announced(uint32_t group)
{
    struct collectives *m = LOAD_ACQUIRE(record_memory);
    if (m && group != NO_GROUP)
        ADD(m->groups[group].announced, 1);
}

/* --- calls --- */

/* Copies a text of NCCL's into whole words, which are stored at once. */
static void store_text(char *to, size_t size, const char *from)
{
    uint64_t words[4] = {0}, *at = (uint64_t *)(void *)to;
    if (from)
        memcpy(words, from, strnlen(from, size - 1));
    for (size_t i = 0; i < size / sizeof *words; i++)
        STORE(at[i], words[i]);
}

static void store_arguments(struct collectives_call *c, const char *op, const char *type,
                            uint64_t count, int peer, uint8_t channels)
{
    store_text(c->op, sizeof c->op, op);
    store_text(c->type, sizeof c->type, type);
    STORE(c->count, count);
    STORE(c->peer, (uint32_t)peer);
    STORE(c->channels, channels <= COLLECTIVES_CHANNELS ? channels : 0);
}

uint64_t record_call(uint32_t group, const struct profiler_description *d, bool pair)
{
    struct collectives *m = LOAD_ACQUIRE(record_memory);
    if (!m || group == NO_GROUP)
        return 0;
    struct collectives_group *g = &m->groups[group];
    if (pair && d->pair.peer == (int)LOAD(g->rank))
        return 0;
    const uint64_t number = (pair ? ADD(g->pairs, 1) : ADD(g->calls, 1)) + 1;
    const uint64_t serial = ADD(m->header.calls, 1) + 1;
    struct collectives_call *c = &m->calls[(serial - 1) % COLLECTIVES_CALLS];
    if (LOAD(c->begun) && !LOAD(c->ended))
        ADD(m->header.dropped, 1);
    STORE(c->serial, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(c->group, LOAD(g->serial));
    STORE(c->number, number);
    STORE(c->called, get_time());
    STORE(c->begun, 0);
    STORE(c->ended, 0);
    STORE(c->first, 0);
    STORE(c->last, 0);
    STORE(c->pair, pair);
    STORE(c->done, 0);
    for (size_t i = 0; i < sizeof c->running / sizeof *c->running; i++)
        STORE(c->running[i], 0);
    const struct profiler_pair *p = &d->pair;
    const struct profiler_collective *all = &d->collective;
    if (pair)
        store_arguments(c, p->op, p->type, p->count, p->peer, p->channels);
    else
        store_arguments(c, all->op, all->type, all->count, all->root, all->channels);
    STORE_RELEASE(c->serial, serial);
    return serial;
}

void record_call_begun(struct collectives_call *c, uint32_t group)
{
    struct collectives *m = LOAD(record_memory);
    STORE(c->begun, get_time());
    if (m && group != NO_GROUP)
        STORE(m->groups[group].begun, 1);
}

void record_call_done(struct collectives_call *c)
{
    for (size_t i = 0; i < sizeof c->running / sizeof *c->running; i++)
        if (LOAD(c->running[i]))
            return;
    STORE(c->ended, get_time());
}
