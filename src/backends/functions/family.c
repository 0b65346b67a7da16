/* Finds the processes of a command that already runs: its descendants, and its whole session. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_common/cpus.h"
#include "backends/functions/sampler_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"

enum { FAMILY_MAX = 1 << 20 };

struct relative {
    pid_t pid, parent, session;
    bool member;
};

/* Reads the fields of proc(5): pid (comm) state ppid pgrp session. */
static bool read_relative(pid_t pid, struct relative *out)
{
    char path[64], line[1024];
    int parent, group, session;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_text(line, sizeof line, path) <= 0)
        return false;
    const char *p = strrchr(line, ')');
    if (!p || sscanf(p, ") %*c %d %d %d", &parent, &group, &session) != 3)
        return false;
    *out = (struct relative){.pid = pid, .parent = parent, .session = session};
    return true;
}

static size_t read_relatives(struct relative **all)
{
    char path[512];
    size_t n = 0, cap = 0;
    DIR *d = opendir(env_path(path, sizeof path, "/proc"));
    *all = NULL;
    for (struct dirent *e; d && n < FAMILY_MAX && (e = readdir(d));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        LIST_ROOM(*all, n, cap);
        n += read_relative((pid_t)strtol(e->d_name, NULL, 10), &(*all)[n]);
    }
    if (d)
        closedir(d);
    return n;
}

static int compare_relatives(const void *a, const void *b)
{
    pid_t x = ((const struct relative *)a)->pid, y = ((const struct relative *)b)->pid;
    return (x > y) - (x < y);
}

static bool is_member(const struct relative *all, size_t n, pid_t pid)
{
    struct relative key = {.pid = pid};
    const struct relative *found = n ? bsearch(&key, all, n, sizeof *all, compare_relatives) : NULL;
    return found && found->member;
}

size_t tap_family(pid_t pid, pid_t **pids)
{
    struct relative *all;
    size_t n = read_relatives(&all), found = 0;
    if (n)
        qsort(all, n, sizeof *all, compare_relatives);
    for (size_t i = 0; i < n; i++)
        all[i].member = all[i].pid == pid || all[i].session == pid;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            if (!all[i].member && is_member(all, n, all[i].parent))
                more = all[i].member = true;
        }
    }
    *pids = xcalloc(n, sizeof **pids);
    for (size_t i = 0; i < n; i++)
        if (all[i].member)
            (*pids)[found++] = all[i].pid;
    free(all);
    return found;
}
