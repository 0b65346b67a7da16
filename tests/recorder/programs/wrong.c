/* Calls with wrong addresses and numbers: the kernel's answers, not a crash. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void try(const char *name, long result)
{
    printf("%s %ld %d\n", name, result, errno);
    errno = 0;
}

int main(void)
{
    char *const bad = (char *)8; /* NOLINT: a wrong address is what is tried */
    sigset_t all;
    const struct timespec soon = {.tv_nsec = 1000};
    try("sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, bad, NULL, 8));
    try("sigaction", syscall(SYS_rt_sigaction, SIGSYS, bad, NULL, 8));
    try("sigaction", syscall(SYS_rt_sigaction, SIGUSR1, bad, NULL, 8));
    try("size", syscall(SYS_rt_sigaction, SIGSYS, NULL, NULL, 4));
    try("execve", syscall(SYS_execve, bad, NULL, NULL));
    try("arguments", syscall(SYS_execve, "/bin/true", bad, bad));
    try("clone3", syscall(SYS_clone3, bad, 88));
    try("sigsuspend", syscall(SYS_rt_sigsuspend, bad, 8));
    try("-1", syscall(-1));
    try("700", syscall(700));
    sigfillset(&all);
    try("ppoll", ppoll(NULL, 0, &soon, &all));
    try("pselect", syscall(SYS_pselect6, 0, NULL, NULL, NULL, &soon, bad));
    return 0;
}
