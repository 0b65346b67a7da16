#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bench/bench_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/thread.h"

extern char **environ;

/* Limit of bytes that are added to the environment. The stack begins below it, so its size moves
 * every frame (T. Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!",
 * ASPLOS 2009). The kernel moves stack and libraries by itself (ASLR). */
enum { LAYOUT_BYTES = 4096 };

struct layout {
    char text[LAYOUT_BYTES + 32];
    char **env; /* freed with free */
};

static void make_layout(struct layout *l)
{
    uint16_t size;
    size_t n = 0, at;
    env_random(&size, sizeof size);
    size %= LAYOUT_BYTES;
    at = (size_t)snprintf(l->text, sizeof l->text, "ROOFTOP_LAYOUT=");
    memset(l->text + at, 'x', size);
    l->text[at + size] = '\0';
    while (environ[n])
        n++;
    l->env = xcalloc(n + 2, sizeof *l->env);
    memcpy(l->env, environ, n * sizeof *l->env);
    l->env[n] = l->text;
}

/* --- signals --- */

static volatile sig_atomic_t running[2]; /* process ids; 0: none */
static volatile sig_atomic_t in_order;   /* the first signal does not end rooftop */
static volatile sig_atomic_t stopped_by; /* that signal; 0: none came */

enum { FAMILY = 256, GRACE_S = 2 };

/* Appends a text and, but for 0, a number. Only calls that a handler may make. */
static char *put_path_part(char *at, const char *text, pid_t number)
{
    char digits[16] = "";
    size_t n = 0;
    for (; *text; text++)
        *at++ = *text;
    for (; number > 0; number /= 10)
        digits[n++] = (char)('0' + number % 10);
    while (n > 0)
        *at++ = digits[--n];
    *at = '\0';
    return at;
}

/* Appends the children of the process' first thread. Returns how many there are now. */
static size_t add_started(pid_t of, pid_t *list, size_t n)
{
    char path[64], bytes[4096];
    char *at = put_path_part(put_path_part(path, "/proc/", of), "/task/", of);
    put_path_part(at, "/children", 0);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    pid_t pid = 0;
    for (ssize_t got; fd >= 0 && (got = read(fd, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < got && n < FAMILY; i++)
            if (bytes[i] >= '0' && bytes[i] <= '9') {
                pid = pid * 10 + (bytes[i] - '0');
            } else if (pid > 1) {
                list[n++] = pid;
                pid = 0;
            }
    if (fd >= 0)
        close(fd);
    return n;
}

/* Also what a program has started: a shell that ends by a signal leaves its commands running. They
 * have no process group of their own, because they would be stopped where they use the terminal. */
static void signal_running(int signo)
{
    for (int i = 0; i < 2; i++) {
        pid_t list[FAMILY] = {(pid_t)running[i]};
        size_t n = list[0] > 0;
        for (size_t k = 0; k < n; k++)
            n = add_started(list[k], list, n);
        for (size_t k = 0; k < n; k++)
            kill(list[k], signo);
    }
}

static void end_deaf(int signo)
{
    (void)signo;
    signal_running(SIGKILL);
}

/* Passes the signal that ends rooftop to the running programs, unless the terminal has sent it to
 * them. What does not listen to a signal that no terminal sent is killed after a while. */
static void end_all(int signo, siginfo_t *info, void *ctx)
{
    (void)ctx;
    const int saved = errno;
    if (info->si_code != SI_KERNEL)
        signal_running(stopped_by ? SIGKILL : signo);
    if (in_order && !stopped_by) {
        stopped_by = signo;
        if (info->si_code != SI_KERNEL)
            alarm(GRACE_S);
        errno = saved;
        return;
    }
    signal(signo, SIG_DFL);
    raise(signo);
}

static void catch_signals(void)
{
    static const int wanted[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    struct sigaction sa = {.sa_sigaction = end_all, .sa_flags = SA_SIGINFO}, old;
    const struct sigaction deaf = {.sa_handler = end_deaf};
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sigaction(wanted[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(wanted[i], &sa, NULL);
    sigaction(SIGALRM, &deaf, NULL);
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, wait4 finds no ended child */
}

static void stop_in_order(void)
{
    in_order = 1;
    catch_signals();
}

static int runs_stopped(void)
{
    return stopped_by;
}

/* --- running --- */

/* Pins this process to a CPU. Returns the CPUs that it had before, *size bytes, for CPU_FREE; NULL:
 * nothing changed. The kernel refuses sets smaller than its own. */
static cpu_set_t *pin_to_cpu(int cpu, size_t *size)
{
    for (size_t n = 1024; n <= 1 << 20; n *= 2) {
        cpu_set_t *before = CPU_ALLOC(n), *one = CPU_ALLOC(n);
        *size = CPU_ALLOC_SIZE(n);
        bool got = before && one && sched_getaffinity(0, *size, before) == 0;
        if (got) {
            CPU_ZERO_S(*size, one);
            CPU_SET_S((size_t)cpu, *size, one);
            got = sched_setaffinity(0, *size, one) == 0;
        }
        CPU_FREE(one);
        if (got)
            return before;
        CPU_FREE(before);
    }
    return NULL;
}

/* Starts a child on a CPU: it inherits the parent's CPUs, so the parent is pinned for a moment. */
static int spawn_on(char **argv, char **env, int cpu, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    cpu_set_t *before = NULL;
    size_t size = 0;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    if (cpu >= 0)
        before = pin_to_cpu(cpu, &size);
    int rc = posix_spawnp(pid, argv[0], &files, &attr, argv, env);
    if (before) {
        sched_setaffinity(0, size, before);
        CPU_FREE(before);
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return rc;
}

static double seconds_of_timeval(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void fill_sample(struct bench_sample *s, int status, const struct rusage *ru)
{
    s->user = seconds_of_timeval(&ru->ru_utime);
    s->system = seconds_of_timeval(&ru->ru_stime);
    s->rss = (uint64_t)ru->ru_maxrss << 10;
    s->counters[COUNTER_MINOR_FAULTS] = (double)ru->ru_minflt;
    s->counters[COUNTER_MAJOR_FAULTS] = (double)ru->ru_majflt;
    s->counters[COUNTER_SWITCHES] = (double)ru->ru_nvcsw;
    s->counters[COUNTER_PREEMPTIONS] = (double)ru->ru_nivcsw;
    s->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_unmeasured(char **argv, struct error *err)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 0;
    catch_signals();
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    int rc = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (rc != 0)
        return error_set(err, ERROR_TARGET, ECHILD, NULL, argv[0], "it cannot be started: %s",
                         strerror(rc));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return error_set(err, ERROR_TARGET, ECHILD, "run it by hand to see why", argv[0],
                     "it ended with status %d",
                     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* A program that a separate thread starts: see struct run_counters. */
struct start {
    char **argv, **env;
    int cpu;
    struct run_counters counters;
    uint64_t began;
    pid_t pid;
    int code; /* positive errno */
};

static void *start_benchmarked(void *arg)
{
    struct start *s = arg;
    counters_open(&s->counters);
    s->began = env_now_ns();
    s->code = spawn_on(s->argv, s->env, s->cpu, &s->pid);
    return NULL;
}

/* Blocks signals until their handler knows the program. None is started after a signal, which it
 * would not get. */
static int start_one(struct start *s, size_t i)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int rc = stopped_by ? EINTR : thread_start(&thread, start_benchmarked, s);
    if (rc == 0) {
        pthread_join(thread, NULL);
        rc = s->code;
        if (rc == 0)
            running[i] = s->pid;
        else
            counters_close(&s->counters, (double[BENCH_COUNTERS]){0});
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* How long this thread had no core so far, and how often it lost its core. */
struct own_queue {
    double queued;
    long taken;
};

static struct own_queue own_queue(void)
{
    struct rusage ru = {.ru_nivcsw = 0};
    getrusage(RUSAGE_THREAD, &ru);
    return (struct own_queue){counters_core_time(0).queued, ru.ru_nivcsw};
}

/* The time in s in which the program had no core, and rooftop after the program's end: both are
 * part of its elapsed time. NAN: unknown, or rooftop had no core while the program ran, which shows
 * if the rest is too short for the program. A zombie still has its times. */
static double queued_of(pid_t zombie, const struct own_queue *before, double elapsed)
{
    const struct own_queue now = own_queue();
    const struct core_time its = counters_core_time(zombie);
    const double queued = now.queued - before->queued + its.queued;
    return now.taken == before->taken && its.ran + queued <= elapsed ? queued : NAN;
}

/* Waits for all of starts[0..n). */
static void wait_for_all(const struct start *starts, size_t n, struct bench_sample *out)
{
    struct rusage ru;
    siginfo_t ended;
    int status;
    for (size_t left = n; left > 0;) {
        const struct own_queue before = own_queue();
        if (waitid(n == 1 ? P_PID : P_ALL, (id_t)starts[0].pid, &ended, WEXITED | WNOWAIT) != 0) {
            if (errno != EINTR)
                return;
            continue;
        }
        const uint64_t now = env_now_ns();
        size_t i = 0;
        while (i < n && ended.si_pid != starts[i].pid)
            i++;
        if (i < n) {
            out[i].elapsed = (double)(now - starts[i].began) * 1e-9;
            out[i].counters[COUNTER_QUEUED] = queued_of(ended.si_pid, &before, out[i].elapsed);
            running[i] = 0;
        }
        if (wait4(ended.si_pid, &status, 0, &ru) != ended.si_pid)
            return;
        if (i < n) {
            fill_sample(&out[i], status, &ru);
            left--;
        }
    }
}

static int run_programs(char **const argv[], size_t n, const int *cpus, struct bench_sample *out,
                        struct error *err)
{
    struct layout layout[2] = {{.env = NULL}};
    struct start starts[2];
    double load = 0;
    size_t started = 0;
    int rc = 0;
    catch_signals();
    if (getloadavg(&load, 1) != 1)
        load = 0;
    for (size_t i = 0; i < n; i++)
        make_layout(&layout[i]);
    for (; started < n && rc == 0; started += rc == 0) {
        out[started] = (struct bench_sample){.load = load, .wall_ns = env_wall_ns()};
        starts[started] = (struct start){
            .argv = argv[started], .env = layout[started].env, .cpu = cpus ? cpus[started] : -1};
        rc = start_one(&starts[started], started);
    }
    wait_for_all(starts, started, out);
    for (size_t i = 0; i < started; i++)
        counters_close(&starts[i].counters, out[i].counters);
    for (size_t i = 0; i < n; i++)
        free(layout[i].env);
    if (rc == 0)
        return 0;
    const char *program = argv[started][0];
    return error_set(err, ERROR_TARGET, rc,
                     strchr(program, ' ') && !argv[started][1]
                         ? "leave out the quotes: the command's words stand one by one after --; a "
                           "shell's line is sh -c 'LINE'"
                         : "give the command after --, with its path",
                     program, "it cannot be started: %s", strerror(rc));
}

const struct runner_ops runner = {
    .run = run_programs,
    .stop_in_order = stop_in_order,
    .stopped = runs_stopped,
    .run_unmeasured = run_unmeasured,
    .conditions = read_bench_conditions,
    .compiler = find_compiler,
    .two_cpus = find_two_cpus,
};
