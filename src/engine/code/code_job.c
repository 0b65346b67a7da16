#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "engine/code/code.h"

/* A request. The thread and the screen share it; the last of them frees it, so that the screen
 * never waits for a slow disk. */
struct code_work {
    struct code_request request;
    struct code *code;
    int refs;    /* atomic; cancel and done are too */
    bool cancel; /* set by the screen */
    bool done;   /* set by the thread */
    int fd;      /* a duplicate of the job's descriptor */
};

struct code_job {
    int fd;
    struct code_work *work; /* NULL: nothing is being read */
};

struct code_job *code_job_new(void)
{
    struct code_job *j = xcalloc(1, sizeof *j);
    j->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return j;
}

static void unref_code_work(struct code_work *w)
{
    if (__atomic_sub_fetch(&w->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    free((char *)w->request.file);
    free((char *)w->request.path);
    free((char *)w->request.function);
    free((void *)w->request.object);
    code_free(w->code);
    close(w->fd);
    free(w);
}

static void signal_code_done(struct code_work *w)
{
    uint64_t one = 1;
    __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
    ssize_t ignored = write(w->fd, &one, sizeof one);
    (void)ignored;
}

static void *reading_thread(void *arg)
{
    struct code_work *w = arg;
    code_load(w->code, &w->request, &w->cancel);
    signal_code_done(w);
    unref_code_work(w);
    return NULL;
}

static void drain_code_signal(const struct code_job *j)
{
    uint64_t n;
    ssize_t ignored = read(j->fd, &n, sizeof n);
    (void)ignored;
}

void code_job_cancel(struct code_job *j)
{
    if (j->work) {
        __atomic_store_n(&j->work->cancel, true, __ATOMIC_RELAXED);
        unref_code_work(j->work);
    }
    j->work = NULL;
    drain_code_signal(j);
}

void code_job_free(struct code_job *j)
{
    if (!j)
        return;
    code_job_cancel(j);
    close(j->fd);
    free(j);
}

int code_job_fd(const struct code_job *j)
{
    return j->fd;
}

void code_job_start(struct code_job *j, const struct code_request *r)
{
    code_job_cancel(j);
    struct code_work *w = j->work = xcalloc(1, sizeof *w);
    w->request = *r;
    w->request.file = xstrdup(r->file);
    w->request.path = xstrdup(r->path);
    w->request.function = r->function ? xstrdup(r->function) : NULL;
    if (r->object) {
        void *copy = xcalloc(r->object_size + 1, 1);
        memcpy(copy, r->object, r->object_size);
        w->request.object = copy;
    }
    w->code = xcalloc(1, sizeof *w->code);
    w->fd = fcntl(j->fd, F_DUPFD_CLOEXEC, 0);
    w->refs = 2;
    int rc = thread_start(NULL, reading_thread, w);
    if (rc == 0)
        return;
    snprintf(w->code->why, sizeof w->code->why, "no thread to read it with: %s", strerror(rc));
    signal_code_done(w);
    unref_code_work(w);
}

struct code *code_job_take(struct code_job *j)
{
    drain_code_signal(j);
    if (!j->work || !__atomic_load_n(&j->work->done, __ATOMIC_ACQUIRE))
        return NULL;
    struct code *code = j->work->code;
    j->work->code = NULL;
    unref_code_work(j->work);
    j->work = NULL;
    return code;
}
