#include "backends/perf_common/target_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/common/advice.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/tasks.h"
#include "base/env.h"
#include "base/owner.h"

/* Opens an event that counts nothing, only to learn whether we may. */
static int may_watch(const struct perf_sys *sys, pid_t pid)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_DUMMY,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    int fd = sys->open(sys->ctx, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return fd;
    sys->close(sys->ctx, fd);
    return 0;
}

static int check_pid(const struct perf_sys *sys, const struct perf_context *c, pid_t pid,
                     uid_t *owner, struct error *err)
{
    char path[512], what[64];
    struct stat st;
    snprintf(what, sizeof what, "watch process %d", (int)pid);
    if (pid > 0 && owner_process_hidden(pid))
        return error_set(err, ERROR_PERMISSION, EPERM, "as its user, or " ADVICE_HIDEPID, what,
                         "it is another user's, and /proc hides it (hidepid)");
    if (pid <= 0 || stat(env_path(path, sizeof path, "/proc/%d", (int)pid), &st))
        return error_set(err, ERROR_TARGET, ESRCH, "list processes with `ps -e` or start `rooftop`",
                         what, "no such process");
    if (!task_alive(pid))
        return error_set(err, ERROR_TARGET, ESRCH, "watch its parent: rooftop shows its number",
                         what, "it has ended, and its parent has not waited for it (a zombie)");
    *owner = st.st_uid;
    /* The first event on a machine takes 10 ms to open, so open one only if it may be refused. */
    if (st.st_uid == c->uid || c->cap_sys_ptrace || perf_context_privileged(c))
        return 0;
    int rc = may_watch(sys, pid);
    if (rc == -ESRCH)
        return error_set(err, ERROR_TARGET, ESRCH, "list processes with `ps -e` or start `rooftop`",
                         what, "the process has ended");
    if (rc == -EACCES || rc == -EPERM) {
        struct explanation why;
        explain(c,
                &(struct explain_query){
                    .err = -rc, .kind = TARGET_PIDS, .event = EXPLAIN_SOFTWARE, .owner = st.st_uid},
                &why);
        return error_set(err, ERROR_PERMISSION, -rc, why.help, what, "%s", why.why);
    }
    return 0;
}

int target_check_pids(const struct perf_sys *sys, const struct perf_context *c, const pid_t *pids,
                      size_t n, uid_t *owner, struct error *err)
{
    for (size_t i = n; i-- > 0;) {
        int rc = check_pid(sys, c, pids[i], owner, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int target_open_cgroup(const char *path, int *fd, struct error *err)
{
    char full[512], what[192];
    if (path[0] == '/')
        env_path(full, sizeof full, "%s", path);
    else
        env_path(full, sizeof full, "/sys/fs/cgroup/%s", path);
    snprintf(what, sizeof what, "watch cgroup %.170s", path);
    *fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) {
        int e = errno;
        if (e == EACCES || e == EPERM)
            return error_set(err, ERROR_PERMISSION, e, "run rooftop with sudo", what,
                             "its directory may not be opened");
        return error_set(err, ERROR_TARGET, e, "list cgroups with `systemd-cgls`", what,
                         "no such cgroup directory");
    }
    if (faccessat(*fd, "cgroup.procs", F_OK, 0)) {
        close(*fd);
        *fd = -1;
        return error_set(err, ERROR_TARGET, EINVAL, "name a directory under /sys/fs/cgroup", what,
                         "the directory is not a cgroup");
    }
    return 0;
}
