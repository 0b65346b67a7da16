#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_common/cpus.h"
#include "backends/perf_common/tasks.h"
#include "base/env.h"
#include "base/list.h"

long task_list(pid_t pid, pid_t **tids)
{
    char path[512];
    *tids = NULL;
    DIR *d = opendir(env_path(path, sizeof path, "/proc/%d/task", (int)pid));
    if (!d)
        return errno == ENOENT ? -ESRCH : -errno;
    size_t n = 0, cap = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        LIST_ROOM(*tids, n, cap);
        (*tids)[n++] = (pid_t)strtol(e->d_name, NULL, 10);
    }
    closedir(d);
    /* New threads are mostly started by the main thread, so attach to it first: they are then
     * inherited. */
    for (size_t i = 1; i < n; i++) {
        if ((*tids)[i] == pid) {
            (*tids)[i] = (*tids)[0];
            (*tids)[0] = pid;
        }
    }
    return (long)n;
}

/* The text after the command's ')' in a stat file, "S 1 2 3…"; see proc(5). */
static const char *read_stat_after_comm(char *buf, size_t size, const char *path)
{
    if (read_text(buf, size, path) <= 0)
        return NULL;
    const char *p = strrchr(buf, ')');
    return p && p[1] == ' ' ? p + 2 : NULL;
}

unsigned long long task_start(pid_t pid, pid_t tid)
{
    char path[64], buf[1024];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    const char *p = read_stat_after_comm(buf, sizeof buf, path);
    /* state is field 3, starttime field 22 */
    for (int field = 3; p && field < 22; field++) {
        p = strchr(p, ' ');
        p = p ? p + 1 : NULL;
    }
    return p ? strtoull(p, NULL, 10) : 0;
}

bool task_alive(pid_t pid)
{
    char path[64], buf[1024];
    /* The main thread's own file: the process's file adds up all threads, which takes milliseconds
     * for 10^4 of them. */
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)pid);
    errno = 0;
    const char *p = read_stat_after_comm(buf, sizeof buf, path);
    if (!p)
        /* without free descriptors it is unknown whether the task ended */
        return errno == EMFILE || errno == ENFILE;
    if (*p != 'Z' && *p != 'X' && *p != 'x')
        return true;
    /* The main thread may end before the others. */
    pid_t *tids;
    long n = task_list(pid, &tids);
    free(tids);
    return n > 1;
}
