/*
 * pty_meter: what a terminal program costs. Runs it on a pseudo-terminal of its own and prints one
 * JSON object.
 *
 *   pty_meter [-s COLSxROWS] [-w WARM_UP_SECONDS] [-t SECONDS] [-k KEYS] -- COMMAND...
 *   pty_meter [-s COLSxROWS] -l RUNS [-K] -- COMMAND...
 *
 * The first, steady state: over SECONDS after the warm-up: bytes written to the terminal; frames,
 * which are bursts of output with at least 20 ms of silence between them; CPU time on all threads
 * (schedstat); read and write calls of the process (/proc/PID/io), RSS and PSS. KEYS are typed when
 * the warm-up ends. The second, start and quit: from fork to the time when 900 bytes have been
 * painted, the CPU time until then, and from typing q to the end of the process; medians, least and
 * most. With -K it is killed instead: how long the kernel takes to end such a process, which is the
 * floor of quitting.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_PICTURE = 900 /* bytes */, SILENCE_MS = 20, MAX_RUNS = 1000 };

struct child {
    pid_t pid;
    int master;
};

struct usage {
    uint64_t cpu_ns, reads, writes, threads;
};

struct output {
    uint64_t bytes, bursts, largest, burst;
    double last;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
    fprintf(stderr, "pty_meter: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct child start(char **argv, struct winsize size)
{
    struct child c;
    c.pid = forkpty(&c.master, NULL, NULL, &size);
    if (c.pid < 0)
        die("forkpty");
    if (c.pid == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("COLORTERM", "truecolor", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    return c;
}

/* Reads what arrives within timeout_ms; returns false when the other side has closed. */
static bool drain(const struct child *c, struct output *o, int timeout_ms)
{
    struct pollfd p = {.fd = c->master, .events = POLLIN};
    if (poll(&p, 1, timeout_ms) <= 0)
        return true;
    char buf[65536];
    ssize_t n = read(c->master, buf, sizeof buf);
    if (n <= 0)
        return false;
    /* answers each request for the terminal's status (ECMA-48 DSR), as terminals do */
    for (char *p = buf; (p = memmem(p, (size_t)(buf + n - p), "\033[5n", 4)); p += 4)
        if (write(c->master, "\033[0n", 4) != 4)
            return false;
    double t = now();
    if (o->bursts == 0 || t - o->last > SILENCE_MS / 1000.0) {
        o->bursts++;
        o->burst = 0;
    }
    o->last = t;
    o->bytes += (uint64_t)n;
    o->burst += (uint64_t)n;
    if (o->burst > o->largest)
        o->largest = o->burst;
    return true;
}

static bool drain_until(const struct child *c, struct output *o, double end)
{
    for (double left; (left = end - now()) > 0;)
        if (!drain(c, o, left > 0.01 ? 10 : 1))
            return false;
    return true;
}

/* Reads a small file of /proc; "" if that fails. */
static void slurp(char *out, size_t size, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);
    out[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

static uint64_t field(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static struct usage usage_of(pid_t pid)
{
    struct usage u = {0};
    char path[300], text[4096];
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    slurp(text, sizeof text, path);
    u.reads = field(text, "syscr:");
    u.writes = field(text, "syscw:");
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, e->d_name);
        slurp(text, sizeof text, path);
        u.cpu_ns += strtoull(text, NULL, 10);
        u.threads++;
    }
    if (d)
        closedir(d);
    return u;
}

static void stop(const struct child *c)
{
    kill(c->pid, SIGTERM);
    struct output ignored = {0};
    for (double end = now() + 2; now() < end;) {
        if (waitpid(c->pid, NULL, WNOHANG) == c->pid) {
            close(c->master);
            return;
        }
        drain(c, &ignored, 5);
    }
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    close(c->master);
}

static int steady(char **argv, struct winsize size, double warm_up, double seconds,
                  const char *keys)
{
    struct child c = start(argv, size);
    struct output warm = {0}, o = {0};
    bool alive = drain_until(&c, &warm, now() + warm_up);
    if (alive && keys) {
        if (write(c.master, keys, strlen(keys)) < 0)
            die("typing");
        alive = drain_until(&c, &warm, now() + 0.3);
    }
    struct usage before = usage_of(c.pid);
    double t0 = now();
    alive = alive && drain_until(&c, &o, t0 + seconds);
    struct usage after = usage_of(c.pid);
    double t = now() - t0;
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)c.pid);
    slurp(text, sizeof text, path);
    stop(&c);
    if (!alive) {
        fprintf(stderr, "pty_meter: %s ended early\n", argv[0]);
        return 1;
    }
    printf(
        "{\"seconds\": %.3f, \"bytes_per_s\": %.1f, \"frames\": %llu, \"bytes_per_frame\": %.1f, "
        "\"largest_frame\": %llu, \"cpu_s_per_min\": %.4f, \"reads_per_s\": %.1f, "
        "\"writes_per_s\": %.1f, "
        "\"rss_kb\": %llu, \"pss_kb\": %llu, \"threads\": %llu}\n",
        t, (double)o.bytes / t, (unsigned long long)o.bursts,
        o.bursts ? (double)o.bytes / (double)o.bursts : 0.0, (unsigned long long)o.largest,
        (double)(after.cpu_ns - before.cpu_ns) / 1e9 / t * 60,
        (double)(after.reads - before.reads) / t, (double)(after.writes - before.writes) / t,
        (unsigned long long)field(text, "Rss:"), (unsigned long long)field(text, "Pss:"),
        (unsigned long long)after.threads);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds from typing q (or the kill) to the end of the process. The terminal is read meanwhile,
 * because a program may wait for that. */
static double quit(const struct child *c, bool killed)
{
    struct output o = {0};
    double t0 = now();
    if (killed ? kill(c->pid, SIGKILL) != 0 : write(c->master, "q", 1) != 1)
        die("ending it");
    while (waitpid(c->pid, NULL, WNOHANG) != c->pid) {
        if (now() - t0 > 5) {
            stop(c);
            return -1;
        }
        if (!drain(c, &o, 0))
            usleep(50);
    }
    double t = now() - t0;
    close(c->master);
    return t;
}

static int latency(char **argv, struct winsize size, int runs, bool killed)
{
    double first[MAX_RUNS] = {0}, cpu[MAX_RUNS] = {0}, end[MAX_RUNS] = {0};
    for (int i = 0; i < runs; i++) {
        double t0 = now();
        struct child c = start(argv, size);
        struct output o = {0};
        while (o.bytes < FIRST_PICTURE && now() < t0 + 5)
            if (!drain(&c, &o, 100))
                break;
        first[i] = o.bytes < FIRST_PICTURE ? -1 : now() - t0;
        cpu[i] = (double)usage_of(c.pid).cpu_ns / 1e9;
        drain_until(&c, &o, now() + 0.5);
        end[i] = quit(&c, killed);
        if (first[i] < 0 || end[i] < 0) {
            fprintf(stderr, "pty_meter: %s painted nothing or did not end on q\n", argv[0]);
            return 1;
        }
    }
    qsort(first, (size_t)runs, sizeof *first, by_size);
    qsort(cpu, (size_t)runs, sizeof *cpu, by_size);
    qsort(end, (size_t)runs, sizeof *end, by_size);
    printf("{\"runs\": %d, \"first_ms\": %.3f, \"first_min_ms\": %.3f, \"first_max_ms\": %.3f, "
           "\"first_cpu_min_ms\": %.3f, "
           "\"quit_ms\": %.3f, \"quit_min_ms\": %.3f, \"quit_max_ms\": %.3f}\n",
           runs, first[runs / 2] * 1e3, first[0] * 1e3, first[runs - 1] * 1e3, cpu[0] * 1e3,
           end[runs / 2] * 1e3, end[0] * 1e3, end[runs - 1] * 1e3);
    return 0;
}

int main(int argc, char **argv)
{
    struct winsize size = {.ws_col = 160, .ws_row = 48};
    double warm_up = 3, seconds = 10;
    const char *keys = NULL;
    int runs = 0;
    bool killed = false;
    for (int c; (c = getopt(argc, argv, "+s:w:t:k:l:K")) != -1;) {
        if (c == 's' && sscanf(optarg, "%hux%hu", &size.ws_col, &size.ws_row) == 2)
            continue;
        if (c == 'w')
            warm_up = strtod(optarg, NULL);
        else if (c == 't')
            seconds = strtod(optarg, NULL);
        else if (c == 'k')
            keys = optarg;
        else if (c == 'l')
            runs = atoi(optarg);
        else if (c == 'K')
            killed = true;
        else
            return 2;
    }
    if (optind >= argc || runs < 0 || runs > MAX_RUNS)
        return 2;
    return runs ? latency(argv + optind, size, runs, killed)
                : steady(argv + optind, size, warm_up, seconds, keys);
}
