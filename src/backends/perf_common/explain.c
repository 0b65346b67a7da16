#include "backends/perf_common/explain.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/common/advice.h"
#include "backends/perf_event/encoding.h"

static void say_explanation(struct explanation *x, enum error_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say_explanation_help(struct explanation *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void say_explanation(struct explanation *x, enum error_kind kind, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    x->kind = kind;
    vsnprintf(x->why, sizeof x->why, fmt, ap);
    va_end(ap);
}

static void say_explanation_help(struct explanation *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x->help, sizeof x->help, fmt, ap);
    va_end(ap);
}

enum explain_event explain_event_of(const struct perf_encoding *enc)
{
    if (enc->scope == EVENT_UNCORE)
        return EXPLAIN_UNCORE;
    if (enc->type == PERF_TYPE_TRACEPOINT)
        return EXPLAIN_TRACEPOINT;
    if (enc->type == PERF_TYPE_SOFTWARE || enc->type == PERF_TYPE_BREAKPOINT)
        return EXPLAIN_SOFTWARE;
    return EXPLAIN_HARDWARE;
}

/* Source: Documentation/admin-guide/sysctl/kernel.rst, perf_event_paranoid */
static int explain_needed_level(enum target_kind kind, enum explain_event event)
{
    if (event == EXPLAIN_TRACEPOINT)
        return -1;
    if (event == EXPLAIN_UNCORE || kind == TARGET_HOST || kind == TARGET_CGROUP)
        return 0;
    return 1;
}

static const char *level_means(int level)
{
    if (level >= 4)
        return "Ubuntu's level that refuses perf_event to every unprivileged process";
    if (level == 3)
        return "Debian's level that refuses perf_event to every process without CAP_SYS_ADMIN";
    if (level == 2)
        return "the kernel and other CPUs' work may not be counted without CAP_PERFMON";
    if (level == 1)
        return "whole CPUs may not be counted without CAP_PERFMON";
    return "raw tracepoints may not be counted without CAP_PERFMON";
}

static void in_container(const struct perf_context *c, struct explanation *x, const char *code)
{
    const char *tool = strcmp(c->container, "podman") ? "docker" : "podman";
    say_explanation(x, ERROR_PERMISSION,
                    "the container (%s) filters perf_event_open with seccomp: %s",
                    c->container[0] ? c->container : "seccomp filter", code);
    say_explanation_help(
        x,
        "start the container with `%s run --cap-add PERFMON`; where that is not enough, with a "
        "seccomp profile that allows perf_event_open as well",
        tool);
}

static void explain_eacces(const struct perf_context *c, const struct explain_query *q,
                           struct explanation *x)
{
    const char *code = q->err == EPERM ? "EPERM" : "EACCES";
    int need = explain_needed_level(q->kind, q->event);
    bool confined = c->container[0] || c->seccomp;
    if (q->kind == TARGET_PIDS && q->owner != c->uid && q->event != EXPLAIN_UNCORE &&
        !(c->cap_perfmon || c->cap_sys_ptrace || c->cap_sys_admin)) {
        say_explanation(x, ERROR_PERMISSION, "the process belongs to user %u, not to us (%s)",
                        (unsigned)q->owner, code);
        say_explanation_help(x, "run rooftop as that user, or with sudo");
    } else if (confined && (q->err == EPERM || perf_context_privileged(c))) {
        in_container(c, x, code);
    } else if (q->err == EPERM && c->lockdown[0] && strcmp(c->lockdown, "none")) {
        say_explanation(x, ERROR_PERMISSION, "kernel lockdown (%s) refuses it (EPERM)",
                        c->lockdown);
        say_explanation_help(
            x, "lockdown guards the kernel against root too: only who answers for this machine "
               "should boot it without (kernel parameter lockdown=none)");
    } else if (c->paranoid != PARANOID_UNKNOWN && c->paranoid > need &&
               !perf_context_privileged(c)) {
        say_explanation(x, ERROR_PERMISSION, "kernel.perf_event_paranoid is %d: %s (%s)",
                        c->paranoid, level_means(perf_context_level(c)), code);
        char advice[ADVICE_BYTES];
        if (need < 0)
            say_explanation_help(x, perf_context_level(c) >= 3
                                        ? "run rooftop with sudo"
                                        : "run rooftop with sudo; or for those who may execute "
                                          "it: `sudo setcap cap_perfmon+ep $(command -v "
                                          "rooftop)` (setcap -r undoes it)");
        else
            say_explanation_help(x, "%s%s", c->container[0] ? "on the host: " : "",
                                 advice_paranoid(c->paranoid, need, advice));
    } else if (confined) {
        in_container(c, x, code);
    } else {
        say_explanation(x, ERROR_PERMISSION, "a security module refuses perf_event (%s)", code);
        say_explanation_help(x, "look for the refusal with `sudo ausearch -m avc -ts recent` or "
                                "`sudo dmesg | grep -i denied`, and run rooftop with sudo");
    }
}

static void explain_enoent(const struct perf_context *c, const struct explain_query *q,
                           struct explanation *x)
{
    if (q->event == EXPLAIN_TRACEPOINT) {
        say_explanation(x, ERROR_UNSUPPORTED, "this kernel has no such tracepoint (ENOENT)");
        say_explanation_help(x, "list them with `sudo ls /sys/kernel/tracing/events`");
    } else if (q->event == EXPLAIN_HARDWARE && !c->core_pmu && c->hypervisor[0]) {
        say_explanation(x, ERROR_UNSUPPORTED,
                        "no PMU: this virtual machine is given none by its host (ENOENT)");
        say_explanation_help(
            x, "give the guest one: QEMU/KVM `-cpu host,pmu=on` (libvirt `<pmu state='on'/>`), "
               "or take a bare-metal instance");
    } else if (q->event == EXPLAIN_HARDWARE && !c->core_pmu) {
        say_explanation(x, ERROR_UNSUPPORTED,
                        "the kernel has no driver for this CPU's PMU (ENOENT)");
        say_explanation_help(
            x, "look for the reason with `sudo dmesg | grep -i 'performance events'`");
    } else {
        say_explanation(x, ERROR_UNSUPPORTED, "PMU %s does not have this event (ENOENT)",
                        q->pmu && q->pmu[0] ? q->pmu : "of this CPU");
        say_explanation_help(
            x, "choose another event; `perf list` or `rooftop doctor` show what is there");
    }
}

static void explain_emfile(const struct perf_context *c, const struct explain_query *q,
                           struct explanation *x)
{
    unsigned long want = q->files > c->files_soft ? q->files : c->files_soft * 4;
    say_explanation(x, ERROR_PERMISSION, "out of file descriptors (EMFILE): the limit is %lu",
                    c->files_soft);
    if (want <= c->files_hard)
        say_explanation_help(x, "`ulimit -n %lu` before starting rooftop, or fewer events with -e",
                             want);
    else
        say_explanation_help(
            x,
            "`sudo prlimit --nofile=%lu:%lu --pid $$` before starting rooftop, or fewer events "
            "with -e",
            want, want);
}

static void explain_einval(const struct explain_query *q, struct explanation *x)
{
    if (q->event == EXPLAIN_UNCORE && (q->kind == TARGET_PIDS || q->kind == TARGET_COMMAND))
        say_explanation(x, ERROR_UNSUPPORTED,
                        "this PMU counts the whole machine, not single tasks (EINVAL)");
    else
        say_explanation(x, ERROR_UNSUPPORTED,
                        "the PMU refuses this combination of event, modifiers and group (EINVAL)");
    say_explanation_help(x, "drop modifiers or split the group; `sudo dmesg | tail` may say more");
}

struct reason {
    int err;
    enum error_kind kind;
    const char *why, *help;
};

/* Reasons that need no context. Sources: perf_event_open(2) ERRORS; kernel/events/core.c. */
static const struct reason reasons[] = {
    {ESRCH, ERROR_TARGET, "the thread has ended (ESRCH)", ""},
    {EBUSY, ERROR_UNSUPPORTED, "another user holds the PMU exclusively (EBUSY)",
     "end the other profiler: `sudo lsof -w | grep perf_event` shows who has events open"},
    {EOPNOTSUPP, ERROR_UNSUPPORTED,
     "the PMU cannot count it this way: sampling, precision or a feature it lacks (EOPNOTSUPP)",
     "drop the :p modifiers of the event"},
    {ENODEV, ERROR_UNSUPPORTED, "this CPU model or firmware does not provide it (ENODEV)", ""},
    {ENXIO, ERROR_UNSUPPORTED, "the PMU is not present on this CPU (ENXIO)", ""},
    {E2BIG, ERROR_UNSUPPORTED, "this kernel is too old for a field that the event needs (E2BIG)",
     "use a newer kernel: `uname -r` shows the running one"},
    {ENFILE, ERROR_PERMISSION, "the whole machine is out of file handles (ENFILE)",
     "end what holds them (`sudo lsof`), or `sudo sysctl fs.file-max=2000000` until the next boot"},
    {ENOSYS, ERROR_UNSUPPORTED,
     "perf_event_open is not there (ENOSYS): a kernel without CONFIG_PERF_EVENTS, or a container's "
     "seccomp filter",
     "in a container add `--cap-add PERFMON`, and a seccomp profile that allows perf_event_open; "
     "otherwise use a kernel with CONFIG_PERF_EVENTS=y"},
    {ENOMEM, ERROR_UNSUPPORTED, "the kernel is out of memory (ENOMEM)", "free some memory"},
    {ENOSPC, ERROR_UNSUPPORTED, "no hardware slot is left for it (ENOSPC)",
     "end other users of breakpoints or of this PMU"},
    {EBADF, ERROR_TARGET, "the directory is not a cgroup that perf_event follows (EBADF)",
     "name a directory under /sys/fs/cgroup; `systemd-cgls` lists them"},
    {EINTR, ERROR_UNSUPPORTED, "interrupted by a signal (EINTR)", ""},
    {EAGAIN, ERROR_UNSUPPORTED, "the kernel was busy (EAGAIN)", ""},
    {EFAULT, ERROR_INTERNAL, "the kernel could not read the request (EFAULT)", ""},
    {EOVERFLOW, ERROR_UNSUPPORTED, "a limit of callchain depth is exceeded (EOVERFLOW)", ""},
    {EXPLAIN_STOLEN, ERROR_UNSUPPORTED,
     "its counter was taken by another user of the PMU with priority (read gave end of file)",
     "end the other profiler; if it is the watchdog: " ADVICE_WATCHDOG},
    {EXPLAIN_TOO_BIG, ERROR_UNSUPPORTED,
     "the PMU has not enough counters to count this group together",
     "ask for fewer events in one group"},
    {EXPLAIN_OFFLINE, ERROR_UNSUPPORTED, "its CPU is offline", ""},
    {EXPLAIN_SYSTEM_WIDE, ERROR_UNSUPPORTED,
     "counted for the whole machine only, not for single tasks",
     "run `rooftop` without a target to see it"},
};

void explain(const struct perf_context *c, const struct explain_query *q, struct explanation *out)
{
    *out = (struct explanation){.kind = ERROR_UNSUPPORTED};
    switch (q->err) {
    case EACCES:
    case EPERM:
        explain_eacces(c, q, out);
        return;
    case ENOENT:
        explain_enoent(c, q, out);
        return;
    case EMFILE:
        explain_emfile(c, q, out);
        return;
    case EINVAL:
        explain_einval(q, out);
        return;
    case EXPLAIN_KERNEL_ONLY:
        explain_eacces(c,
                       &(struct explain_query){
                           .err = EACCES, .kind = q->kind, .event = q->event, .owner = q->owner},
                       out);
        snprintf(out->why, sizeof out->why,
                 "it happens inside the kernel, which may not be counted at "
                 "kernel.perf_event_paranoid %d",
                 c->paranoid);
        return;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].err == q->err) {
            say_explanation(out, reasons[i].kind, "%s", reasons[i].why);
            say_explanation_help(out, "%s", reasons[i].help);
            return;
        }
    }
    say_explanation(out, ERROR_UNSUPPORTED, "%s: %s", q->reading ? "read" : "perf_event_open",
                    strerrordesc_np(q->err) ? strerrordesc_np(q->err) : "unknown error");
}
