#include "engine/bench/history_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/watch.h"

enum work_kind { WORK_LIST, WORK_PAIR, WORK_KINDS };

/* One reading. The thread and the screen share it; the last of them frees it. */
struct loader_work {
    enum work_kind kind;
    const char *path;
    int64_t id[2];
    struct history_list *list; /* the result; NULL where it failed or was taken */
    struct history_pair *pair;
    char note[256];
    struct error err;
    int rc, fd;
    /* atomic: */
    int refs;
    bool done, given_up;
    size_t read, total; /* series */
};

struct history_loader {
    int fd;
    const char *path;
    struct loader_work *work[WORK_KINDS]; /* NULL: nothing is read */
};

struct history_loader *history_loader_new(const char *path)
{
    struct history_loader *l = xcalloc(1, sizeof *l);
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->path = path;
    return l;
}

int history_loader_fd(const struct history_loader *l)
{
    return l->fd;
}

static void drop_list(struct history_list *l)
{
    if (l)
        bench_history_list_free(l);
    free(l);
}

static void drop_pair(struct history_pair *p)
{
    if (p)
        history_pair_free(p);
    free(p);
}

static void drop_loader_work(struct loader_work *w)
{
    if (__atomic_sub_fetch(&w->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    drop_list(w->list);
    drop_pair(w->pair);
    close(w->fd);
    free(w);
}

/* --- on the thread --- */

static void wake_screen(const struct loader_work *w)
{
    uint64_t one = 1;
    ssize_t ignored = write(w->fd, &one, sizeof one);
    (void)ignored;
}

static bool still_wanted(void *ctx)
{
    const struct loader_work *w = ctx;
    return !__atomic_load_n(&w->given_up, __ATOMIC_RELAXED);
}

static void tell_progress(void *ctx, size_t done, size_t total)
{
    struct loader_work *w = ctx;
    __atomic_store_n(&w->total, total, __ATOMIC_RELAXED);
    __atomic_store_n(&w->read, done, __ATOMIC_RELAXED);
    wake_screen(w);
}

static int load_history_list(const char *path, const struct history_progress *progress,
                             struct history_list *out, char note[256], struct error *err)
{
    struct bench_history *h = NULL;
    *out = (struct history_list){0};
    int rc = bench_history_open(&h, path, true, note, 256, err);
    if (rc == 0)
        rc = bench_history_load(h, NULL, &change_rule_usual, progress, out, err);
    bench_history_close(h);
    if (rc != 0)
        bench_history_list_free(out);
    return rc;
}

static int read_pair(struct loader_work *w)
{
    struct bench_history *h = NULL;
    struct history_pair *p = xcalloc(1, sizeof *p);
    int rc = bench_history_reopen(&h, w->path, w->note, sizeof w->note, &w->err);
    if (rc == 0)
        rc = history_pair_read(h, w->id, p, &w->err);
    bench_history_close(h);
    if (rc == 0)
        w->pair = p;
    else
        drop_pair(p);
    return rc;
}

static void *work_thread(void *arg)
{
    struct loader_work *w = arg;
    const struct watch watch = {.wanted = still_wanted, .ctx = w}, *before = watch_set(&watch);
    if (w->kind == WORK_PAIR) {
        w->rc = read_pair(w);
    } else {
        const struct history_progress progress = {.tell = tell_progress, .ctx = w};
        struct history_list *list = xcalloc(1, sizeof *list);
        w->rc = load_history_list(w->path, &progress, list, w->note, &w->err);
        if (w->rc == 0)
            w->list = list;
        else
            drop_list(list);
    }
    watch_set(before);
    __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
    wake_screen(w);
    drop_loader_work(w);
    return NULL;
}

/* --- on the screen's thread --- */

static void give_up_work(struct history_loader *l, enum work_kind kind)
{
    struct loader_work *w = l->work[kind];
    l->work[kind] = NULL;
    if (!w)
        return;
    __atomic_store_n(&w->given_up, true, __ATOMIC_RELAXED);
    drop_loader_work(w);
}

static void start_work(struct history_loader *l, enum work_kind kind, const int64_t id[2])
{
    struct loader_work *w = xcalloc(1, sizeof *w);
    give_up_work(l, kind);
    w->kind = kind;
    w->path = l->path;
    w->fd = fcntl(l->fd, F_DUPFD_CLOEXEC, 0);
    w->refs = 2;
    if (id)
        memcpy(w->id, id, sizeof w->id);
    l->work[kind] = w;
    int rc = thread_start(NULL, work_thread, w);
    if (rc == 0)
        return;
    w->rc = error_set(&w->err, ERROR_INTERNAL, rc, NULL, "read the history of benchmarks",
                      "no thread: %s", strerror(rc));
    w->done = true;
    wake_screen(w);
    drop_loader_work(w);
}

/* The work of the kind, if it is over; the caller drops it. */
static struct loader_work *take_loader_work(struct history_loader *l, enum work_kind kind, int *rc,
                                            struct error *err)
{
    uint64_t n;
    struct loader_work *w = l->work[kind];
    ssize_t ignored = read(l->fd, &n, sizeof n);
    (void)ignored;
    if (!w || !__atomic_load_n(&w->done, __ATOMIC_ACQUIRE))
        return NULL;
    l->work[kind] = NULL;
    *rc = w->rc;
    *err = w->err;
    return w;
}

void history_loader_start(struct history_loader *l)
{
    start_work(l, WORK_LIST, NULL);
}

double history_loader_share(const struct history_loader *l)
{
    struct loader_work *w = l->work[WORK_LIST];
    if (!w)
        return -1;
    size_t total = __atomic_load_n(&w->total, __ATOMIC_RELAXED);
    size_t done = __atomic_load_n(&w->read, __ATOMIC_RELAXED);
    if (done >= total)
        return total ? 1 : 0;
    return (double)done / (double)total;
}

void history_loader_give_up(struct history_loader *l)
{
    if (l->work[WORK_LIST])
        __atomic_store_n(&l->work[WORK_LIST]->given_up, true, __ATOMIC_RELAXED);
}

bool history_loader_take(struct history_loader *l, struct history_list **out, char note[256],
                         int *rc, struct error *err)
{
    struct loader_work *w = take_loader_work(l, WORK_LIST, rc, err);
    if (!w)
        return false;
    *out = w->list;
    w->list = NULL;
    memcpy(note, w->note, sizeof w->note);
    drop_loader_work(w);
    return true;
}

void history_loader_ask_pair(struct history_loader *l, const int64_t id[2])
{
    start_work(l, WORK_PAIR, id);
}

bool history_loader_reads_pair(const struct history_loader *l)
{
    return l->work[WORK_PAIR] != NULL;
}

bool history_loader_take_pair(struct history_loader *l, struct history_pair **out, int *rc,
                              struct error *err)
{
    struct loader_work *w = take_loader_work(l, WORK_PAIR, rc, err);
    if (!w)
        return false;
    *out = w->pair;
    w->pair = NULL;
    drop_loader_work(w);
    return true;
}

void history_loader_free(struct history_loader *l)
{
    if (!l)
        return;
    for (int k = 0; k < WORK_KINDS; k++)
        give_up_work(l, (enum work_kind)k);
    close(l->fd);
    free(l);
}

int history_loader_now(const char *path, struct history_list *out, char note[256],
                       struct error *err)
{
    return load_history_list(path, NULL, out, note, err);
}
