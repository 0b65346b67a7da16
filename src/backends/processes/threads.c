#include "backends/processes/processes_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/proc_parse.h"
#include "base/arena.h"
#include "base/order.h"
#include "base/search.h"

#define SECOND UINT64_C(1000000000)
#define EARLY  (SECOND / 20)
enum { STAT_SIZE = 1024 };

struct one {
    pid_t tid, pid;
    struct pid_stat stat;
    struct value percent;
};

struct threads {
    int proc_fd;
    uint64_t hz, read_ns;
    /* THREADS_MAX entries each, sorted by tid; NULL until threads are requested */
    struct one *now, *before;
    size_t n, nbefore;
    pid_t pids[THREAD_WISH_MAX]; /* the owning processes, by index */
    size_t npids;
    bool cut; /* there are more threads than fit */
};

struct threads *threads_open(int proc_fd, uint64_t hz)
{
    struct threads *t = xcalloc(1, sizeof *t);
    t->proc_fd = proc_fd;
    t->hz = hz;
    return t;
}

static void forget_threads(struct threads *t)
{
    free(t->now);
    free(t->before);
    t->now = t->before = NULL;
    t->n = t->nbefore = t->npids = 0;
}

void threads_close(struct threads *t)
{
    forget_threads(t);
    free(t);
}

/* --- whose threads --- */

static int wanted_first(const void *a, const void *b)
{
    const struct proc *p = *(const struct proc *const *)a, *q = *(const struct proc *const *)b;
    double x = p->cpu_percent.validity == VALUE_OK ? p->cpu_percent.v : 0;
    double y = q->cpu_percent.validity == VALUE_OK ? q->cpu_percent.v : 0;
    if (p->watched != q->watched)
        return p->watched ? -1 : 1;
    if (x != y)
        return x > y ? -1 : 1;
    return order_int32(&p->pid, &q->pid);
}

/* Chooses processes if none is requested: the watched ones, then the busiest. */
static size_t choose_thread_processes(const struct snapshot *s, pid_t out[THREAD_WISH_MAX])
{
    const struct proc **list = xcalloc(s->nprocs + 1, sizeof *list);
    size_t n = 0, kept = 0, threads = 0;
    for (size_t i = 0; i < s->nprocs; i++)
        if (!s->procs[i].kernel_thread && s->procs[i].threads > 1)
            list[n++] = &s->procs[i];
    qsort(list, n, sizeof *list, wanted_first);
    for (size_t i = 0; i < n && kept < THREAD_WISH_MAX && threads < THREADS_MAX; i++) {
        out[kept++] = list[i]->pid;
        threads += (size_t)list[i]->threads;
    }
    free(list);
    return kept;
}

static bool same_pids(struct threads *t, const pid_t *pids, size_t n)
{
    bool same = n == t->npids && (n == 0 || memcmp(pids, t->pids, n * sizeof *pids) == 0);
    if (n)
        memcpy(t->pids, pids, n * sizeof *pids);
    t->npids = n;
    return same;
}

/* --- reading --- */

static const struct one *find_earlier_thread(const struct threads *t, pid_t tid)
{
    size_t low = 0;
    SEARCH_FIRST(low, t->nbefore, t->before[low].tid < tid);
    return low < t->nbefore && t->before[low].tid == tid ? &t->before[low] : NULL;
}

/* Whether a thread of the process was read before, so that an unknown thread is a new one. */
static bool known_process(const struct threads *t, pid_t pid)
{
    for (size_t i = 0; i < t->nbefore; i++)
        if (t->before[i].pid == pid)
            return true;
    return false;
}

static struct value thread_cpu_share(const struct threads *t, const struct one *k, bool known,
                                     uint64_t now_ns)
{
    const struct one *was = find_earlier_thread(t, k->tid);
    if (was && was->stat.start_ticks != k->stat.start_ticks)
        was = NULL;
    if ((!was && !known) || now_ns <= t->read_ns)
        return value_pending(UNIT_PERCENT);
    uint64_t before = was ? was->stat.ticks : 0;
    uint64_t used = k->stat.ticks > before ? k->stat.ticks - before : 0;
    double seconds = (double)(now_ns - t->read_ns) / 1e9;
    return value_ok(100 * (double)used / (double)t->hz / seconds, UNIT_PERCENT);
}

static bool read_thread(int task_fd, const char *name, struct one *out)
{
    char path[32], text[STAT_SIZE];
    snprintf(path, sizeof path, "%.10s/stat", name);
    int fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    if (n <= 0 || parse_pid_stat(text, (size_t)n, &out->stat) != 0)
        return false;
    out->tid = out->stat.pid;
    return true;
}

static void read_process_threads(struct threads *t, pid_t pid, uint64_t now_ns)
{
    char path[32];
    snprintf(path, sizeof path, "%d/task", (int)pid);
    int fd = openat(t->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    bool known = known_process(t, pid);
    for (struct dirent *e; (e = readdir(d));) {
        struct one *k = &t->now[t->n];
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        if (t->n == THREADS_MAX) {
            t->cut = true;
            break;
        }
        if (!read_thread(fd, e->d_name, k))
            continue;
        k->pid = pid;
        k->percent = thread_cpu_share(t, k, known, now_ns);
        t->n++;
    }
    closedir(d);
}

static int compare_thread_tids(const void *a, const void *b)
{
    return order_int32(&((const struct one *)a)->tid, &((const struct one *)b)->tid);
}

static void read_threads(struct threads *t, uint64_t now_ns)
{
    if (!t->now) {
        t->now = xcalloc(THREADS_MAX, sizeof *t->now);
        t->before = xcalloc(THREADS_MAX, sizeof *t->before);
    }
    struct one *was = t->before;
    t->before = t->now;
    t->nbefore = t->n;
    t->now = was;
    t->n = 0;
    t->cut = false;
    for (size_t i = 0; i < t->npids; i++)
        read_process_threads(t, t->pids[i], now_ns);
    qsort(t->now, t->n, sizeof *t->now, compare_thread_tids);
    t->read_ns = now_ns;
}

static void fill_threads(const struct threads *t, struct snapshot *out)
{
    out->threads = snapshot_alloc(out, (t->n ? t->n : 1) * sizeof *out->threads);
    out->nthread_rows = t->n;
    for (size_t i = 0; i < t->n; i++) {
        const struct one *k = &t->now[i];
        out->threads[i] = (struct proc_thread){
            .tid = k->tid,
            .pid = k->pid,
            .name = snapshot_strdup(out, k->stat.comm),
            .state = k->stat.state,
            .nice = k->stat.nice,
            .cpu = k->stat.cpu,
            .cpu_percent = k->percent,
            .cpu_seconds = (double)k->stat.ticks / (double)t->hz,
        };
    }
    if (t->cut)
        snapshot_add_notice(out, NOTICE_INFO, "proc.threads",
                            "there are more threads than the 1024 that are read in one second",
                            "filter to one process");
}

void threads_poll(struct threads *t, struct snapshot *out, uint64_t now_ns)
{
    pid_t pids[THREAD_WISH_MAX];
    const struct thread_wish *wish = &out->thread_wish;
    if (!wish->on) {
        forget_threads(t);
        return;
    }
    size_t n = wish->n < THREAD_WISH_MAX ? wish->n : THREAD_WISH_MAX;
    if (n)
        memcpy(pids, wish->pids, n * sizeof *pids);
    else
        n = choose_thread_processes(out, pids);
    if (n)
        qsort(pids, n, sizeof *pids, order_int32);
    bool same = same_pids(t, pids, n);
    if (!same || now_ns - t->read_ns + EARLY >= SECOND)
        read_threads(t, now_ns);
    fill_threads(t, out);
}
