/* Each case makes a known number of getppid calls, and prints what it saw of the world. */
#include "support/traced_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/traced_hostile.h"

static void mark(int n)
{
    while (n-- > 0)
        syscall(SYS_getppid);
}

static int run_one(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    mark(1);
    return 5;
}

static void *mark_hundred(void *arg)
{
    mark(100);
    return arg;
}

/* Starts n threads at once, with small stacks, and waits for them. */
static int run_threads(int n)
{
    pthread_t *list = calloc((size_t)n, sizeof *list);
    pthread_attr_t attr;
    int failed = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 64 * 1024);
    for (int i = 0; i < n; i++)
        failed += pthread_create(&list[i], &attr, mark_hundred, NULL) != 0;
    for (int i = 0; i < n && !failed; i++)
        pthread_join(list[i], NULL);
    free(list);
    return failed != 0;
}

static int run_many_threads(int argc, char **argv)
{
    return run_threads(argc > 2 ? atoi(argv[2]) : 8);
}

static int run_forks(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[2]) : 200;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int status;
        const pid_t pid = fork();
        if (pid == 0) {
            mark(1);
            _exit(i & 63);
        }
        waitpid(pid, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("sum %d\n", sum);
    return 0;
}

static int run_vfork(int argc, char **argv)
{
    char *const args[] = {argv[0], (char *)"one", NULL};
    int status = -1;
    (void)argc;
    const pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): meant */
    if (pid == 0) {
        execv("/proc/self/exe", args);
        _exit(99);
    }
    waitpid(pid, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 3;
}

static void *exec_one(void *arg)
{
    char **argv = arg;
    char *const args[] = {argv[0], (char *)"one", NULL};
    execv("/proc/self/exe", args);
    return NULL;
}

static void *wait_forever(void *arg)
{
    while (pause() < 0)
        ;
    return arg;
}

static int run_exec_from_thread(int argc, char **argv)
{
    pthread_t a, b;
    (void)argc;
    pthread_create(&a, NULL, wait_forever, NULL);
    pthread_create(&b, NULL, exec_one, argv);
    pthread_join(b, NULL);
    return 9;
}

/* Executes itself again n times. */
static int run_execs(int argc, char **argv)
{
    char left[16];
    char *const args[] = {argv[0], argv[1], left, NULL};
    const int n = argc > 2 ? atoi(argv[2]) : 100;
    mark(1);
    snprintf(left, sizeof left, "%d", n - 1);
    if (n > 0)
        execv("/proc/self/exe", args);
    return 6;
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signo)
{
    (void)signo;
    alarms++;
}

static void every_ms(int restart, int us)
{
    const struct itimerval each = {{0, us}, {0, us}};
    struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = restart ? SA_RESTART : 0};
    sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
}

/* A child that writes once it has been told that enough signals came, and a reader that must not
 * notice them. */
static int run_restart(int argc, char **argv)
{
    int p[2];
    char byte = 0;
    (void)argc;
    (void)argv;
    if (pipe(p) != 0)
        return 1;
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 50; i++) {
            kill(parent, SIGUSR1);
            usleep(200);
        }
        _exit(write(p[1], "x", 1) != 1);
    }
    const ssize_t n = read(p[0], &byte, 1);
    waitpid(pid, NULL, 0);
    printf("read %zd %c\n", n, byte);
    return 0;
}

static int run_restart_handled(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &sa, NULL);
    const int rc = run_restart(argc, argv);
    printf("handled %s\n", alarms > 0 ? "some" : "none");
    return rc;
}

/* Without SA_RESTART each call that waits fails with EINTR, and the program counts on it. */
static int run_interrupted(int argc, char **argv)
{
    int failed = 0;
    (void)argc;
    (void)argv;
    every_ms(0, 2000);
    for (int i = 0; i < 20; i++) {
        struct timespec t = {100, 0};
        failed += nanosleep(&t, NULL) != 0 && errno == EINTR;
    }
    printf("interrupted %s\n", failed == 20 ? "yes" : "no");
    return 0;
}

/* A child that stops itself; its parent sees that, continues it, sees that, and lets it end. */
static int run_stopped(int argc, char **argv)
{
    int status = 0, n = 0, ends[2];
    char byte = 0;
    (void)argc;
    (void)argv;
    if (pipe(ends) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid == 0) {
        raise(SIGSTOP);
        mark(1);
        _exit(read(ends[0], &byte, 1) == 1 ? 4 : 5);
    }
    waitpid(pid, &status, WUNTRACED);
    n += WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
    kill(pid, SIGCONT);
    waitpid(pid, &status, WCONTINUED);
    n += 2 * (WIFCONTINUED(status) != 0);
    if (write(ends[1], &byte, 1) != 1)
        return 1;
    waitpid(pid, &status, 0);
    printf("stopped %d exit %d\n", n, WEXITSTATUS(status));
    return 0;
}

static int run_sleep_stopped(int argc, char **argv)
{
    struct timespec t = {0, 100000000};
    (void)argc;
    (void)argv;
    const pid_t me = getpid(), pid = fork();
    if (pid == 0) {
        usleep(20000);
        kill(me, SIGSTOP);
        usleep(20000);
        kill(me, SIGCONT);
        _exit(0);
    }
    const int rc = nanosleep(&t, NULL);
    waitpid(pid, NULL, 0);
    printf("sleep %d\n", rc);
    return 0;
}

static int run_fault(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    raise(SIGUSR2);
    return 1;
}

static int run_arguments(int argc, char **argv)
{
    enum { EACH = 100 * 1024, N = 100 };
    if (argc > 2) {
        size_t sum = 0;
        for (int i = 2; i < argc; i++)
            sum += strlen(argv[i]);
        printf("%zu bytes\n", sum);
        return 0;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? (rlim_t)64 << 20 : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
    char *big = malloc(EACH), *args[N + 3] = {argv[0], argv[1]};
    memset(big, 'a', EACH - 1);
    big[EACH - 1] = '\0';
    for (int i = 0; i < N; i++)
        args[i + 2] = big;
    execv("/proc/self/exe", args);
    free(big);
    printf("too many\n");
    return 0;
}

/* How many CPUs it may use, here and in a child, and what the kernel really allows the child. */
static int run_cpus(int argc, char **argv)
{
    cpu_set_t set;
    char line[256];
    (void)argc;
    (void)argv;
    mark(200);
    sched_getaffinity(0, sizeof set, &set);
    printf("mine %d\n", CPU_COUNT(&set));
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        FILE *f = fopen("/proc/self/status", "r");
        sched_getaffinity(0, sizeof set, &set);
        printf("child %d\n", CPU_COUNT(&set));
        while (argc > 2 && f && fgets(line, sizeof line, f))
            if (strncmp(line, "Cpus_allowed_list", 17) == 0)
                printf("%s", line);
        fflush(stdout);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    printf("set %d", sched_setaffinity(0, sizeof set, &set));
    sched_getaffinity(0, sizeof set, &set);
    printf(" then %d\n", CPU_COUNT(&set));
    return 0;
}

/* --- those that others attach to: they say when they are ready on fd 1, and end when fd 0 does ---
 */

static volatile int over;

static void *keep_going(void *arg)
{
    long *count = arg;
    while (!over) {
        mark(1);
        __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
        usleep(100000);
    }
    return NULL;
}

static int run_crowd(int argc, char **argv)
{
    enum { MOST = 1000 };
    static long counts[MOST];
    static pthread_t list[MOST];
    const int n = argc > 2 ? atoi(argv[2]) : MOST;
    char byte;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 64 * 1024);
    for (int i = 0; i < n; i++)
        if (pthread_create(&list[i], &attr, keep_going, &counts[i]) != 0)
            return 1;
    printf("ready\n");
    fflush(stdout);
    /* Each byte that is sent is answered once every thread has moved on. */
    while (read(0, &byte, 1) == 1) {
        static long before[MOST];
        memcpy(before, counts, sizeof before);
        for (int i = 0; i < n; i++)
            while (__atomic_load_n(&counts[i], __ATOMIC_RELAXED) == before[i])
                usleep(1000);
        printf("alive\n");
        fflush(stdout);
    }
    over = 1;
    for (int i = 0; i < n; i++)
        pthread_join(list[i], NULL);
    return 7;
}

/* Waits where a stop alone would make the call fail. */
static int run_waits(int argc, char **argv)
{
    struct epoll_event e = {.events = EPOLLIN};
    (void)argc;
    (void)argv;
    const int set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, 0, &e);
    printf("ready\n");
    fflush(stdout);
    const int n = epoll_wait(set, &e, 1, -1);
    printf("%d %s\n", n, n < 0 ? strerror(errno) : "fine");
    return 0;
}

static int run_kills_tracer(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    kill(getppid(), SIGKILL);
    while (pause() < 0)
        ;
    return 0;
}

int traced_case(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } list[] = {{"one", run_one},
                {"threads", run_many_threads},
                {"forks", run_forks},
                {"vfork", run_vfork},
                {"exec-from-thread", run_exec_from_thread},
                {"execs", run_execs},
                {"restart", run_restart_handled},
                {"interrupted", run_interrupted},
                {"stopped", run_stopped},
                {"sleep-stopped", run_sleep_stopped},
                {"fault", run_fault},
                {"arguments", run_arguments},
                {"cpus", run_cpus},
                {"crowd", run_crowd},
                {"waits", run_waits},
                {"kills-tracer", run_kills_tracer}};
    for (size_t i = 0; argc > 1 && i < sizeof list / sizeof *list; i++)
        if (strcmp(argv[1], list[i].name) == 0) {
            const int status = list[i].run(argc, argv);
            fflush(stdout);
            return status;
        }
    return traced_hostile(argc, argv);
}
