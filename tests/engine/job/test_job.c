/* A job of ranks: compared with a loop over what the test wrote, with what the clocks say, and with
 * laws. */
#include "engine/job/job.h"
#include "engine/job/straggler_words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/test.h"
#include "support/trace_text.h"

enum { US = 1000, RANKS = 4, TIMES = 200, PERIOD = 200 };
#define DAY UINT64_C(1700000000000000000)

static struct job j;
static char paths[RANKS][64];
static uint32_t seed;

FIXTURE(tear_down)
{
    job_free(&j);
    for (int i = 0; i < RANKS; i++)
        if (paths[i][0])
            unlink(paths[i]);
    memset(paths, 0, sizeof paths);
    seed = 7;
}

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* The file of a rank. In each period it computes from 0 to computes[k] us, and is in the collective
 * from then until all ranks have come and 20 us more. */
struct rank {
    int number; /* -1: the file does not say it */
    int world;  /* 0: likewise */
    uint64_t base;
    const char *args; /* of the k-th collective; %d is the number in its group */
    int from, to;     /* the collectives that were recorded */
    unsigned computes[TIMES], ends[TIMES];
};
enum { TRANSFER = 20 };

/* Lets the collectives of n ranks end together. */
static void end_together(struct rank *r, int n)
{
    for (int k = 0; k < TIMES; k++) {
        unsigned last = 0;
        for (int i = 0; i < n; i++)
            last = r[i].computes[k] > last ? r[i].computes[k] : last;
        for (int i = 0; i < n; i++)
            r[i].ends[k] = last + TRANSFER;
    }
}

static struct rank make_rank(int number)
{
    struct rank r = {.number = number, .base = DAY, .args = "", .to = TIMES};
    for (int k = 0; k < TIMES; k++)
        r.computes[k] = 60 + draw(40);
    return r;
}

static void write_kernel(FILE *f, const char *name, unsigned from, unsigned to, const char *args)
{
    fprintf(f,
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%u,"
            "\"dur\":%u,\"args\":{\"device\":0,\"stream\":7%s}},",
            name, from, to - from, args);
}

static void write_rank(char *path, const struct rank *r)
{
    char *text = NULL, args[256];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "{\"baseTimeNanoseconds\":%llu,", (unsigned long long)r->base);
    if (r->number >= 0)
        fprintf(f, "\"distributedInfo\":{\"rank\":%d,\"world_size\":%d},", r->number, r->world);
    fputs("\"traceEvents\":[", f);
    for (int k = r->from; k < r->to; k++) {
        const unsigned at = (unsigned)k * PERIOD;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(args, sizeof args, r->args, k);
#pragma GCC diagnostic pop
        write_kernel(f, "gemm", at, at + r->computes[k], "");
        write_kernel(f, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + r->computes[k],
                     at + r->ends[k], args);
    }
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
    trace_text_file(path, text, size, false);
    free(text);
}

static int add_rank(int i, const struct rank *r, struct error *err)
{
    struct trace t = {.nfiles = 0};
    const char *path = paths[i];
    write_rank(paths[i], r);
    int rc = trace_open(&t, &path, 1, err);
    if (rc == 0)
        rc = job_add(&j, &t, path, err);
    trace_free(&t);
    return rc;
}

static void open_job(const struct rank *r, int n)
{
    struct error err = ERROR_INIT;
    for (int i = 0; i < n; i++)
        assert_int_equal(add_rank(i, &r[i], &err), 0);
    assert_int_equal(job_finish(&j, &err), 0);
    assert_int_equal(j.n, n);
}

/* The list of all ranks' collectives is bounded, too. */
TEST_WITH(collectives_of_too_many_ranks_are_refused, NULL, tear_down)
{
    enum { CALL = 48 };
    struct error err = ERROR_INIT;
    const struct rank r[] = {make_rank(0), make_rank(1)};
    memory_set_limit((uint64_t)2 * CALL * TIMES * 3 /
                     2); /* room for those of one rank and a half */
    assert_int_equal(add_rank(0, &r[0], &err), 0);
    assert_int_equal(add_rank(1, &r[1], &err), -ENOMEM);
    memory_set_limit(0);
    assert_non_null(strstr(err.why, "400 collectives"));
    assert_non_null(strstr(err.help, "--max-memory"));
    assert_int_equal(j.n, 1);
}

/* What a loop over the arrivals says, in us. */
struct wanted {
    uint64_t last[RANKS], waited[RANKS], caused[RANKS], undecided, skew;
};

static struct wanted count_arrivals(const struct rank *r, int n)
{
    struct wanted w = {.undecided = 0};
    for (int k = 0; k < TIMES; k++) {
        unsigned last = 0, second = 0, first = UINT32_MAX;
        int who = 0;
        for (int i = 0; i < n; i++) {
            const unsigned at = r[i].computes[k];
            first = at < first ? at : first;
            if (at > last) {
                second = last;
                last = at;
                who = i;
            } else if (at > second) {
                second = at;
            }
        }
        const bool decided = (last - second) * US > JOB_APART_NS;
        w.skew += last - first;
        w.undecided += !decided;
        w.last[who] += decided;
        for (int i = 0; i < n; i++) {
            w.waited[i] += last - r[i].computes[k];
            w.caused[who] += decided ? last - r[i].computes[k] : 0;
        }
    }
    return w;
}

TEST_WITH(who_was_last_is_what_a_loop_finds, NULL, tear_down)
{
    for (int round = 0; round < 8; round++) {
        struct rank r[RANKS];
        for (int i = 0; i < RANKS; i++) {
            r[i] = make_rank(i);
            r[i].base = DAY + draw(1000) * 1000u; /* clocks do not matter */
        }
        end_together(r, RANKS);
        const struct wanted w = count_arrivals(r, RANKS);
        open_job(r, RANKS);
        assert_null(j.why_not);
        assert_int_equal(j.ngroups, 1);
        assert_int_equal(j.groups[0].together, TIMES);
        assert_int_equal(j.groups[0].undecided, w.undecided);
        assert_int_equal(j.groups[0].skew, w.skew * US);
        assert_int_equal(j.groups[0].transfer, (uint64_t)TIMES * TRANSFER * US);
        for (int i = 0; i < RANKS; i++) {
            assert_int_equal(j.ranks[i].last, w.last[i]);
            assert_int_equal(j.ranks[i].waited, w.waited[i] * US);
            assert_int_equal(j.ranks[i].caused, w.caused[i] * US);
        }
        tear_down(NULL);
        seed = (uint32_t)round * 77u + 3;
    }
}

/* engine/kernels/arrivals.c compares the times of begin, by clocks that agree. */
TEST_WITH(the_clocks_say_the_same, NULL, tear_down)
{
    struct rank r[RANKS];
    const char *list[RANKS];
    struct device_uses uses;
    struct trace t = {.nfiles = 0};
    struct error err = ERROR_INIT;
    for (int i = 0; i < RANKS; i++) {
        r[i] = make_rank(i);
        for (int k = 0; k < TIMES; k++) /* so that none is undecided */
            r[i].computes[k] = 10 * (r[i].computes[k] / 10) + (unsigned)i * 4 % 10;
    }
    for (int k = 0; k < TIMES; k++)
        r[draw(RANKS)].computes[k] = 130;
    end_together(r, RANKS);
    open_job(r, RANKS);
    for (int i = 0; i < RANKS; i++)
        list[i] = paths[i];
    assert_int_equal(trace_open(&t, list, RANKS, &err), 0);
    device_uses_find(&uses, &t);
    assert_null(uses.arrivals.why_not);
    assert_int_equal(uses.arrivals.together, j.groups[0].together);
    assert_int_equal(uses.arrivals.undecided, j.groups[0].undecided);
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(uses.arrivals.of[i].times, j.ranks[i].last);
        assert_int_equal(uses.arrivals.of[i].caused, j.ranks[i].caused);
        assert_int_equal(uses.arrivals.of[i].waited, j.ranks[i].waited);
        assert_int_equal(uses.rows[i].compute, j.ranks[i].use.compute);
        assert_int_equal(uses.rows[i].communication, j.ranks[i].use.communication);
    }
    device_uses_free(&uses);
    trace_free(&t);
}

TEST_WITH(a_rank_that_computes_longer_holds_the_others_up, NULL, tear_down)
{
    struct rank r[RANKS];
    for (int i = 0; i < RANKS; i++) {
        r[i] = make_rank(i);
        for (int k = 0; k < TIMES && i == 2; k++)
            r[i].computes[k] += 30;
    }
    end_together(r, RANKS);
    open_job(r, RANKS);
    assert_int_equal(j.straggler.rank, 2);
    assert_int_equal(j.straggler.cause, JOB_COMPUTES);
    assert_true(j.straggler.chance < 1e-6);
    assert_int_equal(j.straggler.lost, j.ranks[2].caused / (RANKS - 1));
    /* it computes 30 us longer each time, but for the noise */
    assert_true(llabs((long long)j.straggler.excess - 30LL * US * TIMES) < 4LL * US * TIMES);
    assert_int_equal(j.groups[0].latest, 2);
}

TEST_WITH(equal_ranks_hold_nobody_up, NULL, tear_down)
{
    for (uint32_t round = 0; round < 25; round++) {
        struct rank r[RANKS];
        seed = round + 1;
        for (int i = 0; i < RANKS; i++)
            r[i] = make_rank(i);
        end_together(r, RANKS);
        open_job(r, RANKS);
        assert_int_equal(j.straggler.rank, TRACE_UNKNOWN);
        tear_down(NULL);
    }
}

/* A host that was slow once stays behind without being slow. */
TEST_WITH(a_distance_that_came_by_chance_is_no_verdict, NULL, tear_down)
{
    int named = 0;
    for (uint32_t round = 0; round < 40; round++) {
        struct rank r[2];
        int behind = 0;
        seed = round * 13 + 1;
        for (int i = 0; i < 2; i++)
            r[i] = make_rank(i);
        for (int k = 0; k < TIMES; k++) {
            behind += (int)draw(7) - 3;
            r[0].computes[k] = (unsigned)(80 + (behind > 0 ? behind : 0));
            r[1].computes[k] = (unsigned)(80 + (behind < 0 ? -behind : 0));
        }
        end_together(r, 2);
        open_job(r, 2);
        named += j.straggler.rank != TRACE_UNKNOWN;
        tear_down(NULL);
    }
    assert_true(named <= 2);
}

/* What one in two jobs would show is nothing to be unsure of. */
TEST_WITH(what_chance_alone_would_do_is_called_so, NULL, tear_down)
{
    char said[JOB_LINE];
    int chance = 0;
    for (uint32_t round = 0; round < 20; round++) {
        struct rank r[2];
        seed = round * 7 + 1;
        for (int i = 0; i < 2; i++) {
            r[i] = make_rank(i);
            for (int k = 0; k < TIMES; k++)
                r[i].computes[k] = 80 + draw(40);
        }
        end_together(r, 2);
        open_job(r, 2);
        job_say_straggler(&j, said, false);
        const bool likely = j.straggler.chance > 0.5 && j.straggler.share >= JOB_LOST;
        assert_true(likely == (strncmp(said, "no rank stands out", 18) == 0));
        chance += likely;
        tear_down(NULL);
    }
    assert_true(chance > 0);
}

TEST_WITH(efficiency_is_the_product_of_its_factors, NULL, tear_down)
{
    struct rank r[RANKS];
    uint64_t sum = 0, most = 0;
    for (int i = 0; i < RANKS; i++) {
        r[i] = make_rank(i);
        uint64_t own = 0;
        for (int k = 0; k < TIMES; k++)
            own += r[i].computes[k];
        sum += own;
        most = own > most ? own : most;
    }
    end_together(r, RANKS);
    open_job(r, RANKS);
    assert_true(fabs(j.balance * j.communication - j.efficiency) < 1e-12);
    assert_true(fabs(j.balance - (double)sum / RANKS / (double)most) < 1e-12);
    assert_true(fabs(j.efficiency - (double)sum * US / RANKS / (double)j.wall) < 1e-12);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(j.ranks[i].use.wall, j.ranks[i].use.busy + j.ranks[i].use.idle);
}

TEST_WITH(ranks_are_sorted_and_missing_ones_told, NULL, tear_down)
{
    struct rank r[] = {make_rank(5), make_rank(2), make_rank(0)};
    end_together(r, 3);
    for (int i = 0; i < 3; i++)
        r[i].world = 8;
    open_job(r, 3);
    assert_string_equal(j.ranks[0].name, "rank 0");
    assert_string_equal(j.ranks[1].name, "rank 2");
    assert_string_equal(j.ranks[2].name, "rank 5");
    assert_int_equal(j.missing, 5);
    assert_int_equal(j.groups[0].members, 3);
    assert_int_equal(j.groups[0].together, 0); /* one that is missing may have been the last */
    assert_non_null(j.why_not);
}

TEST_WITH(numbers_of_the_file_match_what_began_at_different_steps, NULL, tear_down)
{
    struct rank r[2] = {make_rank(0), make_rank(1)};
    end_together(r, 2);
    r[0].args = r[1].args =
        ",\"Collective name\":\"allreduce\",\"In msg nelems\":1000,\"Out msg nelems\":1000,"
        "\"dtype\":\"Float\",\"Group size\":2,\"Process Group Name\":\"0\",\"Seq\":%d";
    r[0].to = TIMES - 7;
    r[1].from = 5;
    open_job(r, 2);
    assert_int_equal(j.groups[0].together, TIMES - 12);
    assert_int_equal(j.groups[0].unmatched, 12);
    assert_string_equal(j.groups[0].group, "0");
    /* 2 (n - 1) / n of 4000 bytes in 20 us: nccl-tests, doc/PERFORMANCE.md */
    assert_true(fabs(j.groups[0].bus - 4000 / 20e-6) < 1);
}

TEST_WITH(without_numbers_other_counts_are_not_matched, NULL, tear_down)
{
    struct rank r[2] = {make_rank(0), make_rank(1)};
    end_together(r, 2);
    r[0].to = TIMES - 1;
    open_job(r, 2);
    assert_non_null(j.why_not);
    assert_int_equal(j.groups[0].together, 0);
    assert_int_equal(j.groups[0].unmatched, 2 * TIMES - 1);
    assert_int_equal(j.straggler.rank, TRACE_UNKNOWN);
}

#define GROUP(name, size)                                                                          \
    ",\"Collective name\":\"allreduce\",\"In msg nelems\":1000,\"Out msg nelems\":1000,"           \
    "\"dtype\":\"Float\",\"Group size\":" #size ",\"Process Group Name\":\"" name "\""

TEST_WITH(groups_of_some_ranks_are_matched_by_themselves, NULL, tear_down)
{
    struct rank r[RANKS];
    for (int i = 0; i < RANKS; i++)
        r[i] = make_rank(i);
    end_together(r, 2);
    end_together(r + 2, 2);
    r[0].args = r[1].args = GROUP("tp0", 2);
    r[2].args = r[3].args = GROUP("tp1", 2);
    open_job(r, RANKS);
    assert_int_equal(j.ngroups, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(j.groups[i].together, TIMES);
        assert_int_equal(j.groups[i].members, 2);
    }
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(j.ranks[i].together, TIMES);
}

TEST_WITH(a_group_with_a_missing_rank_is_not_judged, NULL, tear_down)
{
    struct rank r[2] = {make_rank(0), make_rank(1)};
    end_together(r, 2);
    r[0].args = r[1].args = GROUP("0", 4);
    open_job(r, 2);
    assert_int_equal(j.groups[0].together, 0);
    assert_non_null(j.why_not);
    assert_int_equal(j.ranks[0].waited, 0);
}

TEST_WITH(profiles_of_different_times_are_not_compared, NULL, tear_down)
{
    struct rank r[2] = {make_rank(0), make_rank(1)};
    end_together(r, 2);
    r[1].base = DAY + UINT64_C(3600000000000);
    open_job(r, 2);
    assert_non_null(strstr(j.why_not, "different times"));
}

TEST_WITH(two_files_of_one_rank_are_refused, NULL, tear_down)
{
    struct rank r[2] = {make_rank(3), make_rank(3)};
    struct error err = ERROR_INIT;
    end_together(r, 2);
    assert_int_equal(add_rank(0, &r[0], &err), 0);
    assert_int_equal(add_rank(1, &r[1], &err), 0);
    assert_true(job_finish(&j, &err) < 0);
    assert_non_null(strstr(err.why, "rank 3"));
}

TEST_WITH(one_rank_and_none_are_no_error, NULL, tear_down)
{
    struct rank r = make_rank(0);
    struct error err = ERROR_INIT;
    end_together(&r, 1);
    assert_int_equal(job_finish(&j, &err), 0);
    assert_true(isnan(j.efficiency));
    job_free(&j);
    open_job(&r, 1);
    assert_non_null(j.why_not);
    assert_int_equal(j.straggler.rank, TRACE_UNKNOWN);
    assert_true(j.balance == 1);
}

/* The fixture's files have no "rank" in their names; these do. */
TEST_WITH(ranks_are_read_from_names_that_differ, NULL, tear_down)
{
    static const char *const names[] = {"/tmp/rooftop-rank-12.json", "/tmp/rooftop-rank-3.json"};
    for (int same = 0; same < 2; same++) {
        struct error err = ERROR_INIT;
        for (int i = 0; i < 2; i++) {
            struct rank r = make_rank(-1);
            struct trace t = {.nfiles = 0};
            const char *path = paths[0];
            end_together(&r, 1);
            write_rank(paths[0], &r);
            assert_int_equal(trace_open(&t, &path, 1, &err), 0);
            assert_int_equal(job_add(&j, &t, names[same ? 0 : i], &err), 0);
            trace_free(&t);
            unlink(paths[0]);
        }
        assert_int_equal(job_finish(&j, &err), 0);
        assert_string_equal(j.ranks[0].name, same ? "rooftop-rank-12.json" : "rank 3");
        assert_int_equal(j.ranks[1].number, same ? TRACE_UNKNOWN : 12);
        tear_down(NULL);
    }
}

/* All ranks in one file, each a program with a device of its own. */
static void write_merged(char *path, const struct rank *r, int n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs("{\"traceEvents\":[", f);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < TIMES; k++)
            for (int kind = 0; kind < 2; kind++) {
                const unsigned at = (unsigned)k * PERIOD, id = (unsigned)(2 * k + kind + 1);
                const unsigned from = kind ? at + r[i].computes[k] : at;
                fprintf(
                    f,
                    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
                    "\"pid\":%d,\"tid\":1,\"ts\":%u.5,\"dur\":0.1,\"args\":{\"correlation\":%u}},"
                    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":%d,\"tid\":7,"
                    "\"ts\":%u,\"dur\":%u,\"args\":{\"device\":%d,\"stream\":7,"
                    "\"correlation\":%u}},",
                    100 + i, at ? at - 1 : 0, id,
                    kind ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "gemm", i, from + 1,
                    kind ? r[i].ends[k] - r[i].computes[k] : r[i].computes[k], i, id);
            }
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
    trace_text_file(path, text, size, false);
    free(text);
}

TEST_WITH(one_file_of_all_ranks_equals_a_file_each, NULL, tear_down)
{
    struct rank r[RANKS];
    struct trace t = {.nfiles = 0};
    struct error err = ERROR_INIT;
    const char *path = paths[0];
    for (int i = 0; i < RANKS; i++)
        r[i] = make_rank(i);
    end_together(r, RANKS);
    const struct wanted w = count_arrivals(r, RANKS);
    write_merged(paths[0], r, RANKS);
    assert_int_equal(trace_open(&t, &path, 1, &err), 0);
    assert_int_equal(job_add(&j, &t, path, &err), 0);
    trace_free(&t);
    assert_int_equal(job_finish(&j, &err), 0);
    assert_int_equal(j.n, RANKS);
    assert_int_equal(j.groups[0].together, TIMES);
    assert_int_equal(j.groups[0].skew, w.skew * US);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(j.ranks[i].last, w.last[i]);
        assert_int_equal(j.ranks[i].waited, w.waited[i] * US);
        assert_int_equal(j.ranks[i].caused, w.caused[i] * US);
    }
}

/* A group of one rank has nobody to wait for, whatever its name in other ranks. */
TEST_WITH(a_group_of_one_rank_waits_for_nobody, NULL, tear_down)
{
    struct rank r[2] = {make_rank(0), make_rank(1)};
    end_together(r, 2);
    r[0].args = r[1].args = GROUP("own", 1) ",\"Seq\":%d";
    r[1].from = 5;
    open_job(r, 2);
    assert_int_equal(j.groups[0].together, 0);
    assert_int_equal(j.groups[0].unmatched, 2 * TIMES - 5);
    assert_int_equal(j.ranks[0].last, 0);
}
