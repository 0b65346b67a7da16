#include "backends/processes/processes_impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"
#include "base/order.h"
#include "base/search.h"

enum { DEPTH_MAX = 16, DIRECTORIES_MAX = 1024, MEMBERS_MAX = 1 << 20 };

struct process_watch {
    enum target_kind kind;
    bool alone; /* the processes that it starts do not belong to the target */
    bool young, since_known;
    uint64_t since; /* for CHILDREN_NEW: only processes that started after this many ticks */
    pid_t command;
    struct named {
        pid_t pid;
        uint64_t start_ticks;
        bool known, gone;
    } * named;
    size_t nnamed;
    char *cgroup; /* for env_path */
    pid_t *members;
    size_t nmembers, cap;
};

struct process_watch *watch_open(const struct target *target, pid_t command)
{
    struct process_watch *w = xcalloc(1, sizeof *w);
    char path[PATH_MAX];
    w->kind = target->kind;
    w->command = command;
    w->alone = target->kind == TARGET_PIDS && target->children == CHILDREN_NONE;
    w->young = target->kind == TARGET_PIDS && target->children == CHILDREN_NEW;
    if (target->kind == TARGET_PIDS) {
        w->named = xcalloc(target->npids + 1, sizeof *w->named);
        for (size_t i = 0; i < target->npids; i++)
            w->named[w->nnamed++].pid = target->pids[i];
    }
    if (target->kind == TARGET_CGROUP && target->cgroup) {
        snprintf(path, sizeof path, "%s%s", target->cgroup[0] == '/' ? "" : "/sys/fs/cgroup/",
                 target->cgroup);
        w->cgroup = xstrdup(path);
    }
    return w;
}

void watch_close(struct process_watch *w)
{
    free(w->cgroup);
    free(w->members);
    free(w->named);
    free(w);
}

static struct task *find_watched_task(struct task *const *tasks, size_t n, pid_t pid)
{
    size_t low = 0;
    SEARCH_FIRST(low, n, tasks[low]->pid < pid);
    return low < n && tasks[low]->pid == pid ? tasks[low] : NULL;
}

/* --- members of a cgroup --- */

static void add_members(struct process_watch *w, int dir)
{
    char line[32];
    int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f && fd >= 0)
        close(fd);
    while (f && w->nmembers < MEMBERS_MAX && fgets(line, sizeof line, f))
        LIST_ADD(w->members, w->nmembers, w->cap, (pid_t)strtol(line, NULL, 10));
    if (f)
        fclose(f);
}

/* Adds the members of a cgroup and of those below it. Closes dir. */
static void add_cgroup_members(struct process_watch *w, int dir, int depth, int *budget)
{
    if (dir < 0)
        return;
    add_members(w, dir);
    DIR *d = depth < DEPTH_MAX ? fdopendir(dir) : NULL;
    if (!d) {
        close(dir);
        return;
    }
    for (struct dirent *e; (e = readdir(d)) && *budget > 0;) {
        if (e->d_name[0] == '.' || (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
            continue;
        --*budget;
        add_cgroup_members(w,
                           openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW),
                           depth + 1, budget);
    }
    closedir(d);
}

static void read_cgroup_members(struct process_watch *w)
{
    char path[PATH_MAX];
    int budget = DIRECTORIES_MAX;
    w->nmembers = 0;
    add_cgroup_members(
        w, open(env_path(path, sizeof path, "%s", w->cgroup), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        0, &budget);
    if (w->nmembers)
        qsort(w->members, w->nmembers, sizeof *w->members, order_int32);
}

static void mark_members(struct process_watch *w, struct task *const *tasks, size_t n)
{
    read_cgroup_members(w);
    for (size_t i = 0; i < n; i++)
        tasks[i]->watched = w->nmembers && bsearch(&tasks[i]->pid, w->members, w->nmembers,
                                                   sizeof *w->members, order_int32) != NULL;
}

/* --- processes that were named, and what they start --- */

/* Checks the named processes: another process may reuse a pid. */
static void check_named(struct process_watch *w, struct task *const *tasks, size_t n)
{
    for (size_t i = 0; i < w->nnamed; i++) {
        struct task *t = find_watched_task(tasks, n, w->named[i].pid);
        /* a process that is hidden from us may still live */
        if (w->named[i].gone || (t && !t->read))
            continue;
        if (!t || (w->named[i].known && t->stat.start_ticks != w->named[i].start_ticks)) {
            w->named[i].gone = true;
            continue;
        }
        w->named[i].start_ticks = t->stat.start_ticks;
        w->named[i].known = true;
        w->named[i].gone = t->stat.state == 'Z' || t->stat.state == 'X';
        t->watched = true;
    }
}

static bool belongs_to_watch(const struct process_watch *w, struct task *const *tasks, size_t n,
                             const struct task *t)
{
    if (w->command > 0 &&
        (t->pid == w->command || t->stat.session == w->command || t->stat.pgrp == w->command))
        return true;
    if (w->young && t->stat.start_ticks + 1 < w->since)
        return false;
    const struct task *parent = find_watched_task(tasks, n, t->stat.ppid);
    return parent && parent->watched;
}

/* Marks what watched processes started. A child may have a lower pid than its parent, so this
 * repeats until nothing changes. */
static void mark_started(struct process_watch *w, struct task *const *tasks, size_t n)
{
    bool changed = true;
    for (int round = 0; changed && round < DEPTH_MAX; round++) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            struct task *t = tasks[i];
            if (t->read && !t->checked && !t->watched && belongs_to_watch(w, tasks, n, t))
                t->watched = changed = true;
        }
    }
    for (size_t i = 0; i < n; i++)
        tasks[i]->checked = tasks[i]->checked || tasks[i]->read;
}

void watch_mark(struct process_watch *w, struct task *const *tasks, size_t n, bool listed,
                uint64_t now)
{
    if (!w->since_known)
        w->since = now;
    w->since_known = true;
    switch (w->kind) {
    case TARGET_HOST:
        return;
    case TARGET_CGROUP:
        if (listed && w->cgroup)
            mark_members(w, tasks, n);
        return;
    case TARGET_PIDS:
        check_named(w, tasks, n);
        break;
    case TARGET_COMMAND:
        break;
    }
    if (!w->alone)
        mark_started(w, tasks, n);
}

size_t watch_left_out(const struct process_watch *w, struct task *const *tasks, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; w->young && i < n; i++) {
        const struct task *parent = find_watched_task(tasks, n, tasks[i]->stat.ppid);
        count += tasks[i]->read && !tasks[i]->watched && parent && parent->watched;
    }
    return count;
}

bool watch_gone(const struct process_watch *w)
{
    for (size_t i = 0; i < w->nnamed; i++)
        if (!w->named[i].gone)
            return false;
    return w->kind == TARGET_PIDS && w->nnamed > 0;
}
