#include "backends/bpf/bpf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"
#include "base/thread.h"

enum { CHUNK = 256 * 1024, MEMORY_MOST = 6 << 20, WAIT_MIN_MS = 1, WAIT_MAX_MS = 8 };

/* --- the thread --- */

static int open_file(void)
{
    const char *folder = env_get("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/rooftop-trace-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static bool write_out(struct intake *in, const struct intake_chunk *c)
{
    if (in->file < 0)
        in->file = open_file();
    for (size_t done = 0; in->file >= 0 && done < c->n;) {
        const ssize_t n = pwrite(in->file, c->bytes + done, c->n - done, c->at + (off_t)done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return in->file >= 0;
}

static uint64_t records_of(const uint8_t *bytes, size_t n)
{
    uint64_t count = 0;
    for (size_t at = 0; at < n; count++) {
        uint64_t size;
        memcpy(&size, bytes + at, sizeof size);
        at += sizeof size + (size_t)size;
    }
    return count;
}

/* Puts the thread's chunk into the queue. */
static void queue_chunk(struct intake *in)
{
    struct intake_chunk c = {.bytes = in->chunk, .n = in->used};
    if (in->used == 0)
        return;
    pthread_mutex_lock(&in->lock);
    if (in->in_memory + c.n > MEMORY_MOST) {
        c.at = in->file_end;
        if (write_out(in, &c))
            in->file_end += (off_t)c.n;
        else {
            in->lost += records_of(c.bytes, c.n);
            c.n = 0;
        }
        c.bytes = NULL;
    } else {
        in->in_memory += c.n;
        in->chunk = in->nspare > 0 ? in->spare[--in->nspare] : NULL;
        in->cap_chunk = in->chunk ? CHUNK : 0;
    }
    if (c.n > 0)
        LIST_ADD(in->list, in->n, in->cap, c);
    pthread_mutex_unlock(&in->lock);
    in->used = 0;
}

/* Keeps a record, or the first or second part of one, after its size, rounded up to 8. */
static void on_part(void *ctx, const void *part, size_t n, size_t whole, bool first)
{
    struct intake *in = ctx;
    const uint64_t size = (whole + 7) & ~(uint64_t)7;
    if (first) {
        const size_t wanted = in->used + sizeof size + (size_t)size;
        if (in->used > 0 && wanted > CHUNK)
            queue_chunk(in);
        const size_t needed = in->used + sizeof size + (size_t)size;
        if (needed > in->cap_chunk) {
            in->cap_chunk = needed > CHUNK ? needed : CHUNK;
            in->chunk = xrealloc(in->chunk, in->cap_chunk, 1);
        }
        memcpy(in->chunk + in->used, &size, sizeof size);
        in->used += sizeof size;
    }
    memcpy(in->chunk + in->used, part, n);
    in->used += n;
    if (!first || n == whole)
        in->used += (size_t)size - whole;
}

static bool is_intake_stopped(struct intake *in)
{
    pthread_mutex_lock(&in->lock);
    const bool stop = in->stop;
    pthread_mutex_unlock(&in->lock);
    return stop;
}

/* Raises the thread's priority, because the ring is full in 20 ms. Only root may do that. */
static void raise_own_priority(void)
{
    const struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_RR, &first) != 0)
        setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -20);
}

static void *run_intake(void *arg)
{
    struct intake *in = arg;
    int wait_ms = WAIT_MIN_MS;
    raise_own_priority();
    for (bool last = false;;) {
        const bool stop = is_intake_stopped(in);
        const size_t n = ring_read(in->ring, on_part, in);
        queue_chunk(in);
        if (last && n == 0)
            return NULL;
        last = stop;
        if (n > 0)
            wait_ms = WAIT_MIN_MS;
        else
            wait_ms = wait_ms < WAIT_MAX_MS ? 2 * wait_ms : WAIT_MAX_MS;
        struct pollfd wake = {.fd = in->wake, .events = POLLIN};
        if (!stop)
            poll(&wake, 1, wait_ms);
    }
}

int intake_start(struct intake *in, struct ring *ring)
{
    *in = (struct intake){.ring = ring, .file = -1, .wake = eventfd(0, EFD_CLOEXEC)};
    if (in->wake < 0)
        return -errno;
    pthread_mutex_init(&in->lock, NULL);
    const int rc = thread_start(&in->thread, run_intake, in);
    in->running = rc == 0;
    return -rc;
}

void intake_stop(struct intake *in)
{
    if (!in->running)
        return;
    pthread_mutex_lock(&in->lock);
    in->stop = true;
    pthread_mutex_unlock(&in->lock);
    eventfd_write(in->wake, 1);
    pthread_join(in->thread, NULL);
    in->running = false;
}

void intake_free(struct intake *in)
{
    intake_stop(in);
    for (size_t i = in->first; i < in->n; i++)
        free(in->list[i].bytes);
    for (size_t i = 0; i < in->nspare; i++)
        free(in->spare[i]);
    free(in->list);
    free(in->chunk);
    free(in->from_file);
    if (in->file >= 0)
        close(in->file);
    if (in->wake >= 0)
        close(in->wake);
    *in = (struct intake){.file = -1, .wake = -1};
}

/* --- the reader --- */

static struct intake_chunk take_first_chunk(struct intake *in)
{
    struct intake_chunk c = {0};
    pthread_mutex_lock(&in->lock);
    if (in->first < in->n) {
        c = in->list[in->first++];
        in->in_memory -= c.bytes ? c.n : 0;
    }
    if (in->first == in->n) {
        in->first = in->n = 0;
        if (!c.n) /* the file is no longer needed */
            in->file_end = 0;
    }
    pthread_mutex_unlock(&in->lock);
    return c;
}

static const uint8_t *from_file(struct intake *in, const struct intake_chunk *c)
{
    if (c->n > in->from_file_cap) {
        in->from_file = xrealloc(in->from_file, c->n, 1);
        in->from_file_cap = c->n;
    }
    for (size_t done = 0; done < c->n;) {
        const ssize_t n = pread(in->file, in->from_file + done, c->n - done, c->at + (off_t)done);
        if (n <= 0)
            return NULL;
        done += (size_t)n;
    }
    return in->from_file;
}

static void release_chunk(struct intake *in, const struct intake_chunk *c)
{
    bool keep = false;
    pthread_mutex_lock(&in->lock);
    keep = c->bytes && c->n <= CHUNK && in->nspare < INTAKE_SPARE;
    if (keep)
        in->spare[in->nspare++] = c->bytes;
    pthread_mutex_unlock(&in->lock);
    if (!keep)
        free(c->bytes);
}

size_t intake_take(struct intake *in, void (*take)(void *ctx, const uint8_t *record, size_t n),
                   void *ctx)
{
    const struct intake_chunk c = take_first_chunk(in);
    const uint8_t *bytes = c.bytes || c.n == 0 ? c.bytes : from_file(in, &c);
    size_t count = 0;
    for (size_t at = 0; bytes && at < c.n; count++) {
        uint64_t size;
        memcpy(&size, bytes + at, sizeof size);
        take(ctx, bytes + at + sizeof size, (size_t)size);
        at += sizeof size + (size_t)size;
    }
    release_chunk(in, &c);
    return count;
}
