/* What takes away from the recorder what it needs: sandbox.c strict|filter|trap|tsc|gs|
 * dumpable|signal; vfork: a child changes what it has of SIGSYS, its maker keeps its own. */
#include <asm/prctl.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* From now on getppid gets this answer. */
static int filter_getppid(unsigned action)
{
    struct sock_filter list[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof list / sizeof *list, list};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void be_filtered(void)
{
    int status = 0;
    const int rc = filter_getppid(SECCOMP_RET_ERRNO | 77);
    const long answer = syscall(SYS_getppid);
    printf("%d %ld %d\n", rc, answer, errno);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/echo", "echo", "child", (char *)NULL);
        _exit(9);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
}

static void be_strict(void)
{
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    const ssize_t n = write(1, "strict\n", 7);
    syscall(SYS_exit, n == 7 ? 3 : 4);
}

static void set_gs(void)
{
    unsigned long gs = 0;
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0x1234UL);
    syscall(SYS_arch_prctl, ARCH_GET_GS, &gs);
    printf("gs %lx\n", gs);
}

/* The kernel then allows no other tracer than one of root's, or one that is there already. */
static void be_not_dumpable(char **argv)
{
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    printf("dumpable %d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    fflush(stdout);
    execl("/proc/self/exe", argv[0], "gs", (char *)NULL);
}

static void keep_signal(void)
{
    sigset_t set;
    struct sigaction action;
    signal(SIGSYS, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    sigprocmask(SIG_BLOCK, &set, NULL);
    const pid_t child = vfork(); /* NOLINT: posix_spawn does that, too */
    if (child == 0) {
        signal(SIGSYS, SIG_DFL);              /* NOLINT */
        sigprocmask(SIG_UNBLOCK, &set, NULL); /* NOLINT */
        _exit(0);
    }
    waitpid(child, NULL, 0);
    sigprocmask(SIG_BLOCK, NULL, &set);
    sigaction(SIGSYS, NULL, &action);
    printf("blocked %d ignored %d\n", sigismember(&set, SIGSYS), action.sa_handler == SIG_IGN);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "strict") == 0)
        be_strict();
    if (strcmp(how, "filter") == 0)
        be_filtered();
    if (strcmp(how, "trap") == 0 && filter_getppid(SECCOMP_RET_TRAP) == 0)
        syscall(SYS_getppid);
    if (strcmp(how, "tsc") == 0) {
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
        printf("no counter %d\n", getppid() > 0);
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    }
    if (strcmp(how, "gs") == 0)
        set_gs();
    if (strcmp(how, "dumpable") == 0)
        be_not_dumpable(argv);
    if (strcmp(how, "signal") == 0)
        raise(SIGSYS);
    if (strcmp(how, "vfork") == 0)
        keep_signal();
    return 0;
}
