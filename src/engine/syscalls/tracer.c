/* Chooses and runs the mechanism that traces system calls. */
#include "engine/syscalls/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "engine/syscalls/roles.h"

/* Calls that programs make often. If one of them is wanted, seccomp stops the program so often that
 * a mechanism without stops is faster. */
static const char *const frequent[] = {
    "read",           "write",         "readv",         "writev",   "pread64", "pwrite64",
    "lseek",          "futex",         "poll",          "ppoll",    "select",  "pselect6",
    "epoll_wait",     "epoll_pwait",   "sendto",        "recvfrom", "sendmsg", "recvmsg",
    "ioctl",          "fcntl",         "close",         "stat",     "fstat",   "newfstatat",
    "mmap",           "munmap",        "madvise",       "brk",      "getpid",  "sched_yield",
    "rt_sigprocmask", "clock_gettime", "io_uring_enter"};

static bool only_rare(const struct syscall_filter *calls)
{
    for (size_t i = 0; i < sizeof frequent / sizeof *frequent; i++) {
        const int number = syscall_number(SYSCALL_X86_64, frequent[i]);
        if (number >= 0 && syscall_filter_wants(calls, SYSCALL_X86_64, (uint32_t)number))
            return false;
    }
    return true;
}

/* Whether the mechanism can do what is asked; if not, why says what it lacks. */
static bool is_tracer_usable(const struct tracer_ops *ops, const struct tracer_setup *setup,
                             struct error *why)
{
    struct tracer_state state;
    if (!ops->suits(setup, why))
        return false;
    ops->probe(&state);
    if (!state.works)
        error_set(why, ERROR_UNSUPPORTED, ENOTSUP, state.enable[0] ? state.enable : NULL, ops->name,
                  "%s", state.why);
    return state.works;
}

static const struct tracer_ops *tracer_of_name(const struct tracer_setup *setup, const char *name,
                                               struct error *err)
{
    char known[192] = "";
    for (size_t i = 0; tracers[i]; i++) {
        if (strcmp(tracers[i]->name, name) == 0)
            return is_tracer_usable(tracers[i], setup, err) ? tracers[i] : NULL;
        const size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", tracers[i]->name);
    }
    error_set(err, ERROR_USAGE, EINVAL, NULL, "--by", "'%s' is no mechanism; there are %s", name,
              known);
    return NULL;
}

const struct tracer_ops *tracer_choose(const struct tracer_setup *setup, const char *name,
                                       struct error *err)
{
    char lacks[sizeof err->why] = "", help[sizeof err->help] = "";
    struct error why = ERROR_INIT;
    if (name)
        return tracer_of_name(setup, name, err);
    const bool rare = !setup->inject && only_rare(setup->calls);
    for (size_t i = 0; rare && tracers[i]; i++)
        if (tracers[i]->for_rare && is_tracer_usable(tracers[i], setup, &why))
            return tracers[i];
    for (size_t i = 0; tracers[i]; i++) {
        if (is_tracer_usable(tracers[i], setup, &why))
            return tracers[i];
        const size_t n = strlen(lacks);
        snprintf(lacks + n, sizeof lacks - n, "%s%s: %.100s", n ? "; " : "", tracers[i]->name,
                 why.why);
        if (!help[0])
            memcpy(help, why.help, sizeof help);
    }
    error_set(err, ERROR_UNSUPPORTED, ENOTSUP, help[0] ? help : NULL, "trace system calls", "%s",
              lacks);
    return NULL;
}

/* The next one after `ops` that works and suits, or NULL. Starts at the first if ops is not listed.
 */
static const struct tracer_ops *next_usable(const struct tracer_ops *ops,
                                            const struct tracer_setup *setup)
{
    size_t i = 0;
    while (tracers[i] && tracers[i] != ops)
        i++;
    struct error why = ERROR_INIT;
    for (i = tracers[i] ? i + 1 : 0; tracers[i]; i++)
        if (is_tracer_usable(tracers[i], setup, &why))
            return tracers[i];
    return NULL;
}

static void add_tracer_note(struct tracer_result *result, const char *failed, const char *why,
                            const char *used)
{
    size_t i = 0;
    while (i + 1 < TRACER_NOTES && result->notes[i][0])
        i++;
    print_line(result->notes[i], sizeof result->notes[i], "%s is used, not %s: %.120s", used,
               failed, why);
}

int tracer_run(const struct tracer_ops *ops, const struct tracer_setup *setup, const char *name,
               const struct syscall_sink *sink, struct tracer_result *result, struct error *err)
{
    struct error first = ERROR_INIT;
    const char *failed = ops->name;
    /* Fills the tables of calls before the command is forked: later each page written would be
     * copied. */
    syscall_duty(SYSCALL_X86_64, 0);
    int rc = ops->run(setup, sink, result, err);
    while (rc != 0 && !name && (err->kind == ERROR_UNSUPPORTED || err->kind == ERROR_PERMISSION)) {
        const struct tracer_ops *next = next_usable(ops, setup);
        if (!next)
            break;
        if (first.kind == ERROR_NONE)
            first = *err;
        *err = (struct error)ERROR_INIT;
        ops = next;
        rc = ops->run(setup, sink, result, err);
    }
    if (first.kind != ERROR_NONE && rc == 0)
        add_tracer_note(result, failed, first.why, ops->name);
    return rc;
}
