/* Attaches to a running process with all its threads. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/ptrace/internal.h"
#include "base/print.h"

/* Whether the task has ended, even if its parent did not wait for it yet. */
static bool has_task_died(pid_t tid)
{
    char path[64], status[512];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    if (file_read(path, status, sizeof status) <= 0) /* hidepid may hide it, too */
        return kill(tid, 0) != 0 && errno == ESRCH;
    const char *state = strstr(status, "\nState:\t");
    return state && strchr("ZX", state[strlen("\nState:\t")]);
}

static int attach_refused(pid_t pid, int code, struct error *err)
{
    char what[64], name[64] = "", path[64];
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    if (code == ESRCH)
        return error_set(err, ERROR_TARGET, code, NULL, what, "there is no such process");
    const long tracer = status_number(pid, "TracerPid");
    if (tracer > 0) {
        snprintf(path, sizeof path, "/proc/%ld/comm", tracer);
        file_line(path, name, sizeof name);
        char why[128];
        print_line(why, sizeof why, "process %ld (%s) traces it already", tracer, name);
        return error_set(err, ERROR_TARGET, code,
                         "a process has one tracer: end that one first (gdb, strace, rr)", what,
                         "%s", why);
    }
    if (has_task_died(pid))
        return error_set(err, ERROR_TARGET, ESRCH, NULL, what, "it has ended already");
    if (pid == getpid())
        return error_set(err, ERROR_TARGET, code, NULL, what, "rooftop cannot trace itself");
    const long scope = file_number("/proc/sys/kernel/yama/ptrace_scope", 0);
    return error_set(err, ERROR_PERMISSION, code,
                     scope > 0 ? "run as root, or: sysctl kernel.yama.ptrace_scope=0"
                               : "run as root, or as the user that it belongs to",
                     what, scope > 0 ? "%s (kernel.yama.ptrace_scope is %ld)" : "%s",
                     strerror(code), scope);
}

/* Begins to trace a thread. Returns 1; 0 if it is already traced or has ended; or -errno. */
static int seize_thread(struct tracees *t, pid_t pid, pid_t tid)
{
    if (tracees_find(t, tid))
        return 0;
    if (ptrace(PTRACE_SEIZE, tid, 0, tracees_options(t, false)) != 0) {
        const int code = errno;
        /* A traced thread made it, so the kernel already traces it: its first stop will come. */
        if (code == EPERM && status_number(tid, "TracerPid") == (long)getpid())
            return 0;
        return code == ESRCH || has_task_died(tid) ? 0 : -code;
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

void tracee_let_go(struct tracee *task)
{
    task->unwanted = task->fresh = true;
    task->announced = false;
    ptrace(PTRACE_INTERRUPT, task->tid, 0, 0);
}

/* Begins to trace all threads that /proc lists now. Returns how many were new, or -errno. */
static int take_all(struct tracees *t, pid_t pid)
{
    char path[64];
    int taken = 0, failed = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return seize_thread(t, pid, pid);
    for (struct dirent *e; (e = readdir(dir));) {
        const int rc =
            e->d_name[0] == '.' ? 0 : seize_thread(t, pid, (pid_t)strtol(e->d_name, NULL, 10));
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
        return attach_refused(pid, ESRCH, err);
    pid = tracee_process(pid, &parent);
    if (tracees_find(t, pid))
        return 0;
    /* Threads that are not traced yet may make others, so read the list until it has no new one. */
    while ((rc = take_all(t, pid)) > 0)
        total += rc;
    if (rc == 0 && total > 0)
        return 0;
    if (rc == 0)
        rc = has_task_died(pid) ? -EPERM : -ESRCH;
    return attach_refused(pid, -rc, err);
}
