#include "engine/replay/replay_lister.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "engine/capture/capture_remove.h"

enum { PATIENCE_MS = 1000 };

/* One task. The thread and the screen share it; the last of them frees it. */
struct lister_work {
    struct lister_task task;
    struct replay_list *list;
    struct error err, said;
    struct lister_work *next; /* the next task in the queue */
    int refs;                 /* atomic; done is too */
    bool done;                /* set by the thread */
    int fd;                   /* a duplicate of the lister's descriptor */
};

struct replay_lister {
    int fd;
    struct lister_work *work; /* queue; the thread works on the first. NULL: no task */
};

struct replay_lister *replay_lister_new(void)
{
    struct replay_lister *l = xcalloc(1, sizeof *l);
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return l;
}

int replay_lister_fd(const struct replay_lister *l)
{
    return l->fd;
}

bool replay_lister_busy(const struct replay_lister *l)
{
    return l->work != NULL;
}

static char *copy_optional_text(const char *s)
{
    return s ? xstrdup(s) : NULL;
}

static void copy_task(struct lister_task *to, const struct lister_task *from)
{
    *to = *from;
    to->read.folders = xcalloc(from->read.nfolders + 1, sizeof *to->read.folders);
    for (size_t i = 0; i < from->read.nfolders; i++)
        to->read.folders[i] = xstrdup(from->read.folders[i]);
    to->read.state_dir = copy_optional_text(from->read.state_dir);
    to->remove = copy_optional_text(from->remove);
    to->json = copy_optional_text(from->json);
    to->hsaco = copy_optional_text(from->hsaco);
    if (from->read.host) {
        struct replay_host *host = xcalloc(1, sizeof *host);
        *host = *from->read.host;
        to->read.host = host;
    }
}

static void free_list(struct replay_list *l)
{
    if (l)
        replay_list_free(l);
    free(l);
}

static void drop_lister_work(struct lister_work *w)
{
    if (__atomic_sub_fetch(&w->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    for (size_t i = 0; i < w->task.read.nfolders; i++)
        free(w->task.read.folders[i]);
    free(w->task.read.folders);
    free((char *)w->task.read.state_dir);
    free((char *)w->task.remove);
    free((char *)w->task.json);
    free((char *)w->task.hsaco);
    free((struct replay_host *)w->task.read.host);
    free_list(w->list);
    close(w->fd);
    free(w);
}

static void keep_list(const struct lister_task *t, struct error *said)
{
    struct replay_store *h = NULL;
    struct replay_result r;
    struct replay_key key = t->key;
    char note[256];
    if (t->hsaco && *t->hsaco)
        replay_key_code(&key, t->hsaco);
    int rc = replay_store_open(&h, t->read.state_dir, t->read.readonly, note, sizeof note, said);
    if (rc == 0 && replay_result_parse(&r, t->json, strlen(t->json)) == 0) {
        if (t->read.state_dir && *t->read.state_dir)
            replay_store_add(h, &key, t->job, &r, t->hsaco, t->time_ns, said);
        replay_result_free(&r);
    }
    replay_store_close(h);
}

static struct replay_list *perform_lister_task(const struct lister_task *t, struct error *err,
                                               struct error *said)
{
    if (t->json)
        keep_list(t, said);
    if (t->remove)
        capture_remove(t->remove, said);
    struct replay_list *list = xcalloc(1, sizeof *list);
    if (replay_list_read(list, &t->read, err) == 0)
        return list;
    free_list(list);
    return NULL;
}

struct replay_list *replay_lister_now(const struct lister_task *t, struct error *err)
{
    struct error said = ERROR_INIT;
    return perform_lister_task(t, err, &said);
}

static void signal_done(struct lister_work *w)
{
    uint64_t one = 1;
    __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
    ssize_t ignored = write(w->fd, &one, sizeof one);
    (void)ignored;
}

static void *run_lister_thread(void *arg)
{
    struct lister_work *w = arg;
    w->list = perform_lister_task(&w->task, &w->err, &w->said);
    signal_done(w);
    drop_lister_work(w);
    return NULL;
}

static void begin_work(struct lister_work *w)
{
    w->refs = 2;
    int rc = thread_start(NULL, run_lister_thread, w);
    if (rc == 0)
        return;
    error_set(&w->err, ERROR_INTERNAL, rc, NULL, "read captures", "no thread: %s", strerror(rc));
    signal_done(w);
    drop_lister_work(w);
}

void replay_lister_start(struct replay_lister *l, const struct lister_task *t)
{
    struct lister_work *w = xcalloc(1, sizeof *w), **last = &l->work;
    copy_task(&w->task, t);
    w->fd = fcntl(l->fd, F_DUPFD_CLOEXEC, 0);
    while (*last)
        last = &(*last)->next;
    *last = w;
    if (w == l->work)
        begin_work(w);
    else
        w->refs = 1;
}

bool replay_lister_take(struct replay_lister *l, struct replay_list **out, struct error *err,
                        struct error *said)
{
    uint64_t n;
    ssize_t ignored = read(l->fd, &n, sizeof n);
    (void)ignored;
    struct lister_work *w = l->work;
    if (!w || !__atomic_load_n(&w->done, __ATOMIC_ACQUIRE))
        return false;
    *out = w->list; /* NOLINT(clang-analyzer-unix.Malloc): one of its two references is ours */
    *err = w->err;
    *said = w->said;
    w->list = NULL;
    l->work = w->next;
    drop_lister_work(w);
    if (l->work)
        begin_work(l->work);
    return true;
}

/* Whether a task in the queue still has to store or delete something. */
static bool has_task_to_finish(const struct replay_lister *l)
{
    for (const struct lister_work *w = l->work; w; w = w->next)
        if (w->task.json || w->task.remove)
            return true;
    return false;
}

void replay_lister_free(struct replay_lister *l)
{
    struct replay_list *list;
    struct error err, said;
    if (!l)
        return;
    while (has_task_to_finish(l)) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        if (poll(&p, 1, PATIENCE_MS) != 1)
            break;
        if (replay_lister_take(l, &list, &err, &said))
            free_list(list);
    }
    for (struct lister_work *w = l->work, *next; w; w = next) {
        next = w->next; /* NOLINT(clang-analyzer-unix.Malloc): as above */
        drop_lister_work(w);
    }
    close(l->fd);
    free(l);
}
