/*
 * Measures captures: writing one compared with cp of the same bytes to the same file system (the
 * captured program stands still for so long; the target is 1.3 times cp), and reading one block by
 * block compared with memcpy. The two take turns; the best of each counts. Times are wall-clock
 * times, because waiting for the disk is part of the cost.
 *
 *     bench/capture [FOLDER [MIB [ROUNDS]]]
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/writer/writer.h"
#include "engine/capture/capture.h"
#include "format/capture.h"

static const double target = 1.3;

extern char **environ;
static char dir[256], source[300], copy[300], capture[300];
static uint8_t *bytes, *room;
static size_t size;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void least(double *best, double v)
{
    if (*best == 0 || v < *best)
        *best = v;
}

static void run(const char *const *argv)
{
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s failed\n", argv[0]);
        exit(1);
    }
}

/* Contents: noise; small numbers as floats, as kernels often have; the same with half of it
 * zero. */
enum kind { NOISE, FLOATS, HALF_ZERO, KINDS };
static const char *const names[KINDS] = {"noise", "floats", "floats, half zero"};

static void fill(enum kind kind)
{
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; i < size; i += 8) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        float two[2] = {(float)(seed % 1000) / 8, (float)(seed >> 32 & 255)};
        if (kind == NOISE)
            memcpy(bytes + i, &seed, 8);
        else
            memcpy(bytes + i, two, 8);
    }
    if (kind == HALF_ZERO)
        memset(bytes + size / 4, 0, size / 2);
    FILE *f = fopen(source, "w");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
        perror(source);
        exit(1);
    }
}

static int read_memory(void *ctx, void *to, uint64_t address, size_t n, char *why, size_t why_size)
{
    (void)ctx;
    (void)why;
    (void)why_size;
    /* The captured program's memory is read where it is. */
    const void *from = (const void *)(uintptr_t)address; // NOLINT
    memcpy(to, from, n);
    return 0;
}

static double time_cp(void)
{
    unlink(copy);
    double from = now_ms();
    run((const char *const[]){"cp", source, copy, NULL});
    return now_ms() - from;
}

static void remove_capture(void)
{
    run((const char *const[]){"rm", "-rf", capture, NULL});
}

/* The time from creating the folder to writing capture_complete. */
static double time_writer(enum writer_encoding e, bool *zstd)
{
    static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, [18] = 224};
    char why[256] = "";
    struct writer_region r = {
        .base = (uint64_t)(uintptr_t)bytes, .size = size, .segment = "device"};
    const struct writer_dispatch d = {
        .mangled_name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .kernarg_size = 8};
    remove_capture();
    double from = now_ms();
    struct capture_writer *w = writer_open(capture, 0, why, sizeof why);
    if (w)
        writer_force(w, e);
    if (!w || writer_code(w, "12345678", 8, elf, sizeof elf) != 0 ||
        writer_before(w, &r, 1, read_memory, NULL, NULL) != 0 ||
        writer_finish(w, &d, &r, 1, NULL, 0) != 0) {
        fprintf(stderr, "capture: %s\n", w ? writer_why(w) : why);
        exit(1);
    }
    writer_close(w);
    *zstd = r.before.zstd;
    return now_ms() - from;
}

/* Returns the CPU time in ms of this process and of the children that it waited for. */
static double cpu_ms(void)
{
    double ms = 0;
    for (int who = 0; who < 2; who++) {
        struct rusage r;
        getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &r);
        ms += (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e3 +
              (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e3;
    }
    return ms;
}

static int write_beside_cp(enum kind kind, enum writer_encoding e, int rounds)
{
    static const char *const how[] = {"as it likes", "raw", "zstd"};
    double a = 0, b = 0, cp_cpu = 0, cpu = 0;
    bool zstd = false;
    for (int i = 0; i < rounds; i++) {
        double before = cpu_ms();
        least(&a, time_cp());
        least(&cp_cpu, cpu_ms() - before);
        remove_capture();
        before = cpu_ms();
        least(&b, time_writer(e, &zstd));
        least(&cpu, cpu_ms() - before);
    }
    double ratio = b / a;
    bool missed = e == WRITER_FASTEST && ratio > target;
    printf("write %-18s %-12s %7.1f ms, cp %7.1f ms, ratio %.2f, of CPU %.2f%s%s\n", names[kind],
           how[e], b, a, ratio, cpu / cp_cpu, zstd ? " (compressed)" : "",
           missed ? "  OVER ITS TARGET" : "");
    return missed;
}

/* --- reading --- */

static double time_memcpy(void)
{
    double from = now_ms();
    for (size_t i = 0; i < size; i += CAPTURE_BLOCK)
        memcpy(room + i, bytes + i, size - i < CAPTURE_BLOCK ? size - i : CAPTURE_BLOCK);
    return now_ms() - from;
}

static double time_blocks(const struct capture *c, bool sums)
{
    struct capture_contents *o;
    struct error err = ERROR_INIT;
    const struct capture_region *r = &c->regions[0];
    double from = now_ms();
    int rc = capture_contents_open(&o, c, &r->before, r->size, &err);
    for (size_t i = 0; rc == 0 && i < capture_contents_blocks(o); i++) {
        bool zero;
        uint64_t sum;
        rc =
            capture_contents_block(o, i, room + i * CAPTURE_BLOCK, &zero, sums ? &sum : NULL, &err);
    }
    double took = now_ms() - from;
    capture_contents_close(o);
    if (rc) {
        fprintf(stderr, "%s: %s\n", err.what, err.why);
        exit(1);
    }
    return took;
}

static void read_beside_memcpy(enum kind kind, enum writer_encoding e, int rounds)
{
    double a = 0, b = 0, summed = 0;
    bool zstd;
    struct capture *c;
    struct error err = ERROR_INIT;
    time_writer(e, &zstd);
    if (capture_open(&c, capture, &err) != 0) {
        fprintf(stderr, "%s: %s\n", err.what, err.why);
        exit(1);
    }
    for (int i = 0; i < rounds; i++) {
        least(&a, time_memcpy());
        least(&b, time_blocks(c, false));
        least(&summed, time_blocks(c, true));
    }
    printf("read  %-18s %-12s %7.1f ms, memcpy %7.1f ms: %.2f of its speed; with checksums %.2f\n",
           names[kind], zstd ? "zstd" : "raw", b, a, a / b, a / summed);
    capture_free(c);
}

int main(int argc, char **argv)
{
    int missed = 0, rounds = argc > 3 ? atoi(argv[3]) : 9;
    size = (size_t)(argc > 2 ? atoi(argv[2]) : 256) << 20;
    rounds = rounds < 1 ? 1 : rounds;
    snprintf(dir, sizeof dir, "%.200s/rooftop-bench-XXXXXX", argc > 1 ? argv[1] : "/tmp");
    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    snprintf(source, sizeof source, "%s/source", dir);
    snprintf(copy, sizeof copy, "%s/copy", dir);
    snprintf(capture, sizeof capture, "%s/capture", dir);
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, how, -1, 0);
    room = mmap(NULL, size, PROT_READ | PROT_WRITE, how, -1, 0);
    if (bytes == MAP_FAILED || room == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    printf("%zu MiB, %d rounds each\n", size >> 20, rounds);
    for (int kind = 0; kind < KINDS; kind++) {
        fill((enum kind)kind);
        for (int e = WRITER_FASTEST; e <= WRITER_ZSTD; e++)
            missed |= write_beside_cp((enum kind)kind, (enum writer_encoding)e, rounds);
        read_beside_memcpy((enum kind)kind, WRITER_RAW, rounds);
        read_beside_memcpy((enum kind)kind, WRITER_ZSTD, rounds);
        fflush(stdout);
    }
    run((const char *const[]){"rm", "-rf", dir, NULL});
    return missed;
}
