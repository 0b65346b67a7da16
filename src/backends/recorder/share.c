#include "backends/recorder/recorder_impl.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Makes a segment and attaches it. Only processes that know its number can find it; mode: their
 * permissions. NULL with errno. */
static void *make_segment(size_t size, unsigned short mode, int *out)
{
    const int id = shmget(IPC_PRIVATE, size, IPC_CREAT | SHM_NORESERVE | 0600);
    if (id < 0)
        return NULL;
    void *at = shmat(id, NULL, 0);
    const int code = errno;
    struct shmid_ds d;
    if (mode != 0600 && shmctl(id, IPC_STAT, &d) == 0) {
        d.shm_perm.mode = mode;
        shmctl(id, IPC_SET, &d);
    }
    shmctl(id, IPC_RMID, NULL); /* others can attach it by its number as long as rooftop has it */
    errno = code;
    *out = id;
    return at == (void *)-1 ? NULL : at; /* NOLINT: how shmat fails */
}

static int refuse_share(struct error *err)
{
    return error_set(err, ERROR_UNSUPPORTED, errno,
                     errno == ENOSPC ? "sysctl kernel.shmmni, kernel.shmall: raise them" : NULL,
                     "shared memory for the recorder", "shmget: %s", strerror(errno));
}

int share_open(struct share *s, const char *library, struct error *err)
{
    *s = (struct share){0};
    int sites_id = -1;
    s->control = make_segment(sizeof *s->control, 0600, &s->control_id);
    if (!s->control)
        return refuse_share(err);
    struct syscall_control *c = s->control;
    s->sites = make_segment(SYSCALL_RING_SITES * sizeof *s->sites, 0400, &sites_id);
    if (!s->sites) {
        const int rc = refuse_share(err);
        share_close(s);
        return rc;
    }
    c->sites_id = sites_id;
    c->rooftop = (int32_t)getpid();
    snprintf(s->library, sizeof s->library, "%s", library);
    memcpy(c->library, s->library, sizeof c->library);
    c->chunk_wanted = 1;
    share_grow(s);
    c->version = SYSCALL_RING_VERSION;
    c->magic = SYSCALL_RING_MAGIC;
    return s->nchunks ? 0 : refuse_share(err);
}

void share_close(struct share *s)
{
    for (uint32_t i = 0; i < s->nchunks; i++)
        shmdt(s->chunks[i]);
    if (s->sites)
        shmdt(s->sites);
    if (s->control)
        shmdt(s->control);
    *s = (struct share){0};
}

void share_grow(struct share *s)
{
    struct syscall_control *c = s->control;
    if (!__atomic_exchange_n(&c->chunk_wanted, 0, __ATOMIC_SEQ_CST))
        return;
    const uint32_t n = s->nchunks;
    int id = -1;
    if (n < SYSCALL_RING_CHUNKS)
        s->chunks[n] = make_segment(SYSCALL_RING_PER_CHUNK * SYSCALL_RING_SIZE, 0600, &id);
    if (n < SYSCALL_RING_CHUNKS && s->chunks[n]) {
        c->chunk_ids[n] = id;
        __atomic_store_n(&c->chunks, ++s->nchunks, __ATOMIC_RELEASE);
    }
    syscall(SYS_futex, &c->chunks, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

uint32_t share_rings(const struct share *s)
{
    return s->nchunks * SYSCALL_RING_PER_CHUNK;
}

struct syscall_ring *share_ring(const struct share *s, uint32_t i)
{
    uint8_t *chunk = s->chunks[i / SYSCALL_RING_PER_CHUNK];
    return (void *)(chunk + i % SYSCALL_RING_PER_CHUNK * SYSCALL_RING_SIZE);
}

struct syscall_record *share_records(struct syscall_ring *r)
{
    return (void *)((uint8_t *)r + SYSCALL_RING_PAGE);
}

bool share_used(const struct share *s)
{
    struct shmid_ds d;
    return shmctl(s->control_id, IPC_STAT, &d) == 0 && d.shm_nattch > 1;
}

void share_room(struct syscall_ring *r)
{
    if (!__atomic_exchange_n(&r->waiting, 0, __ATOMIC_SEQ_CST))
        return;
    __atomic_fetch_add(&r->room, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &r->room, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void share_answer(struct syscall_ring *r, uint32_t answer)
{
    r->answer = answer;
    __atomic_store_n(&r->want, SYSCALL_WANT_NOTHING, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &r->want, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void share_wait(const struct share *s, uint32_t bell, int ms)
{
    struct syscall_control *c = s->control;
    const struct timespec t = {.tv_nsec = ms * 1000000L};
    __atomic_store_n(&c->asleep, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &c->bell, FUTEX_WAIT, bell, &t, NULL, 0);
    __atomic_store_n(&c->asleep, 0, __ATOMIC_SEQ_CST);
}
