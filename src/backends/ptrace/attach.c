/* Attaches to a running process with all its threads. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/ptrace/internal.h"
#include "base/print.h"

static long status_number(pid_t tid, const char *name)
{
    char path[64], status[2048];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    if (file_read(path, status, sizeof status) <= 0)
        return -1;
    const char *at = strstr(status, name);
    return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

static bool is_zombie(pid_t tid)
{
    char path[64], status[512];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    return file_read(path, status, sizeof status) > 0 && strstr(status, "\nState:\tZ");
}

static int refused(pid_t pid, int code, struct error *err)
{
    char what[64], name[64] = "", path[64];
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    if (code == ESRCH)
        return error_set(err, ERROR_TARGET, code, NULL, what, "there is no such process");
    const long tracer = status_number(pid, "\nTracerPid:\t");
    if (tracer > 0) {
        snprintf(path, sizeof path, "/proc/%ld/comm", tracer);
        file_line(path, name, sizeof name);
        char why[128];
        print_line(why, sizeof why, "process %ld (%s) traces it already", tracer, name);
        return error_set(err, ERROR_TARGET, code,
                         "a process has one tracer: end that one first (gdb, strace, rr)", what,
                         "%s", why);
    }
    if (is_zombie(pid))
        return error_set(err, ERROR_TARGET, code, NULL, what, "it has ended already");
    if (pid == getpid())
        return error_set(err, ERROR_TARGET, code, NULL, what, "rooftop cannot trace itself");
    const long scope = file_number("/proc/sys/kernel/yama/ptrace_scope", 0);
    return error_set(err, ERROR_PERMISSION, code,
                     scope > 0 ? "run as root, or: sysctl kernel.yama.ptrace_scope=0"
                               : "run as root, or as the user that it belongs to",
                     what, scope > 0 ? "%s (kernel.yama.ptrace_scope is %ld)" : "%s",
                     strerror(code), scope);
}

/* One thread. 1: taken, 0: nothing to take, or -errno. */
static int take(struct tracees *t, pid_t pid, pid_t tid)
{
    if (tracees_find(t, tid))
        return 0;
    if (ptrace(PTRACE_SEIZE, tid, 0, tracees_options(t, false)) != 0) {
        const int code = errno;
        /* Made by a thread that we have already: it is ours, and its first stop will come. */
        if (code == EPERM && status_number(tid, "\nTracerPid:\t") == (long)getpid())
            return 0;
        return code == ESRCH || is_zombie(tid) ? 0 : -code;
    }
    struct tracee *task = tracee_add(t, tid, pid);
    task->interrupted = true;
    ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    return 1;
}

int tracees_take(struct tracees *t, pid_t pid, pid_t tid)
{
    if (ptrace(PTRACE_SEIZE, tid, 0, tracees_options(t, false)) != 0)
        return -errno;
    struct tracee *task = tracee_add(t, tid, pid);
    task->mode = TRACEE_AT_EVENTS;
    task->fresh = false;
    task->announced = true;
    return 0;
}

/* All threads that are in the list now: how many were taken, or -errno. */
static int take_all(struct tracees *t, pid_t pid)
{
    char path[64];
    int taken = 0, failed = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return take(t, pid, pid);
    for (struct dirent *e; (e = readdir(dir));) {
        const int rc = e->d_name[0] == '.' ? 0 : take(t, pid, (pid_t)strtol(e->d_name, NULL, 10));
        taken += rc > 0;
        failed = rc < 0 ? rc : failed;
    }
    closedir(dir);
    return failed ? failed : taken;
}

int tracees_attach(struct tracees *t, pid_t pid, struct error *err)
{
    int rc, total = 0;
    pid_t parent;
    if (kill(pid, 0) != 0 && errno == ESRCH)
        return refused(pid, ESRCH, err);
    pid = tracee_process(pid, &parent);
    if (tracees_find(t, pid))
        return 0;
    /* Threads that are made meanwhile by one that we do not have yet need another look. */
    while ((rc = take_all(t, pid)) > 0)
        total += rc;
    if (rc == 0 && total > 0)
        return 0;
    return refused(pid, rc < 0 ? -rc : is_zombie(pid) ? EPERM : ESRCH, err);
}
