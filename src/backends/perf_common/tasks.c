#include "backends/perf_common/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/perf_common/cpus.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "base/arena.h"
#include "base/list.h"

enum {
    LISTINGS_MAX = 8, /* how often a process is listed again while it starts threads */
    RESERVE = 32      /* descriptors that stay free for other threads */
};

/*
 * One thread. It belongs to the attaching thread until it is queued, then to the sampling thread.
 */
struct counted_task {
    struct counted_task *next;
    pid_t tid;
    const struct group_plan *plan;
    struct perf_group *groups; /* plan->ngroups entries; only core and software groups */
    int refused;               /* why nothing is open */
    bool dead;
};

/* The threads that the attaching thread knows, sorted by tid. */
struct known_task {
    pid_t tid;
    bool listed; /* in the present listing */
};

struct tasks {
    const struct perf_sys *sys;
    pid_t *pids;
    size_t npids;
    pthread_t thread;
    bool started;
    _Atomic bool quit;

    pthread_mutex_t lock; /* protects the fields below; held only briefly */
    pthread_cond_t work;
    const struct group_plan *plan;
    bool attach_wanted;         /* list the threads and open them (again) */
    struct counted_task *queue; /* opened, not yet taken by the sampling thread */
    pid_t *ended;               /* without inherit: threads that are not listed any more */
    size_t nended;
    struct tasks_status status;

    /* fields of the attaching thread: */
    struct known_task *known;
    size_t nknown, cap_known;
    const struct group_plan *attached_plan;
    bool inherit, threads_only;

    /* fields of the sampling thread: */
    struct counted_task *all;
};

static void free_counted_task(struct tasks *t, struct counted_task *k)
{
    for (size_t g = 0; k->groups && g < k->plan->ngroups; g++)
        group_close(&k->groups[g], t->sys);
    free(k->groups);
    free(k);
}

static void list_free(struct tasks *t, struct counted_task *k)
{
    while (k) {
        struct counted_task *next = k->next;
        free_counted_task(t, k);
        k = next;
    }
}

/* Opens all groups of one thread. *err: 0, or an errno that must end or change the attaching. */
static struct counted_task *open_counted_task(struct tasks *t, const struct group_plan *plan,
                                              pid_t tid, bool on_exec, int *err)
{
    struct counted_task *k = xcalloc(1, sizeof *k);
    struct group_where w = {.pid = tid,
                            .cpu = -1,
                            .inherit = t->inherit,
                            .threads_only = t->threads_only,
                            .on_exec = on_exec};
    bool any = false;
    *err = 0;
    k->tid = tid;
    k->plan = plan;
    k->groups = xcalloc(plan->ngroups, sizeof *k->groups);
    for (size_t g = 0; g < plan->ngroups; g++) {
        if (plan->groups[g].domain == PLAN_UNCORE)
            continue;
        int rc = group_open(&k->groups[g], t->sys, &plan->groups[g], &w);
        if (rc == -EINVAL && w.inherit) {
            /* Kernels before 4.13 refuse inherit for groups that are read together; those before
             * 5.13 cannot inherit only threads. */
            w.inherit = false;
            struct perf_group plain = {0};
            if (group_open(&plain, t->sys, &plan->groups[g], &w) == 0)
                t->inherit = false;
            else
                w.inherit = t->inherit;
            group_close(&k->groups[g], t->sys);
            k->groups[g] = plain;
            rc = group_is_open(&plain) ? 0 : rc;
        }
        any |= rc == 0;
        if (rc == -ESRCH || rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM) {
            *err = -rc;
            break;
        }
        if (rc && !k->refused)
            k->refused = -rc;
    }
    if (any)
        k->refused = 0;
    return k;
}

/* --- the attaching thread --- */

static int compare_known_tids(const void *a, const void *b)
{
    pid_t x = ((const struct known_task *)a)->tid, y = ((const struct known_task *)b)->tid;
    return (x > y) - (x < y);
}

static struct known_task *find_known_task(struct tasks *t, size_t n, pid_t tid)
{
    struct known_task key = {.tid = tid};
    return n ? bsearch(&key, t->known, n, sizeof key, compare_known_tids) : NULL;
}

static void add_known_task(struct tasks *t, pid_t tid)
{
    LIST_ADD(t->known, t->nknown, t->cap_known, (struct known_task){tid, true});
}

static void hand_over_task(struct tasks *t, struct counted_task *k)
{
    pthread_mutex_lock(&t->lock);
    k->next = t->queue;
    t->queue = k;
    t->status.attached += !k->refused;
    pthread_mutex_unlock(&t->lock);
}

static void note_status(struct tasks *t, unsigned found, unsigned gone, unsigned uncertain,
                        int fatal)
{
    pthread_mutex_lock(&t->lock);
    t->status.found += found;
    t->status.gone += gone;
    t->status.uncertain += uncertain;
    if (fatal)
        t->status.fatal = fatal;
    t->status.inherit = t->inherit;
    pthread_mutex_unlock(&t->lock);
}

/* Clock ticks since boot, to compare with the start times of threads. */
static unsigned long long ticks_now(void)
{
    char line[64];
    if (read_line(line, sizeof line, "/proc/uptime") <= 0)
        return 0;
    return (unsigned long long)(strtod(line, NULL) * (double)sysconf(_SC_CLK_TCK));
}

/* Whether the kernel already counts a thread that is new in a later listing. If it started after
 * the attach began, its creator was most likely attached, so the kernel counts it by inheritance,
 * and opening it would count it twice, which must never happen. */
static bool inherited_already(const struct tasks *t, pid_t pid, pid_t tid, bool first,
                              unsigned long long began)
{
    return t->inherit && !first && task_start(pid, tid) >= began;
}

/* Whether RESERVE descriptors stay free after a task is opened. Never use all: another thread,
 * which reads /proc meanwhile, would take the target for gone. The kernel gives the lowest free
 * number, so all below it are in use. */
static bool has_room_for_task(const struct group_plan *plan)
{
    struct rlimit most;
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (next < 0)
        return false;
    close(next);
    return getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur == RLIM_INFINITY ||
           (rlim_t)next + plan->nmembers + RESERVE <= most.rlim_cur;
}

/* Opens the threads in a process's listing that are not known. Returns how many were new, or -errno
 * to stop. */
static long attach_listing(struct tasks *t, const struct group_plan *plan, pid_t pid, bool first,
                           unsigned long long began)
{
    pid_t *tids;
    size_t before = t->nknown;
    long n = task_list(pid, &tids), fresh = 0, stop = 0;
    /* Counts all new threads before opening the first, so that progress has a total. */
    for (long i = 0; i < n; i++)
        fresh += !find_known_task(t, before, tids[i]);
    note_status(t, first ? (unsigned)fresh : 0, 0, 0, 0);
    for (long i = 0; i < n && !stop && !atomic_load(&t->quit); i++) {
        struct known_task *have = find_known_task(t, before, tids[i]);
        if (have) {
            have->listed = true;
            continue;
        }
        add_known_task(t, tids[i]);
        if (inherited_already(t, pid, tids[i], first, began)) {
            note_status(t, 0, 0, 1, 0);
            continue;
        }
        int err = EMFILE;
        struct counted_task *k = has_room_for_task(plan)
                                     ? open_counted_task(t, plan, tids[i], false, &err)
                                     : xcalloc(1, sizeof *k);
        note_status(t, !first, err == ESRCH, 0, err == ESRCH ? 0 : err);
        if (err) {
            free_counted_task(t, k);
            stop = err == ESRCH ? 0 : -err;
        } else {
            hand_over_task(t, k);
        }
    }
    free(tids);
    qsort(t->known, t->nknown, sizeof *t->known, compare_known_tids);
    return stop ? stop : fresh;
}

/* Without inherit: threads that are not listed any more have ended; their descriptors can be
 * closed. */
static void report_ended(struct tasks *t)
{
    size_t kept = 0;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->nknown; i++) {
        if (t->known[i].listed) {
            t->known[kept++] = t->known[i];
            continue;
        }
        t->ended = xrealloc(t->ended, t->nended + 1, sizeof *t->ended);
        t->ended[t->nended++] = t->known[i].tid;
    }
    pthread_mutex_unlock(&t->lock);
    t->nknown = kept;
}

static void attach_new_tasks(struct tasks *t, const struct group_plan *plan)
{
    long stop = 0;
    bool again = plan == t->attached_plan; /* a second listing for the same plan */
    if (!again)
        t->nknown = 0;
    t->attached_plan = plan;
    unsigned long long began = ticks_now();
    for (size_t i = 0; i < t->nknown; i++)
        t->known[i].listed = false;
    for (size_t p = 0; p < t->npids && stop >= 0; p++) {
        stop = attach_listing(t, plan, t->pids[p], !again, began);
        for (int l = 0; l < LISTINGS_MAX && stop > 0 && !atomic_load(&t->quit); l++)
            stop = attach_listing(t, plan, t->pids[p], false, began);
    }
    if (!t->inherit)
        report_ended(t);
}

static void *attach_main(void *arg)
{
    struct tasks *t = arg;
    pthread_setname_np(pthread_self(), "rooftop-attach");
    pthread_mutex_lock(&t->lock);
    while (!atomic_load(&t->quit)) {
        if (!t->attach_wanted) {
            pthread_cond_wait(&t->work, &t->lock);
            continue;
        }
        const struct group_plan *plan = t->plan;
        t->attach_wanted = false;
        t->status.busy = true;
        pthread_mutex_unlock(&t->lock);
        attach_new_tasks(t, plan);
        pthread_mutex_lock(&t->lock);
        t->status.busy = t->attach_wanted;
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* --- the sampling thread --- */

static struct tasks *tasks_new(const struct perf_sys *sys, const struct group_plan *plan,
                               const pid_t *pids, size_t npids)
{
    struct tasks *t = xcalloc(1, sizeof *t);
    t->sys = sys;
    t->plan = plan;
    t->pids = xcalloc(npids, sizeof *t->pids);
    memcpy(t->pids, pids, npids * sizeof *pids);
    t->npids = npids;
    t->inherit = t->status.inherit = true;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->work, NULL);
    return t;
}

static void start_attaching(struct tasks *t)
{
    sigset_t all, old;
    if (t->started)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    t->started = pthread_create(&t->thread, NULL, attach_main, t) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!t->started)
        t->status.fatal = EAGAIN;
}

static void request_attach(struct tasks *t, const struct group_plan *plan)
{
    pthread_mutex_lock(&t->lock);
    t->plan = plan;
    t->attach_wanted = true;
    t->status.busy = true;
    pthread_cond_signal(&t->work);
    pthread_mutex_unlock(&t->lock);
}

struct tasks *tasks_watch(const struct perf_sys *sys, const struct group_plan *plan,
                          const pid_t *pids, size_t npids, bool threads_only)
{
    struct tasks *t = tasks_new(sys, plan, pids, npids);
    t->threads_only = threads_only;
    t->attach_wanted = t->status.busy = true;
    start_attaching(t);
    return t;
}

struct tasks *tasks_command(const struct perf_sys *sys, const struct group_plan *plan, pid_t pid)
{
    struct tasks *t = tasks_new(sys, plan, &pid, 1);
    int err;
    struct counted_task *k = open_counted_task(t, plan, pid, true, &err);
    t->status.found = 1;
    t->status.inherit = t->inherit;
    t->attached_plan = plan;
    add_known_task(t, pid);
    if (err) {
        t->status.fatal = err;
        free_counted_task(t, k);
    } else {
        t->status.attached = !k->refused;
        t->all = k;
    }
    return t;
}

void tasks_set_plan(struct tasks *t, const struct group_plan *plan)
{
    pthread_mutex_lock(&t->lock);
    struct counted_task *old = t->queue;
    t->queue = NULL;
    t->status.found = t->status.attached = t->status.gone = t->status.uncertain = 0;
    pthread_mutex_unlock(&t->lock);
    list_free(t, old);
    list_free(t, t->all);
    t->all = NULL;
    request_attach(t, plan);
    start_attaching(t);
}

static void take_queue(struct tasks *t, const struct group_plan *plan)
{
    pthread_mutex_lock(&t->lock);
    struct counted_task *q = t->queue;
    t->queue = NULL;
    pid_t *ended = t->ended;
    size_t nended = t->nended;
    t->ended = NULL;
    t->nended = 0;
    bool rescan = !t->status.inherit && !t->status.busy;
    pthread_mutex_unlock(&t->lock);
    while (q) {
        struct counted_task *next = q->next;
        if (q->plan == plan) {
            q->next = t->all;
            t->all = q;
        } else {
            free_counted_task(t, q); /* opened for the previous plan */
        }
        q = next;
    }
    for (size_t i = 0; i < nended; i++)
        for (struct counted_task *k = t->all; k; k = k->next)
            k->dead |= k->tid == ended[i];
    free(ended);
    if (rescan) {
        request_attach(t, plan);
        start_attaching(t);
    }
}

static void sample_group(struct tasks *t, struct counted_task *k, size_t g, struct tally *tally)
{
    const struct plan_group *pg = &k->plan->groups[g];
    struct perf_group *group = &k->groups[g];
    struct count delta[PLAN_GROUP_MAX];
    if (!group->n)
        return;
    tally->too_big[g] |= group->too_big;
    int rc = group_is_open(group) ? group_read(group, t->sys, pg, delta) : 1;
    for (size_t m = 0; m < pg->n; m++) {
        size_t at = pg->first + m;
        int err = group->err[m];
        if (!err && rc < 0)
            err = rc == -ENODATA ? EXPLAIN_STOLEN : -rc;
        tally->excluded[at] |= group->kernel_excluded;
        if (err)
            tally_refuse(tally, at, -1, err);
        else
            tally_add(tally, at, -1, &delta[m], 1);
    }
}

void tasks_sample(struct tasks *t, struct tally *tally)
{
    take_queue(t, tally->plan);
    for (struct counted_task **at = &t->all; *at;) {
        struct counted_task *k = *at;
        for (size_t g = 0; g < k->plan->ngroups; g++)
            sample_group(t, k, g, tally);
        if (k->dead) {
            *at = k->next;
            free_counted_task(t, k);
        } else {
            at = &k->next;
        }
    }
    pthread_mutex_lock(&t->lock);
    int fatal = t->status.attached ? 0 : t->status.fatal;
    pthread_mutex_unlock(&t->lock);
    for (size_t m = 0; fatal && m < tally->plan->nmembers; m++)
        tally_refuse(tally, m, -1, fatal);
}

void tasks_status(struct tasks *t, struct tasks_status *out)
{
    pthread_mutex_lock(&t->lock);
    *out = t->status;
    pthread_mutex_unlock(&t->lock);
}

void tasks_free(struct tasks *t)
{
    if (!t)
        return;
    atomic_store(&t->quit, true);
    if (t->started) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_signal(&t->work);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
    }
    list_free(t, t->queue);
    list_free(t, t->all);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->work);
    free(t->ended);
    free(t->known);
    free(t->pids);
    free(t);
}
