#include "backends/processes/procs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/advice.h"
#include "backends/common/proc_file.h"
#include "backends/processes/hidden.h"
#include "backends/processes/processes_impl.h"
#include "base/arena.h"
#include "base/plural.h"
#include "base/search.h"

#define SECOND UINT64_C(1000000000)
#define EARLY  (SECOND / 20) /* a poll that is slightly early still counts for its second */
enum {
    /* after this many readings without CPU time a process is read every other second, */
    IDLE_AFTER = 3,
    /* and after this many every fourth; explain_busy finds those that wake up earlier */
    ASLEEP_AFTER = 8,
    IDENTITIES_FIRST = 1024, /* command lines read in the first poll, */
    IDENTITIES = 128,        /* and in each later one */
    RENEWALS = 2,            /* known ones read again each second, as titles and owners change */
    SLACK_TICKS = 4,         /* CPU time that may be unexplained before all processes are read */
    PARENTS = 256,           /* parents of ended processes, read at once to learn what these used */
};

struct procs {
    struct pid_listing listing;
    struct task_reader reader;
    struct users *users;
    struct process_watch *watch;
    struct threads *threads;
    struct task **tasks; /* sorted by pid */
    struct task **spare; /* for building the next table */
    size_t n, cap;
    uint64_t hz;      /* clock ticks per second */
    char hidepid[32]; /* result of hidden_by */
    uint64_t polled_ns, listed_ns;
    double listed_uptime;
    uint64_t listed_forks;
    bool listed, have_listed_forks;
    size_t listed_population;
    uint64_t listing_ns, listings; /* time of the last listing; number of listings */
    int64_t unexplained; /* the machine's CPU time minus that of the processes read, in ticks */
    size_t next;         /* where the next partial reading continues */
    size_t renew;        /* the next process whose identity is read again */
    uint64_t renewed_ns;
    uint64_t waited_ns; /* when a watched process had waited for a child, or had ended */
    uint64_t again;     /* how often children of such were read once more */
    uint64_t page_size;
    struct account account;
    struct {
        pid_t parent;
        int64_t shown; /* ticks */
    } ended[PARENTS];  /* in this poll */
    int nended;
};

struct procs *procs_open(const struct target *target, pid_t command)
{
    struct procs *p = xcalloc(1, sizeof *p);
    listing_open(&p->listing);
    hidden_by(p->hidepid);
    p->users = users_open();
    p->watch = watch_open(target, command);
    task_reader_init(&p->reader, p->listing.dir_fd, p->users);
    long hz = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
    p->hz = hz > 0 ? (uint64_t)hz : 100;
    p->threads = threads_open(p->listing.dir_fd, p->hz);
    p->page_size = page > 0 ? (uint64_t)page : 4096;
    return p;
}

void procs_close(struct procs *p)
{
    for (size_t i = 0; i < p->n; i++)
        task_free(&p->reader, p->tasks[i]);
    free(p->tasks);
    free(p->spare);
    listing_close(&p->listing);
    users_close(p->users);
    watch_close(p->watch);
    threads_close(p->threads);
    free(p);
}

uint64_t procs_reads(const struct procs *p)
{
    return p->reader.reads;
}

uint64_t procs_listings(const struct procs *p)
{
    return p->listings;
}

/* --- ended processes --- */

static struct task *find_listed_task(const struct procs *p, pid_t pid)
{
    size_t low = 0;
    SEARCH_FIRST(low, p->n, p->tasks[low]->pid < pid);
    return low < p->n && p->tasks[low]->pid == pid ? p->tasks[low] : NULL;
}

/* Notes that a process has ended: its parent will be given its CPU time. */
static void note_ended(struct procs *p, const struct task *t)
{
    if (!t->read)
        return;
    int64_t shown = (int64_t)(t->stat.ticks + t->stat.child_ticks);
    p->account.ended -= shown;
    p->account.nended++;
    if (p->nended < PARENTS) {
        p->ended[p->nended].parent = t->stat.ppid;
        p->ended[p->nended++].shown = shown;
    }
}

static void forget_task(struct procs *p, struct task *t)
{
    note_ended(p, t);
    task_free(&p->reader, t);
}

/* --- comparing the table with the listing of /proc --- */

static struct task *new_task(pid_t pid)
{
    struct task *t = xcalloc(1, sizeof *t);
    t->pid = pid;
    t->fd = -1;
    t->user = -1;
    t->cpu_percent = value_pending(UNIT_PERCENT);
    return t;
}

static void reserve_tasks(struct procs *p, size_t n)
{
    if (n <= p->cap)
        return;
    p->cap = n + n / 2 + 64;
    p->tasks = xrealloc(p->tasks, p->cap, sizeof *p->tasks);
    p->spare = xrealloc(p->spare, p->cap, sizeof *p->spare);
}

/* Keeps living processes, removes ended ones, adds new ones. Both lists are sorted, so one pass is
 * enough. */
static void merge_tasks(struct procs *p)
{
    const struct pid_listing *l = &p->listing;
    size_t old = 0, n = 0;
    reserve_tasks(p, l->n);
    for (size_t i = 0; i < l->n; i++) {
        while (old < p->n && p->tasks[old]->pid < l->pids[i])
            forget_task(p, p->tasks[old++]);
        if (old < p->n && p->tasks[old]->pid == l->pids[i])
            p->spare[n++] = p->tasks[old++];
        else
            p->spare[n++] = new_task(l->pids[i]);
    }
    while (old < p->n)
        forget_task(p, p->tasks[old++]);
    struct task **t = p->tasks;
    p->tasks = p->spare;
    p->spare = t;
    p->n = n;
}

static bool list_due(const struct procs *p, uint64_t now_ns, const struct system_tick *tick)
{
    uint64_t age = now_ns - p->listed_ns + EARLY;
    bool started = tick->have_forks && p->have_listed_forks && tick->forks != p->listed_forks;
    return !p->listed || age >= SECOND || (started && age >= SECOND / 4);
}

/* Whether a listing would find the same processes. That is unknown if forks is 0 (the kernel does
 * not count) or with hidepid (what we may see can change). */
static bool is_listing_unchanged(const struct procs *p, uint64_t now_ns,
                                 const struct system_tick *tick)
{
    return p->listed && now_ns - p->listing_ns + EARLY < 4 * SECOND && tick->have_forks &&
           tick->forks > 0 && p->have_listed_forks && tick->forks == p->listed_forks &&
           !p->hidepid[0] && p->listed_population > p->listing.n &&
           listing_population(&p->listing) == p->listed_population;
}

/* Updates the table. Returns whether it is up to date. */
static bool list_tasks(struct procs *p, uint64_t now_ns, const struct system_tick *tick)
{
    if (!list_due(p, now_ns, tick))
        return false;
    if (is_listing_unchanged(p, now_ns, tick))
        return true;
    /* the population first: if a process ends in between, the next one differs */
    size_t population = listing_population(&p->listing);
    if (listing_read(&p->listing) != 0)
        return false;
    p->listed_population = population;
    p->listing_ns = now_ns;
    p->listings++;
    merge_tasks(p);
    return true;
}

static void remove_gone(struct procs *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->tasks[i]->gone)
            forget_task(p, p->tasks[i]);
        else
            p->tasks[n++] = p->tasks[i];
    }
    p->n = n;
}

/* --- reading one process --- */

/*
 * Whether the process started after the last listing: all its CPU time is then since that listing.
 */
static bool is_newborn(const struct procs *p, const struct pid_stat *st)
{
    return p->listed && p->listed_uptime > 0 &&
           (double)st->start_ticks + 1 >= p->listed_uptime * (double)p->hz;
}

static bool has_waited(const struct pid_stat *before, const struct pid_stat *now)
{
    return now->child_ticks > before->child_ticks ||
           now->child_minor_faults > before->child_minor_faults;
}

static void account_task(struct procs *p, struct task *t, const struct pid_stat *st,
                         uint64_t now_ns)
{
    bool same = t->read && t->stat.start_ticks == st->start_ticks;
    uint64_t before = same ? t->stat.ticks : 0;
    uint64_t since = same ? t->read_ns : p->listed_ns;
    bool known = same || is_newborn(p, st);
    uint64_t used = st->ticks > before ? st->ticks - before : 0;
    uint64_t handed = same ? t->stat.child_ticks : 0;
    if (known && st->child_ticks > handed) {
        t->waited += (int64_t)(st->child_ticks - handed);
        p->account.ended += (int64_t)(st->child_ticks - handed);
    }
    if (same && t->watched && (has_waited(&t->stat, st) || st->state == 'Z'))
        t->waited_ns = p->waited_ns = now_ns;
    if (known && now_ns > since) {
        double seconds = (double)(now_ns - since) / 1e9;
        t->cpu_percent = value_ok(100 * (double)used / (double)p->hz / seconds, UNIT_PERCENT);
        p->unexplained -= (int64_t)used;
        p->account.live += (int64_t)used;
    } else if (!known) {
        t->cpu_percent = value_pending(UNIT_PERCENT);
    }
    if (!same || used)
        t->idle = 0;
    else if (t->idle < UINT8_MAX)
        t->idle++;
    if (!same) {
        t->checked = t->watched = false;
        t->identity = 2; /* read now, and again when it has settled after its exec */
        free(t->cmdline);
        t->cmdline = NULL;
        t->cmdline_len = 0;
    } else if (strcmp(t->stat.comm, st->comm) != 0) {
        t->identity = 2;
    }
}

static void read_task(struct procs *p, struct task *t, uint64_t now_ns)
{
    struct pid_stat st;
    int rc = task_read_stat(&p->reader, t, &st);
    /* the process of the kept descriptor ended; is there a new one? */
    if (rc == -ESRCH && t->read) {
        task_drop_file(&p->reader, t);
        note_ended(p, t);
        t->read = false;
        rc = task_read_stat(&p->reader, t, &st);
    }
    t->denied = rc == -EACCES || rc == -EPERM;
    if (rc != 0) {
        t->gone = !t->denied;
        t->read_ns = now_ns;
        if (t->gone && t->watched)
            t->waited_ns = p->waited_ns = now_ns;
        return;
    }
    bool same = t->read && t->stat.start_ticks == st.start_ticks;
    if (t->read && !same)
        note_ended(p, t);
    if (!same)
        task_read_owner(&p->reader, t);
    account_task(p, t, &st, now_ns);
    t->stat = st;
    t->read = true;
    t->read_ns = now_ns;
}

static bool has_ended(const struct task *t)
{
    return t->gone || t->stat.state == 'Z';
}

/*
 * Reads the children of watched processes that have just ended or waited for one. Otherwise a child
 * that was read before its end would count in its own row and in that of its parent, and would seem
 * to end later than the parent. Those that have ended by then are parents, too.
 */
static bool read_waited_children(struct procs *p, uint64_t now_ns)
{
    const bool waited = p->waited_ns == now_ns;
    p->again++;
    for (bool more = waited; more;) {
        more = false;
        for (size_t i = 0; i < p->n; i++) {
            struct task *t = p->tasks[i];
            const struct task *parent = find_listed_task(p, t->stat.ppid);
            if (!t->read || t->gone || t->again == p->again || !parent ||
                !(has_ended(parent) || parent->waited_ns == now_ns))
                continue;
            t->again = p->again;
            read_task(p, t, now_ns);
            more |= has_ended(t);
        }
    }
    return waited;
}

/* --- which processes are read --- */

static bool is_read_due(const struct task *t, uint64_t now_ns)
{
    if (!t->read && !t->denied)
        return true; /* new */
    uint64_t age = now_ns - t->read_ns + EARLY;
    if (t->denied)
        return age >= 10 * SECOND;
    if (t->watched && age >= SECOND) /* its memory is on the screen */
        return true;
    if (t->idle == 0)
        return age > EARLY;
    /* Processes that become idle in the same second are not all read in the same second later. */
    if (t->idle < IDLE_AFTER || (t->idle == IDLE_AFTER && (t->pid & 1)))
        return age >= SECOND;
    if (t->idle < ASLEEP_AFTER || (t->idle == ASLEEP_AFTER && (t->pid & 2)))
        return age >= 2 * SECOND;
    return age >= 4 * SECOND;
}

/* Limit of idle processes to read in a poll, which spreads them over a second with many polls. */
static size_t sleepers_per_poll(const struct procs *p, uint64_t now_ns)
{
    uint64_t interval = now_ns - p->polled_ns;
    if (!p->polled_ns || interval + EARLY >= SECOND)
        return SIZE_MAX;
    return (size_t)(p->n * interval / SECOND) + 8;
}

static void read_due(struct procs *p, uint64_t now_ns)
{
    size_t quota = sleepers_per_poll(p, now_ns), start = p->n ? p->next % p->n : 0;
    bool full = false;
    for (size_t k = 0; k < p->n; k++) {
        size_t i = start + k < p->n ? start + k : start + k - p->n;
        struct task *t = p->tasks[i];
        if (!is_read_due(t, now_ns))
            continue;
        if (t->read && t->idle > 0) {
            if (quota == 0) {
                if (!full)
                    p->next = i;
                full = true;
                continue;
            }
            quota--;
        }
        read_task(p, t, now_ns);
    }
}

/* Reads all processes that were not read in this second, because one of them used CPU time. */
static void read_tasks(struct procs *p, uint64_t now_ns)
{
    for (size_t i = 0; i < p->n; i++) {
        struct task *t = p->tasks[i];
        if (t->read && !t->gone && now_ns - t->read_ns + EARLY >= SECOND)
            read_task(p, t, now_ns);
    }
    p->unexplained = 0;
}

static void explain_busy(struct procs *p, const struct system_tick *tick, uint64_t now_ns)
{
    if (!tick->have_busy)
        return;
    p->unexplained += (int64_t)(tick->busy_ticks < INT32_MAX ? tick->busy_ticks : INT32_MAX);
    if (p->unexplained > SLACK_TICKS)
        read_tasks(p, now_ns);
    else if (p->unexplained < -SLACK_TICKS)
        p->unexplained = -SLACK_TICKS; /* no credit for later polls */
}

/* Reads the parents of ended processes. They sleep in wait, so they would otherwise be read too
 * late. */
static void read_parents(struct procs *p, uint64_t now_ns)
{
    for (int i = 0; i < p->nended; i++) {
        struct task *t = find_listed_task(p, p->ended[i].parent);
        if (!t || t->gone || !t->read) /* init waits for orphans */
            t = find_listed_task(p, 1);
        if (!t || t->gone || !t->read)
            continue;
        if (t->read_ns != now_ns)
            read_task(p, t, now_ns);
        t->waited -= p->ended[i].shown;
    }
    p->nended = 0;
}

static void choose_parent(struct procs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        struct task *t = p->tasks[i];
        if (t->waited > p->account.most) {
            p->account.most = t->waited;
            p->account.parent = t->pid;
        }
        t->waited = 0;
    }
}

/* --- command lines and owners --- */

static void read_identities(struct procs *p, uint64_t now_ns)
{
    int quota = p->polled_ns ? IDENTITIES : IDENTITIES_FIRST;
    for (size_t i = 0; i < p->n && quota > 0; i++) {
        struct task *t = p->tasks[i];
        bool settled = t->identity == 1 && now_ns - t->identity_ns >= SECOND;
        if (!t->read || t->gone || !(t->identity == 2 || settled))
            continue;
        task_read_identity(&p->reader, t);
        t->identity--;
        t->identity_ns = now_ns;
        quota--;
    }
    if (now_ns - p->renewed_ns + EARLY < SECOND)
        return;
    p->renewed_ns = now_ns;
    for (int k = 0; k < RENEWALS && p->n; k++) {
        struct task *t = p->tasks[p->renew++ % p->n];
        if (t->read && !t->gone && t->identity == 0)
            task_read_identity(&p->reader, t);
    }
}

/* --- one poll --- */

static void note_hidden(struct procs *p, struct snapshot *out)
{
    size_t n = 0;
    char text[96];
    for (size_t i = 0; i < p->n; i++)
        n += p->tasks[i]->denied;
    if (n == 0 && !p->hidepid[0])
        return;
    if (n > 0)
        snprintf(text, sizeof text, "%zu processes of other users are hidden (hidepid)", n);
    else
        snprintf(text, sizeof text, "processes of other users are hidden (%s), and not counted",
                 p->hidepid);
    snapshot_add_notice(out, NOTICE_INFO, "proc.hidepid", text, ADVICE_HIDEPID);
}

static void note_children(const struct procs *p, struct snapshot *out)
{
    const size_t n = watch_left_out(p->watch, p->tasks, p->n);
    char text[64];
    snprintf(text, sizeof text, "%zu %s not watched", n, plural(n, "child", "children"));
    if (n > 0)
        snapshot_add_notice(out, NOTICE_INFO, "proc.children", text,
                            "--children all watches them; so does :children all");
}

void procs_poll(struct procs *p, struct snapshot *out, uint64_t now_ns,
                const struct system_tick *tick)
{
    /* The time of interrupts and short-lived processes stays unexplained, so the sum decays; that
     * of a busy process grows faster. */
    if (p->unexplained > 0)
        p->unexplained /= 2;
    bool listed = list_tasks(p, now_ns, tick);
    read_due(p, now_ns);
    explain_busy(p, tick, now_ns);
    if (listed) { /* only now: new processes were measured since the previous listing */
        p->listed = true;
        p->listed_ns = now_ns;
        p->listed_uptime = tick->uptime_s;
        p->listed_forks = tick->forks;
        p->have_listed_forks = tick->have_forks;
    }
    read_waited_children(p, now_ns); /* before their parents are forgotten */
    remove_gone(p);
    read_parents(p, now_ns);
    if (read_waited_children(p, now_ns)) {
        remove_gone(p);
        read_parents(p, now_ns);
    }
    choose_parent(p);
    read_identities(p, now_ns);
    watch_mark(p->watch, p->tasks, p->n, listed, (uint64_t)(tick->uptime_s * (double)p->hz));
    note_hidden(p, out);
    note_children(p, out);
    account_fill(&p->account, out, tick, p->hz);
    rows_fill(out, p->tasks, p->n, p->users, p->hz, p->page_size);
    threads_poll(p->threads, out, now_ns);
    if (watch_gone(p->watch))
        out->target_gone = true;
    /* also if /proc is an empty folder without a mount */
    if (p->listing.dir_fd < 0 || (p->n == 0 && !file_proc_mounted()))
        snapshot_add_notice(out, NOTICE_WARN, "proc.missing",
                            "/proc cannot be listed: no processes", "mount -t proc proc /proc");
    p->polled_ns = now_ns;
}
