/* More programs that are hard to trace. Those that count mark themselves by calls of getppid. */
#include "support/traced_hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void mark(int n)
{
    while (n-- > 0)
        syscall(SYS_getppid);
}

/* What waitpid says of a child: its status, or minus the signal that ended it. */
static int await(pid_t pid)
{
    int status = 0;
    if (waitpid(pid, &status, 0) != pid)
        return -1000;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A child forks again and again while this process executes itself n times. */
static int run_fork_while_exec(int argc, char **argv)
{
    const int n = atoi(argv[2]);
    char left[16], child[16];
    pid_t pid = argc > 3 ? atoi(argv[3]) : fork();
    if (pid == 0) {
        for (int i = 0; i < 50; i++) {
            const pid_t grandchild = fork();
            if (grandchild == 0) {
                mark(1);
                _exit(i);
            }
            if (await(grandchild) != i)
                _exit(99);
        }
        _exit(7);
    }
    if (n > 0) {
        snprintf(left, sizeof left, "%d", n - 1);
        snprintf(child, sizeof child, "%d", (int)pid);
        execl("/proc/self/exe", argv[0], argv[1], left, child, NULL);
        return 98;
    }
    printf("child %d\n", await(pid));
    return 6;
}

static pthread_barrier_t together;

static void *exit_at_once(void *arg)
{
    pthread_barrier_wait(&together);
    mark(1);
    return arg;
}

/* Threads that all exit at the same moment. */
static int run_exits_at_once(int argc, char **argv)
{
    enum { MOST = 4000 };
    static pthread_t threads[MOST];
    const int n = atoi(argv[2]);
    pthread_attr_t small;
    (void)argc;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    pthread_barrier_init(&together, NULL, (unsigned)n + 1);
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], &small, exit_at_once, NULL) != 0)
            return 97;
    pthread_barrier_wait(&together);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    printf("joined %d\n", n);
    return 8;
}

static void *spin(void *arg)
{
    for (;;)
        sched_yield();
    return arg;
}

/* One thread ends the process while many others call. */
static int run_group_exit(int argc, char **argv)
{
    pthread_t t;
    (void)argc;
    for (int i = 0; i < atoi(argv[2]); i++)
        if (pthread_create(&t, NULL, spin, NULL) != 0)
            return 97;
    mark(10);
    _exit(23);
}

/* Traces its own child, if nobody does so already. */
static int run_traces_child(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            raise(SIGSTOP);
        mark(3);
        _exit(11);
    }
    int status = 0, stops = 0;
    while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && ++stops < 100)
        ptrace(PTRACE_CONT, pid, NULL, NULL);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}

static int run_not_dumpable(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    mark(5);
    const pid_t pid = fork();
    if (pid == 0) {
        mark(5);
        _exit(4);
    }
    printf("child %d, dumpable %d\n", await(pid), prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    fflush(stdout);
    execl("/proc/self/exe", argv[0], "marks", "2", NULL);
    return 98;
}

static int run_marks(int argc, char **argv)
{
    mark(argc > 2 ? atoi(argv[2]) : 1);
    return 5;
}

static int run_closes_all(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    syscall(SYS_close_range, 0U, ~0U, 0U);
    mark(4);
    const pid_t pid = fork();
    if (pid == 0) {
        syscall(SYS_close_range, 0U, ~0U, 0U);
        mark(4);
        _exit(3);
    }
    return await(pid) == 3 ? 9 : 1;
}

/* A child, and its child, in a new namespace of process numbers (and of users where asked). */
static int run_namespace(int argc, char **argv)
{
    const uint64_t flags = CLONE_NEWPID | (argc > 2 && argv[2][0] == 'u' ? CLONE_NEWUSER : 0);
    struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD};
    const long pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid < 0) {
        printf("no namespace\n");
        return 77;
    }
    if (pid == 0) {
        const pid_t child = fork();
        if (child == 0) {
            mark(2);
            _exit(getpid() == 2 ? 12 : 13);
        }
        const int status = await(child);
        mark(2);
        _exit(getpid() == 1 ? status : 14);
    }
    printf("child %d\n", await((pid_t)pid));
    return 0;
}

/* As unshare(1) does it: the process stays outside, its next child is the first one inside. */
static int run_unshares(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
        printf("no namespace\n");
        return 77;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", argv[0], "marks", "6", NULL);
        _exit(98);
    }
    printf("child %d\n", await(pid));
    return 0;
}

/* A child is stopped and continued all the time. */
static int run_stop_storm(int argc, char **argv)
{
    int ready[2];
    (void)argc;
    if (pipe(ready) != 0)
        return 97;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)!write(ready[1], "x", 1);
        mark(2000);
        _exit(15);
    }
    char byte;
    (void)!read(ready[0], &byte, 1);
    for (int i = 0; i < atoi(argv[2]); i++) {
        kill(pid, SIGSTOP);
        kill(pid, SIGCONT);
    }
    printf("child %d\n", await(pid));
    return 0;
}

static int run_vfork_fails(int argc, char **argv)
{
    int errors[3] = {0};
    (void)argc;
    (void)argv;
    for (volatile int i = 0; i < 20; i++) {
        volatile int failed = 0;
        const pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): meant */
        if (pid == 0) {
            execl("/nonexistent/program", "program", NULL);
            failed = errno; /* NOLINT(clang-analyzer-unix.Vfork): the parent reads it */
            _exit(21);
        }
        errors[0] += failed == ENOENT;
        errors[1] += await(pid) == 21;
        mark(1);
    }
    for (int i = 0; i < 20; i++) {
        pid_t pid = 0;
        char *args[] = {(char *)"x", NULL};
        errors[2] += posix_spawn(&pid, "/nonexistent/program", NULL, NULL, args, environ) == ENOENT;
        mark(1);
    }
    printf("%d %d %d\n", errors[0], errors[1], errors[2]);
    return 0;
}

static int copy_self(int to)
{
    char buffer[1 << 16];
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t n;
    while ((n = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)n) != n)
            return -1;
    close(from);
    return n == 0 ? 0 : -1;
}

/* The file of the running program is removed; it executes it again all the same. */
static int run_deleted(int argc, char **argv)
{
    char path[] = "/tmp/rooftop-deleted-XXXXXX";
    if (argc > 2) {
        unlink(argv[2]);
        const pid_t pid = fork();
        if (pid == 0) {
            execl("/proc/self/exe", argv[0], "marks", "3", NULL);
            _exit(98);
        }
        printf("child %d\n", await(pid));
        mark(3);
        return 16;
    }
    const int to = mkstemp(path);
    if (to < 0 || copy_self(to) != 0 || fchmod(to, 0700) != 0)
        return 97;
    close(to);
    execl(path, argv[0], argv[1], path, NULL);
    return 98;
}

static int run_memfd(int argc, char **argv)
{
    char *args[] = {argv[0], (char *)"marks", (char *)"9", NULL};
    (void)argc;
    const int fd = (int)syscall(SYS_memfd_create, "program", MFD_CLOEXEC);
    if (fd < 0 || copy_self(fd) != 0)
        return 97;
    syscall(SYS_execveat, fd, "", args, environ, AT_EMPTY_PATH);
    return 98;
}

static volatile sig_atomic_t alarms;

static void count_alarm(int signo)
{
    (void)signo;
    alarms++;
}

/* A timer that fires every 50 us, and calls. */
static int run_timer_storm(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = count_alarm, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    int n = 0;
    (void)argc;
    (void)argv;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (alarms < 200 && n++ < 2000000) {
        int fds[2];
        char byte = 'x';
        if (pipe(fds) != 0 || write(fds[1], &byte, 1) != 1 || read(fds[0], &byte, 1) != 1)
            return 96;
        close(fds[0]);
        close(fds[1]);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    mark(10);
    printf("alarms %d\n", alarms >= 200);
    return 17;
}

/* Scripts whose first line is as long as asked, with spaces before the interpreter. */
static int run_script(int argc, char **argv)
{
    char path[] = "/tmp/rooftop-script-XXXXXX", copy[64];
    const int length = atoi(argv[2]), fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    (void)argc;
    if (!f)
        return 97;
    fprintf(f, "#!%*s\nexit 18\n", length - 3, "/bin/sh");
    fchmod(fd, 0700);
    fclose(f);
    const pid_t pid = fork();
    if (pid == 0) {
        execl(path, path, NULL);
        snprintf(copy, sizeof copy, "%s\n", strerrorname_np(errno));
        (void)!write(STDOUT_FILENO, copy, strlen(copy));
        _exit(19);
    }
    printf("script %d\n", await(pid));
    unlink(path);
    return 0;
}

/* A process gets the number of an earlier one three times. 77: needs a right, or the number was
 * taken meanwhile. */
static int run_same_number(int argc, char **argv)
{
    pid_t wanted = fork();
    (void)argc;
    (void)argv;
    if (wanted == 0)
        _exit(0);
    await(wanted);
    for (int i = 0; i < 3; i++) {
        struct clone_args args = {
            .exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&wanted, .set_tid_size = 1};
        const long pid = syscall(SYS_clone3, &args, sizeof args);
        if (pid < 0)
            return 77;
        if (pid == 0) {
            mark(i + 1);
            if (i == 1)
                kill(getpid(), SIGKILL);
            _exit(30 + i);
        }
        printf("%d\n", await((pid_t)pid));
    }
    return 0;
}

int traced_hostile(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } list[] = {{"fork-while-exec", run_fork_while_exec},
                {"exits-at-once", run_exits_at_once},
                {"group-exit", run_group_exit},
                {"traces-child", run_traces_child},
                {"not-dumpable", run_not_dumpable},
                {"marks", run_marks},
                {"closes-all", run_closes_all},
                {"namespace", run_namespace},
                {"unshares", run_unshares},
                {"stop-storm", run_stop_storm},
                {"vfork-fails", run_vfork_fails},
                {"deleted", run_deleted},
                {"memfd", run_memfd},
                {"timer-storm", run_timer_storm},
                {"script", run_script},
                {"same-number", run_same_number}};
    for (size_t i = 0; argc > 1 && i < sizeof list / sizeof *list; i++)
        if (strcmp(argv[1], list[i].name) == 0) {
            const int status = list[i].run(argc, argv);
            fflush(stdout);
            return status;
        }
    return -1;
}
