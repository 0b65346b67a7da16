/* A million events in any order, nested deeply, are read in less memory than the text has.
 * Not for TSan: its shadow is memory too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/trace_text.h"
#include "support/test.h"

enum { STEPS = 125000, EACH = 8, MOST_KB = 200 << 10 };

/* A step as PyTorch writes it: three operators around a launch and a copy, a kernel, an arrow. */
static void write_step(FILE *f, unsigned i)
{
    double t = 100.0 * i;
    fprintf(
        f,
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void gemm<%u>(float*)\",\"pid\":0,\"tid\":7,"
        "\"ts\":%.3f,\"dur\":30.5,\"args\":{\"External id\":%u,\"device\":0,\"stream\":7,"
        "\"correlation\":%u,\"registers per thread\":64,\"shared memory\":1024,"
        "\"grid\":[%u,1,1],\"block\":[128,1,1],\"est. achieved occupancy %%\":25}},\n",
        i % 300, t + 50, i, i, i % 99 + 1);
    fprintf(f,
            "{\"ph\":\"f\",\"id\":%u,\"pid\":0,\"tid\":7,\"ts\":%.3f,\"cat\":\"ac2g\",\"name\":"
            "\"ac2g\","
            "\"bp\":\"e\"},\n{\"ph\":\"s\",\"id\":%u,\"pid\":42,\"tid\":42,\"ts\":%.3f,\"cat\":"
            "\"ac2g\","
            "\"name\":\"ac2g\"},\n",
            i, t + 50, i, t + 20);
    fprintf(f,
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":42,"
            "\"tid\":42,"
            "\"ts\":%.3f,\"dur\":5.25,\"args\":{\"External "
            "id\":%u,\"cbid\":211,\"correlation\":%u}},\n",
            t + 20, i, i);
    for (unsigned k = 0; k < 4; k++)
        fprintf(
            f,
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op%u\",\"pid\":42,\"tid\":42,"
            "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"External id\":%u,\"Input Dims\":[[%u,64]]}}%s\n",
            k, t + k, 90.0 - 2 * k, i, i, ",");
}

static void write_file(char *path)
{
    strcpy(path, "/tmp/rooftop-trace-XXXXXX");
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fputs("{\"traceEvents\":[\n", f);
    for (unsigned i = 0; i < STEPS; i++) /* every second one, from the end */
        write_step(f, i & 1 ? STEPS - i : i);
    fputs("{}]}", f);
    assert_int_equal(fclose(f), 0);
}

static int read_it(const char *path)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    int rc = trace_open(&t, &path, 1, &err);
    getrusage(RUSAGE_SELF, &after);
    long kb = after.ru_maxrss - before.ru_maxrss;
    struct stat st;
    if (rc != 0 || stat(path, &st) != 0)
        return 1;
    printf("%llu spans, %.0f MB of text, %.0f MB of memory, %.0f of them the graph\n",
           (unsigned long long)t.spans, (double)st.st_size / 1e6, (double)kb / 1e3,
           (double)graph_memory(t.calls) / 1e6);
    if (t.spans != 6u * STEPS || t.dropped != 0 || t.ndispatches != STEPS)
        return 2;
    uint32_t launches = 0;
    for (uint32_t i = 0; i < t.calls->nedges; i++)
        launches += t.calls->edge_kind[i] == EDGE_LAUNCHES;
    if (launches != STEPS)
        return 3;
#ifndef __SANITIZE_ADDRESS__
    if (kb > MOST_KB || kb * 1024 > st.st_size)
        return 4;
#endif
    trace_free(&t);
    return 0;
}

/* Runs in a process of its own, so that the peak of memory is only its own. */
TEST(a_million_events_in_little_memory)
{
    char path[64];
    int status;
    write_file(path);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int rc = read_it(path);
        fflush(stdout);
        _exit(rc);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    unlink(path);
    assert_true(WIFEXITED(status));
    /* the child reports what is wrong: 1 read, 2 spans, 3 launches, 4 memory */
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* 10^5 nested spans that all end at once, with arrows that refer to them. */
TEST(spans_nest_as_deep_as_they_are)
{
    enum { SIZE = 16 << 20 };
    const unsigned depth = 100000;
    char *text = malloc(SIZE);
    size_t n = (size_t)sprintf(text, "[");
    struct trace t;
    for (unsigned i = 0; i < depth; i++) {
        n += (size_t)sprintf(text + n, "{\"ph\":\"X\",\"name\":\"d\",\"ts\":%u,\"dur\":%u},\n", i,
                             2 * (depth - i));
        if (i % 100 == 0)
            n += (size_t)sprintf(
                text + n,
                "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"id\":%u,\"ts\":%u},\n"
                "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":%u,\"ts\":%u},\n",
                i, 2 * depth - 1, i, depth + i);
    }
    text[n] = 0;
    trace_text_read(&t, text);
    assert_int_equal(t.spans, depth);
    const struct graph *g = t.calls;
    for (uint32_t i = 3; i < g->nnodes; i++)
        assert_int_equal(g->parent[i], i - 1);
    trace_free(&t);
    free(text);
}
