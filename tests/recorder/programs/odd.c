/* Programs that do one rare thing each, always with the same calls: odd.c NAME. 77: not allowed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 65536, NOT_ALLOWED = 77, DESCRIPTORS = 3000 };

static void mark(int n)
{
    for (int i = 0; i < n; i++)
        syscall(SYS_getppid);
}

static int await(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int set_answer(void *answer)
{
    mark(4);
    *(volatile int *)answer = 42;
    return 7;
}

/* Processes that share memory, files or handlers with their maker, and are no threads of it. */
static int run_shares(void)
{
    static const int flags[] = {CLONE_VM | SIGCHLD,
                                CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND | SIGCHLD,
                                CLONE_FILES | SIGCHLD, CLONE_VM | CLONE_VFORK | SIGCHLD};
    static _Alignas(16) char stack[4][STACK];
    int sum = 0, answer = 0;
    for (int i = 0; i < 4; i++)
        sum += await(clone(set_answer, stack[i] + STACK, flags[i], &answer));
    return sum == 28 && answer == 42 ? 0 : 1;
}

/* A process whose parent is not its maker. */
static int run_sibling(void)
{
    const pid_t maker = fork();
    if (maker == 0) {
        const long made = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (made == 0)
            mark(2);
        _exit(3);
    }
    int status;
    const int first = await(maker);
    return wait(&status) > 0 && first == 3 && WEXITSTATUS(status) == 3 ? 0 : 1;
}

static int run_long_paths(void)
{
    static char path[70000];
    char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int n = 4090; n <= 4100; n++) {
        memset(path, 'a', (size_t)n);
        path[n] = '\0';
        if (open(path, O_RDONLY) >= 0)
            return 1;
    }
    for (int n = 1; n < 65536; n *= 2) {
        memset(path, '/', (size_t)n);
        path[n] = '\0';
        if (access(path, F_OK) == 0 && n > 4096)
            return 1;
    }
    if (munmap(end + 4096, 4096) != 0)
        return 1;
    memcpy(end + 4091, "/etc", 5); /* its end is the end of the mapping */
    return open(end + 4091, O_RDONLY) >= 0 && open(end + 4096, O_RDONLY) < 0 ? 0 : 1;
}

static int run_descriptors(void)
{
    struct rlimit many = {DESCRIPTORS + 100, DESCRIPTORS + 100};
    int ends[2];
    char byte;
    if (setrlimit(RLIMIT_NOFILE, &many) != 0)
        return NOT_ALLOWED;
    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < DESCRIPTORS; i++)
        if (dup(ends[0]) < 0)
            return 1;
    if (write(ends[1], "x", 1) != 1 || read(DESCRIPTORS / 2, &byte, 1) != 1)
        return 1;
    return syscall(SYS_close_range, 3, ~0U, 0) == 0 ? 0 : 1;
}

static sigjmp_buf before;

static void go_back(int signo)
{
    siglongjmp(before, signo);
}

static int eat_stack(int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return n < 0 ? 0 : eat_stack(n + 1) + room[0]; /* it ends before */
}

/* The stack is full: a handler has one of its own. Then it has none. */
static int run_overflow(void)
{
    static char other[16384];
    const stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    const struct sigaction act = {.sa_handler = go_back, .sa_flags = SA_ONSTACK};
    const struct rlimit small = {1 << 20, 1 << 20};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &act, NULL);
    setrlimit(RLIMIT_STACK, &small);
    for (volatile int i = 0; i < 3; i++) {
        if (sigsetjmp(before, 1) == 0)
            eat_stack(0);
        mark(1);
    }
    const pid_t child = fork();
    if (child == 0) {
        const stack_t none = {.ss_flags = SS_DISABLE};
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        sigaltstack(&none, NULL);
        eat_stack(0);
    }
    return await(child) == 128 + SIGSEGV ? 0 : 1;
}

static int run_other_user(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return NOT_ALLOWED;
    mark(3);
    const pid_t child = fork();
    if (child == 0) {
        mark(2);
        execl("/bin/true", "true", (char *)NULL);
        _exit(9);
    }
    return await(child);
}

static int run_strict(void)
{
    const pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(NOT_ALLOWED);
        if (write(STDOUT_FILENO, "strict\n", 7) == 7)
            syscall(SYS_exit, 6);
    }
    const int status = await(child);
    return status == 6 ? 0 : status;
}

/* A filter answers a call. */
static int run_answered(void)
{
    struct sock_filter list[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getuid, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof list / sizeof *list, list};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return NOT_ALLOWED;
    for (int i = 0; i < 5; i++)
        if (syscall(SYS_getuid) != -1 || errno != 13)
            return 1;
    mark(2);
    return 0;
}

static pthread_t first;

static void *go_on(void *unused)
{
    pthread_join(first, NULL);
    mark(5);
    exit(8);
    return unused;
}

static int run_first_ends(void)
{
    pthread_t other;
    first = pthread_self();
    if (pthread_create(&other, NULL, go_on, NULL) != 0)
        return 1;
    pthread_exit(NULL);
}

static int run_unknown(void)
{
    static const long numbers[] = {511, 600, 100000};
    int refused = 0;
    for (int i = 0; i < 3; i++)
        refused += syscall(numbers[i], 0, 0, 0, 0, 0, 0) == -1 && errno == ENOSYS;
    return refused == 3 ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } list[] = {{"shares", run_shares},         {"sibling", run_sibling},
                {"long-paths", run_long_paths}, {"descriptors", run_descriptors},
                {"overflow", run_overflow},     {"other-user", run_other_user},
                {"strict", run_strict},         {"answered", run_answered},
                {"first-ends", run_first_ends}, {"unknown", run_unknown}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (argc > 1 && strcmp(argv[1], list[i].name) == 0)
            return list[i].run();
    return 2;
}
