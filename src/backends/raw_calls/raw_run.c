#include "backends/raw_calls/raw_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "base/env.h"

static int watch_raw_thread(struct raw_run *r, pid_t pid, pid_t tid, bool prelude)
{
    const int rc = r->watch(r->ctx, pid, tid);
    const struct raw_start start = {.pid = pid, .tid = tid, .ns = env_now_ns(), .prelude = prelude};
    /* The start is reported only when the thread is recorded: what reads the report may then let
     * the program go on. */
    if (rc > 0)
        raw_calls_started(r->raw, &start);
    if (rc > 0 && !prelude && r->attached)
        r->attached(r->ctx, pid, tid);
    return rc;
}

int raw_run_command(struct raw_run *r)
{
    const int rc = watch_raw_thread(r, r->held.pid, r->held.pid, true);
    return rc < 0 ? rc : held_go(&r->held);
}

/* *listed: how many threads the list has. */
static int watch_listed(struct raw_run *r, pid_t pid, long *listed)
{
    char path[64];
    int n = 0, rc = 0;
    *listed = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -ESRCH;
    for (struct dirent *e; rc >= 0 && (e = readdir(dir));) {
        const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        *listed += tid > 0;
        rc = tid > 0 ? watch_raw_thread(r, pid, tid, false) : 0;
        n += rc > 0;
    }
    closedir(dir);
    return rc < 0 ? rc : n;
}

/* The list of /proc may leave threads out while others end: then it is shorter than their number,
 * and is read again. */
int raw_run_threads(struct raw_run *r, pid_t pid)
{
    enum { READINGS = 8 };
    long listed;
    int n = watch_listed(r, pid, &listed);
    for (int i = 1; i < READINGS && n == 0 && status_number(pid, "Threads") > listed; i++)
        n = watch_listed(r, pid, &listed);
    return n;
}

int raw_run_attach(struct raw_run *r, int (*attach)(void *ctx, pid_t pid, struct error *err),
                   struct error *err)
{
    const struct tracer_setup *setup = r->raw->setup;
    for (uint32_t i = 0; i < setup->npids; i++) {
        const int rc =
            setup->pids[i] == getpid()
                ? error_set(err, ERROR_TARGET, EINVAL, NULL, "trace", "rooftop cannot trace itself")
                : attach(r->ctx, setup->pids[i], err);
        if (rc != 0 && (rc != -ESRCH || !setup->some))
            return rc;
    }
    return 0;
}

const char *raw_run_absent(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH ? "there is no such process"
                                               : "it has ended already";
}

static bool command_runs(const struct raw_run *r)
{
    return r->held.pid > 0 && !r->raw->result->ended;
}

void raw_run_look(struct raw_run *r)
{
    const struct tracer_setup *setup = r->raw->setup;
    int status;
    if (command_runs(r) && waitpid(r->held.pid, &status, WNOHANG | __WALL) == r->held.pid) {
        r->raw->result->ended = true;
        r->raw->result->status = status;
    }
    const int signo = setup->stop_signal ? setup->stop_signal(setup->ctx) : 0;
    if (signo != 0 && !command_runs(r))
        r->stopping = true;
    else if (signo > 0)
        kill(r->held.pid, signo);
}

bool raw_run_over(const struct raw_run *r, bool idle)
{
    return r->stopping || (!command_runs(r) && idle);
}
