/* The mechanisms that stop the program: plain ptrace, and ptrace with a seccomp filter. */
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/ptrace/events.h"
#include "backends/ptrace/filter.h"

/* --- what works here --- */

/* Tries to stop and inspect a child. Returns 0 or an errno. */
static int try_child(pid_t child)
{
    struct __ptrace_syscall_info info;
    int status, rc = 0;
    if (ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0)
        return errno;
    if (ptrace(PTRACE_INTERRUPT, child, 0, 0) != 0 || waitpid(child, &status, __WALL) != child ||
        !WIFSTOPPED(status))
        return EPERM;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0)
        rc = errno;
    return rc;
}

static int try_ptrace(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    const int code = child < 0 ? errno : try_child(child);
    if (child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* The process that traces us, and thus the programs that we start; 0 or less: none. */
static long own_tracer(void)
{
    return status_number(getpid(), "TracerPid");
}

static void probe_ptrace(struct tracer_state *out)
{
    const int code = try_ptrace();
    const long scope = file_number("/proc/sys/kernel/yama/ptrace_scope", 0);
    *out = (struct tracer_state){.works = code == 0};
    if (code == EIO || code == EINVAL)
        snprintf(out->why, sizeof out->why, "PTRACE_GET_SYSCALL_INFO: needs Linux 5.3");
    else if (code == EPERM && own_tracer() > 0)
        snprintf(out->why, sizeof out->why,
                 "process %ld traces rooftop, and a program can have one tracer", own_tracer());
    else if (code != 0) {
        snprintf(out->why, sizeof out->why, "ptrace: %s; a container's seccomp profile, or Yama",
                 strerror(code));
        snprintf(out->enable, sizeof out->enable, "%s",
                 scope == 3 ? "reboot with kernel.yama.ptrace_scope below 3"
                            : "docker run --cap-add=SYS_PTRACE ...");
    } else if (scope > 0 && geteuid() != 0) {
        snprintf(out->why, sizeof out->why, "commands yes, -p no: kernel.yama.ptrace_scope is %ld",
                 scope);
        snprintf(out->enable, sizeof out->enable, "sysctl kernel.yama.ptrace_scope=0");
    } else
        snprintf(out->why, sizeof out->why,
                 "about 5 us a call where tracer and program share a CPU");
}

static void probe_seccomp(struct tracer_state *out)
{
    const uint32_t action = SECCOMP_RET_TRACE;
    probe_ptrace(out);
    if (!out->works)
        return;
    out->enable[0] = '\0';
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) {
        out->works = false;
        snprintf(out->why, sizeof out->why, "seccomp: %s", strerror(errno));
    } else
        snprintf(out->why, sizeof out->why, "with --calls: other calls run at full speed");
}

static bool suits(const struct tracer_setup *setup, struct error *why)
{
    (void)setup;
    (void)why;
    return true;
}

static bool suits_seccomp(const struct tracer_setup *setup, struct error *why)
{
    const char *lacks;
    if (!setup->argv)
        lacks = "a filter cannot be given to a process that runs already";
    else if (!setup->calls)
        lacks = "all calls are wanted: there is nothing to leave out";
    else if (!setup->follow) /* RET_TRACE without a tracer makes a call fail. */
        lacks = "child processes would keep the filter and have no tracer; add -f";
    else
        return true;
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "seccomp", "%s", lacks);
    return false;
}

/* --- the run --- */

static int begin_tracing(struct tracees *t, const struct tracer_setup *setup,
                         const struct sock_fprog *filter, struct error *err)
{
    if (setup->argv) {
        const struct held_command c = {.argv = setup->argv, .envp = setup->envp, .filter = filter};
        return tracees_start(t, &c, err);
    }
    int rc = 0;
    uint32_t attached = 0;
    for (uint32_t i = 0; i < setup->npids && rc == 0; i++) {
        rc = tracees_attach(t, setup->pids[i], err);
        attached += rc == 0;
        if (rc == -ESRCH && setup->some)
            rc = 0;
    }
    return rc == 0 && setup->npids && attached == 0 ? -ESRCH : rc;
}

static int trace_with_ptrace(const struct tracer_setup *setup, const struct sock_fprog *filter,
                             const struct syscall_sink *sink, struct tracer_result *result,
                             struct error *err)
{
    struct tracees t;
    struct trace_events x = {
        .setup = setup,
        .sink = sink,
        .result = result,
        .stacks = setup->stacks ? call_stacks_new(setup->stacks, setup->stack_depth) : NULL,
        .way = filter ? SYSCALL_BY_SECCOMP : SYSCALL_BY_PTRACE};
    const struct tracees_setup how = {.hooks = &trace_event_hooks,
                                      .ctx = &x,
                                      .mode = filter ? TRACEE_AT_CHOSEN : TRACEE_AT_CALLS,
                                      .follow = setup->follow,
                                      .same_cpu = setup->same_cpu,
                                      .stop_signal = setup->stop_signal,
                                      .stop_ctx = setup->ctx};
    *result = (struct tracer_result){0};
    tracees_open(&t, &how);
    int rc = begin_tracing(&t, setup, filter, err);
    if (rc == 0)
        rc = tracees_run(&t, err);
    result->ended = t.command_ended;
    result->status = t.command_ended ? t.command_status : 0;
    tracees_close(&t);
    trace_events_tell_stacks(&x);
    call_stacks_free(x.stacks);
    return rc;
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    return trace_with_ptrace(setup, NULL, sink, result, err);
}

static int run_seccomp(const struct tracer_setup *setup, const struct syscall_sink *sink,
                       struct tracer_result *result, struct error *err)
{
    struct sock_fprog filter;
    const struct filter_also also = {.affinity = setup->same_cpu, .mappings = setup->stacks};
    if (!filter_make(setup->calls, also, &filter))
        return error_set(err, ERROR_UNSUPPORTED, E2BIG, "use --by ptrace", "seccomp",
                         "the expression needs a filter that is too long");
    const int rc = trace_with_ptrace(setup, &filter, sink, result, err);
    free(filter.filter);
    return rc;
}

const struct tracer_ops tracer_ptrace = {
    .name = "ptrace",
    .summary = "stops the program at each call; needs no rights",
    .probe = probe_ptrace,
    .suits = suits,
    .run = run,
};

const struct tracer_ops tracer_seccomp = {
    .name = "seccomp",
    .summary = "stops the program at the calls of --calls only; needs no rights",
    .for_rare = true,
    .probe = probe_seccomp,
    .suits = suits_seccomp,
    .run = run_seccomp,
};
