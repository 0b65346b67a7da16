/* Names of errors and signals. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/calls.h"

/* Errors of the kernel that programs never see: a tracer does. Source: the kernel's
 * include/linux/errno.h. */
static const struct {
    int number;
    const char *name, *text;
} inner[] = {
    {512, "ERESTARTSYS", "To be restarted if SA_RESTART is set"},
    {513, "ERESTARTNOINTR", "To be restarted"},
    {514, "ERESTARTNOHAND", "To be restarted if no handler"},
    {515, "ENOIOCTLCMD", "No ioctl command"},
    {516, "ERESTART_RESTARTBLOCK", "Interrupted by signal"},
    {517, "EPROBE_DEFER", "Driver requests probe retry"},
    {518, "EOPENSTALE", "open found a stale dentry"},
    {519, "ENOPARAM", "Parameter not supported"},
    {524, "ENOTSUPP", "Operation is not supported"},
    {529, "EIOCBQUEUED", "iocb queued, will get completion event"},
};

const char *syscall_errno_name(int number)
{
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (inner[i].number == number)
            return inner[i].name;
    return number > 0 ? strerrorname_np(number) : NULL;
}

const char *syscall_errno_text(int number)
{
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (inner[i].number == number)
            return inner[i].text;
    return number > 0 ? strerrordesc_np(number) : NULL;
}

/* Numbers of x86 and arm alike. Source: asm-generic/signal.h. */
static const char *const signals[] = {
    [1] = "SIGHUP",     [2] = "SIGINT",    [3] = "SIGQUIT",   [4] = "SIGILL",   [5] = "SIGTRAP",
    [6] = "SIGABRT",    [7] = "SIGBUS",    [8] = "SIGFPE",    [9] = "SIGKILL",  [10] = "SIGUSR1",
    [11] = "SIGSEGV",   [12] = "SIGUSR2",  [13] = "SIGPIPE",  [14] = "SIGALRM", [15] = "SIGTERM",
    [16] = "SIGSTKFLT", [17] = "SIGCHLD",  [18] = "SIGCONT",  [19] = "SIGSTOP", [20] = "SIGTSTP",
    [21] = "SIGTTIN",   [22] = "SIGTTOU",  [23] = "SIGURG",   [24] = "SIGXCPU", [25] = "SIGXFSZ",
    [26] = "SIGVTALRM", [27] = "SIGPROF",  [28] = "SIGWINCH", [29] = "SIGIO",   [30] = "SIGPWR",
    [31] = "SIGSYS",    [32] = "SIGRTMIN",
};

const char *syscall_signal_name(int number)
{
    static _Thread_local char name[16];
    if (number > 0 && number <= 32)
        return signals[number];
    if (number < 1 || number > 64)
        return NULL;
    snprintf(name, sizeof name, "SIGRT_%d", number - 32);
    return name;
}
