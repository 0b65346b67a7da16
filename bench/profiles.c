/*
 * profiles FILE [TURNS]: measures what opening the file costs; prints one line of JSON. A rocpd
 * file is compared with a bare scan of its dispatches in C; the two take turns, and the best of
 * each counts. Memory is the peak of a process that opens the file once, minus what it had before.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/analysis/analysis.h"

enum { TURNS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the CPU time in seconds of all threads of this process; other programs do not count. */
static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A number of /proc/self/status, in bytes. */
static double own(const char *key)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtod(line + strlen(key) + 1, NULL);
    if (f)
        fclose(f);
    return kib * 1024;
}

/* Reads all dispatches; returns their number, 0 if it is not a rocpd file. */
static int64_t scan(const char *path, double *seconds, double *used)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    int64_t rows = 0;
    int64_t sum = 0;
    double began = now(), before = cpu();
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db,
                           "SELECT start, \"end\", queue_id, stream_id, kernel_id FROM "
                           "rocpd_kernel_dispatch_0000b1a5",
                           -1, &s, NULL) == SQLITE_OK)
        for (; sqlite3_step(s) == SQLITE_ROW; rows++)
            for (int i = 0; i < 5; i++)
                sum += sqlite3_column_int64(s, i);
    *seconds = now() - began;
    *used = cpu() - before;
    if (sum == 1) /* keeps the compiler from removing the sum */
        puts("");
    sqlite3_finalize(s);
    sqlite3_close(db);
    return rows;
}

struct opened {
    double seconds, cpu, bytes;
    uint32_t spans, dispatches, steps;
    uint64_t length;
};

static struct opened open_once(const char *path)
{
    struct analysis a = {0};
    struct error err = ERROR_INIT;
    double before = own("VmRSS"), used = cpu(), began = now();
    int rc = analysis_open(&a, &path, 1, &err);
    struct opened o = {
        .seconds = now() - began, .cpu = cpu() - used, .bytes = own("VmHWM") - before};
    if (rc != 0) {
        fprintf(stderr, "profiles: %s: %s\n", err.what, err.why);
        exit(1);
    }
    o.spans = (uint32_t)a.trace.spans;
    o.dispatches = a.trace.ndispatches;
    o.length = a.path.length;
    o.steps = a.path.nsteps;
    analysis_close(&a);
    return o;
}

/* Opens the file in a process of its own, because the peak of memory is never given back. */
static struct opened open_apart(const char *path)
{
    struct opened o = {0};
    int pipes[2];
    if (pipe(pipes) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        o = open_once(path);
        _exit(write(pipes[1], &o, sizeof o) != sizeof o);
    }
    close(pipes[1]);
    if (read(pipes[0], &o, sizeof o) != sizeof o)
        exit(1);
    close(pipes[0]);
    waitpid(child, NULL, 0);
    return o;
}

int main(int argc, char **argv)
{
    struct stat st;
    double bare = 0, best = 0, bare_cpu = 0, best_cpu = 0;
    struct opened o = {0};
    int64_t rows = 0;
    if (argc < 2 || stat(argv[1], &st) != 0)
        return 2;
    int turns = argc > 2 ? atoi(argv[2]) : TURNS;
    for (int i = 0; i < turns; i++) {
        double seconds, used;
        rows = scan(argv[1], &seconds, &used);
        bare = i == 0 || seconds < bare ? seconds : bare;
        o = open_apart(argv[1]);
        best = i == 0 || o.seconds < best ? o.seconds : best;
        bare_cpu = i == 0 || used < bare_cpu ? used : bare_cpu;
        best_cpu = i == 0 || o.cpu < best_cpu ? o.cpu : best_cpu;
    }
    printf("{\"size\": %lld, \"rows\": %lld, \"scan_s\": %.4f, \"open_s\": %.4f, \"scan_cpu_s\": "
           "%.4f, "
           "\"open_cpu_s\": %.4f, \"peak\": %.0f, "
           "\"spans\": %u, \"dispatches\": %u, \"path_ns\": %llu, \"steps\": %u}\n",
           (long long)st.st_size, (long long)rows, bare, best, bare_cpu, best_cpu, o.bytes, o.spans,
           o.dispatches, (unsigned long long)o.length, o.steps);
    return 0;
}
