/* One file of several ranks says of each what a file of its own says. */
#include "engine/job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"
#include "support/trace_text.h"

enum { RANKS = 3, PERIOD = 200 };
static char paths[RANKS + 1][64]; /* the last one has all ranks */
static bool prefixed;             /* its processes are called by texts, as tools that merge do */
static struct job j;

FIXTURE(remove_files)
{
    job_free(&j);
    for (int i = 0; i <= RANKS; i++)
        unlink(paths[i]);
}

static void write_span(FILE *f, const char *category, const char *name, const char *lane,
                       unsigned at, unsigned length, unsigned correlation)
{
    fprintf(f,
            "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",%s,\"ts\":%u,\"dur\":%u,"
            "\"args\":{\"correlation\":%u}},",
            category, name, lane, at, length, correlation);
}

static void write_arrow(FILE *f, char phase, const char *lane, unsigned at, unsigned id)
{
    fprintf(
        f,
        "{\"ph\":\"%c\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%u,%s,\"ts\":%u,\"bp\":\"e\"},",
        phase, id, lane, at);
}

/* A rank with two queues of a device. It begins and ends at times of its own, and numbers its calls
 * as the other ranks do. */
static void write_rank(FILE *f, unsigned rank)
{
    char host[64], queue[2][64];
    snprintf(host, sizeof host, "\"pid\":%u,\"tid\":1", 100 + rank);
    for (unsigned q = 0; q < 2; q++)
        snprintf(queue[q], sizeof queue[q], "\"pid\":%u,\"tid\":%u", rank, 7 + q);
    if (prefixed) { /* the ranks are of containers: their numbers are the same */
        snprintf(host, sizeof host, "\"pid\":\"[TP%02u] 100\",\"tid\":1", rank);
        for (unsigned q = 0; q < 2; q++)
            snprintf(queue[q], sizeof queue[q], "\"pid\":\"[TP%02u] 0\",\"tid\":%u", rank, 7 + q);
        fprintf(f, "{\"ph\":\"M\",\"name\":\"process_name\",%s,\"args\":{\"name\":\"python3\"}},",
                host);
    }
    if (rank) { /* launched before the profile began, with an id that rank 0 has, too */
        write_span(f, "kernel", "gemm", queue[0], 30, 5, 10);
        write_arrow(f, 'f', queue[0], 30, 10);
    }
    for (unsigned k = 2 * rank; k < 20 + 3 * rank; k++) {
        const unsigned at = 50 + k * PERIOD, id = 10 * (k + 1);
        write_span(f, "cuda_runtime", "cudaLaunchKernel", host, at, 2, id);
        write_span(f, "cuda_runtime", "cudaLaunchKernel", host, at + 3, 2, id + 1);
        write_span(f, "cuda_runtime", "cudaLaunchKernel", host, at + 6, 2, id + 2);
        write_arrow(f, 's', host, at, id);
        write_arrow(f, 'f', queue[0], at + 10, id);
        write_span(f, "kernel", "gemm", queue[0], at + 10, 60 + 7 * rank + k, id);
        write_span(f, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", queue[0], at + 110, 40,
                   id + 1);
        write_span(f, "kernel", "gemm", queue[1], at + 20, 50 + k, id + 2);
    }
}

static void write_ranks(char *path, unsigned from, unsigned to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs("{\"traceEvents\":[", f);
    for (unsigned i = from; i < to; i++)
        write_rank(f, i);
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
    trace_text_file(path, text, size, false);
    free(text);
}

static void add_file(const char *path)
{
    struct trace t = {.nfiles = 0};
    struct error err = ERROR_INIT;
    assert_int_equal(trace_open(&t, &path, 1, &err), 0);
    assert_int_equal(job_add(&j, &t, path, &err), 0);
    trace_free(&t);
}

static void compare_merged(bool with_texts)
{
    struct device_use own[RANKS];
    struct error err = ERROR_INIT;
    for (unsigned i = 0; i < RANKS; i++) {
        write_ranks(paths[i], i, i + 1);
        add_file(paths[i]);
        own[i] = j.ranks[i].use;
    }
    assert_int_equal(job_finish(&j, &err), 0);
    const uint64_t wall = j.wall;
    const double efficiency = j.efficiency;
    job_free(&j);
    prefixed = with_texts;
    write_ranks(paths[RANKS], 0, RANKS);
    add_file(paths[RANKS]);
    assert_int_equal(job_finish(&j, &err), 0);
    assert_int_equal(j.n, RANKS);
    assert_int_equal(j.wall, wall);
    assert_true(j.efficiency == efficiency);
    for (int i = 0; i < RANKS; i++) {
        const struct device_use *u = &j.ranks[i].use;
        assert_int_equal(u->wall, own[i].wall);
        assert_int_equal(u->busy, own[i].busy);
        assert_int_equal(u->both, own[i].both);
        assert_int_equal(u->idle, own[i].idle);
        assert_int_equal(u->late, own[i].late);
        assert_int_equal(u->launching, own[i].launching);
        assert_int_equal(u->drained, own[i].drained);
    }
    prefixed = false;
}

TEST_WITH(each_rank_is_told_as_if_it_had_its_own_file, NULL, remove_files)
{
    compare_merged(false);
}

/* SGLang's merged traces: the text before the number says which device is whose. */
TEST_WITH(processes_of_a_rank_may_be_called_by_a_text, NULL, remove_files)
{
    compare_merged(true);
    assert_string_equal(j.ranks[0].name, "python3 [TP00]");
    assert_string_equal(j.ranks[2].name, "python3 [TP02]");
}
