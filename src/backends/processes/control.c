#include "backends/processes/control.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "backends/processes/processes_impl.h"
#include "base/env.h"
#include "engine/live/signals.h"

enum { ROUNDS = 4 }; /* while threads are changed, new ones may start with the old value */

static int process_ended(struct error *err, const char *what)
{
    return error_set(err, ERROR_TARGET, ESRCH, NULL, what, "it has ended");
}

/* Checks that the pid still names the same process. Returns 0 or -ESRCH. */
static int check_same_process(pid_t pid, uint64_t start_ticks, const char *what, struct error *err)
{
    char path[64], text[1024];
    struct pid_stat st;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    ssize_t n = file_read(path, text, sizeof text);
    if (n <= 0 || parse_pid_stat(text, (size_t)n, &st) != 0)
        return process_ended(err, what);
    if (st.start_ticks != start_ticks)
        return error_set(err, ERROR_TARGET, ESRCH, NULL, what,
                         "it has ended; another process has its number now");
    return 0;
}

/* Explains a refusal: "it belongs to root". */
static int explain_denied(pid_t pid, int rc, const char *what, struct error *err)
{
    char path[64], whose[96] = "it belongs to another user";
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    struct users *users = users_open();
    if (stat(path, &st) == 0 && st.st_uid != geteuid()) {
        int i = users_index(users, st.st_uid);
        if (i >= 0)
            snprintf(whose, sizeof whose, "it belongs to %.40s", users_name(users, i));
    } else {
        snprintf(whose, sizeof whose, "the kernel does not permit it");
    }
    users_close(users);
    return error_set(err, ERROR_PERMISSION, rc, "run rooftop as its user, or with sudo", what, "%s",
                     whose);
}

static int fail_control(pid_t pid, int rc, const char *what, struct error *err)
{
    if (rc == ESRCH)
        return process_ended(err, what);
    if (rc == EPERM)
        return explain_denied(pid, rc, what, err);
    return error_set(err, ERROR_INTERNAL, rc, NULL, what, "%s", strerror(rc));
}

/* Sends the signal. Kernels before 5.3 have no pidfd_open: there only the check before protects
 * another process. */
static int send_process_signal(int fd, pid_t pid, int signo)
{
    long rc = fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0) : kill(pid, signo);
    return rc < 0 ? errno : 0;
}

int control_signal(pid_t pid, uint64_t start_ticks, int signo, struct error *err)
{
    char what[96], name[SIGNAL_NAME_MAX];
    snprintf(what, sizeof what, "%s to %d", signal_name(signo, name), (int)pid);
    /* Open the descriptor first: if the pid still names the right process afterwards, the
     * descriptor does too. */
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0 && errno != ENOSYS)
        return fail_control(pid, errno == EINVAL ? ESRCH : errno, what, err);
    int rc = check_same_process(pid, start_ticks, what, err);
    if (rc == 0 && (rc = send_process_signal(fd, pid, signo)) != 0)
        rc = fail_control(pid, rc, what, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Changes the threads of a process. Returns how many had another value, or -errno if one could not
 * be changed. */
static int renice_threads(pid_t pid, int nice)
{
    char path[64];
    int changed = 0, rc = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    if (!d)
        return -ESRCH;
    for (struct dirent *e; rc == 0 && (e = readdir(d));) {
        id_t tid = (id_t)strtol(e->d_name, NULL, 10);
        errno = 0;
        int now = tid > 0 ? getpriority(PRIO_PROCESS, tid) : nice;
        if (errno != 0 || now == nice) /* it ended, or already has the value */
            continue;
        if (setpriority(PRIO_PROCESS, tid, nice) == 0)
            changed++;
        else if (errno != ESRCH)
            rc = -errno;
    }
    closedir(d);
    return rc != 0 ? rc : changed;
}

int control_nice(pid_t pid, uint64_t start_ticks, int nice, struct error *err)
{
    char what[64];
    snprintf(what, sizeof what, "nice %d for %d", nice, (int)pid);
    int rc = check_same_process(pid, start_ticks, what, err);
    if (rc != 0)
        return rc;
    for (int i = 0; i < ROUNDS && (rc = renice_threads(pid, nice)) > 0; i++)
        ;
    if (rc == -EACCES)
        return error_set(err, ERROR_PERMISSION, EACCES,
                         "sudo renice, or a limit: nice in /etc/security/limits.conf", what,
                         "only root may lower a nice value here");
    return rc < 0 ? fail_control(pid, -rc, what, err) : 0;
}
