#include "engine/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/list.h"
#include "engine/bench/relink.h"

/* Computes the interval again when the number of runs has grown by a tenth, and first after
 * FEWEST. */
enum { FEWEST = 8, CLEAR = 8 /* a clear difference reaches so much further than its error */ };
/* A core that is busy for a smaller share of its time counts as idle: clocks and housekeeping
 * always take some. */
static const double IDLE = 0.1;

/* The times of a run. UNQUEUED: elapsed time without the time spent waiting for a core; NAN if
 * that is unknown. */
enum clock { ELAPSED, CPU, UNQUEUED };

static double time_by(const struct bench_sample *s, enum clock by)
{
    const double queued = by == UNQUEUED ? s->counters[COUNTER_QUEUED] : 0;
    const double time = by == CPU ? s->user + s->system : s->elapsed - queued;
    return isnan(time) ? time : fmax(time, 1e-9);
}

double bench_time(const struct bench *b, const struct bench_sample *s)
{
    return time_by(s, b->plan.cpu_time ? CPU : ELAPSED);
}

const char *const bench_counter_names[BENCH_COUNTERS] = {
    "cycles",       "instructions", "branch_misses", "cache_misses", "task_clock",
    "minor_faults", "major_faults", "switches",      "preemptions",  "queued"};

double bench_counted(const struct bench_side *s, enum bench_counter c)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double v = s->samples[i].counters[c];
        if (c == COUNTER_QUEUED && isnan(v))
            continue;
        sum += v;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

void bench_ends_add(struct bench_ends *e, int status)
{
    e->runs++;
    if (status == 0)
        return;
    e->status = e->failed && e->status != status ? -1 : status;
    e->failed++;
}

struct bench_ends bench_ends_of(const struct bench_side *s)
{
    struct bench_ends e = {.runs = 0};
    for (size_t i = 0; i < s->n; i++)
        bench_ends_add(&e, s->samples[i].status);
    return e;
}

bool bench_ends_alike(const struct bench_ends *a, const struct bench_ends *b)
{
    bool none = a->failed == 0 && b->failed == 0;
    bool all = a->failed == a->runs && b->failed == b->runs;
    return none || (all && a->status == b->status && a->status != -1);
}

const char *bench_ends_text(const struct bench_ends *e, char out[96])
{
    char what[32] = "several statuses";
    *out = '\0';
    if (e->status != -1)
        snprintf(what, sizeof what, "status %d", e->status);
    if (e->failed && e->failed == e->runs)
        snprintf(out, 96, "all %zu run%s failed (%s)", e->runs, e->runs == 1 ? "" : "s", what);
    else if (e->failed)
        snprintf(out, 96, "%zu of %zu runs failed (%s)", e->failed, e->runs, what);
    return out;
}

bool bench_comparable(const struct bench *b)
{
    struct bench_ends a = bench_ends_of(&b->side[0]), c = bench_ends_of(&b->side[1]);
    return bench_ends_alike(&a, &c);
}

static double *times_of(const struct bench *b, const struct bench_side *s)
{
    double *v = xcalloc(s->n ? s->n : 1, sizeof *v);
    for (size_t i = 0; i < s->n; i++)
        v[i] = bench_time(b, &s->samples[i]);
    return v;
}

struct interval bench_median(const struct bench *b, size_t side)
{
    double *v = times_of(b, &b->side[side]);
    struct interval i = interval_of_median(v, b->side[side].n, 1 - b->plan.confidence);
    free(v);
    return i;
}

/* The probability that the interval of a ratio misses the true ratio. Where CPU time may decide
 * in place of elapsed time, each gets half of it, so that the verdict keeps the whole. */
static double alpha_of(const struct bench *b)
{
    return (1 - b->plan.confidence) / (b->plan.cpu_time ? 1 : 2);
}

double bench_ratio_confidence(const struct bench *b)
{
    return 1 - alpha_of(b);
}

/* The logarithm of the ratio of the second command's time to the first's; two-sided. */
static struct interval ratio_by(const struct bench *b, enum clock by)
{
    const struct bench_sample *first = b->side[0].samples, *second = b->side[1].samples;
    size_t n = b->side[1].n < b->side[0].n ? b->side[1].n : b->side[0].n;
    double *d = xcalloc(n ? n : 1, sizeof *d);
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        d[known] = log(time_by(&second[i], by) / time_by(&first[i], by));
        known += !isnan(d[known]);
    }
    struct interval i = interval_of_pairs(d, known, alpha_of(b));
    free(d);
    return i;
}

static struct interval measured_ratio(const struct bench *b)
{
    return ratio_by(b, b->plan.cpu_time ? CPU : ELAPSED);
}

static struct interval exponents_of_interval(struct interval i)
{
    return (struct interval){exp(i.estimate), isinf(i.low) ? i.low : exp(i.low), exp(i.high)};
}

struct interval bench_factor(const struct bench *b)
{
    return exponents_of_interval(measured_ratio(b));
}

struct bench_answer bench_answer_of(const struct bench *b)
{
    const struct interval none = {NAN, -INFINITY, INFINITY}, ratio = measured_ratio(b);
    struct bench_answer a = {
        .measured = exponents_of_interval(ratio), .cpu = none, .unqueued = none};
    if (bench_comparable(b))
        a.verdict = verdict_of(&ratio, b->plan.margin);
    if (b->plan.cpu_time || !bench_comparable(b))
        return a;
    const struct interval cpu = ratio_by(b, CPU), own = ratio_by(b, UNQUEUED);
    const enum ratio_verdict v = verdict_of(&cpu, b->plan.margin);
    a.cpu = exponents_of_interval(cpu);
    a.unqueued = exponents_of_interval(own);
    a.by_cpu = a.verdict == VERDICT_NOT_DECIDED && v != VERDICT_NOT_DECIDED &&
               verdict_of(&own, b->plan.margin) == v && cpu.low <= ratio.high &&
               ratio.low <= cpu.high;
    if (a.by_cpu)
        a.verdict = v;
    return a;
}

const struct interval *bench_answer_ratio(const struct bench_answer *a)
{
    return a->by_cpu ? &a->cpu : &a->measured;
}

bool bench_disturbed(const struct bench *b)
{
    return b->plan.duet && (b->plan.busy[0] > IDLE || b->plan.busy[1] > IDLE);
}

static bool is_narrow(const struct bench *b, size_t side)
{
    struct interval i = bench_median(b, side);
    return (i.high - i.low) / 2 <= log1p(b->plan.precision) * i.estimate;
}

static bool has_median_intervals(const struct bench *b)
{
    return isfinite(bench_median(b, 0).high) && isfinite(bench_median(b, 1).high);
}

bool bench_clear(const struct bench *b)
{
    if (b->sides < 2 || b->plan.to_precision || !bench_comparable(b))
        return false;
    const struct interval i = measured_ratio(b);
    const double nearest = fmax(i.low, -i.high); /* of the interval's ends to no difference */
    return nearest > log1p(b->plan.margin) && (i.high - i.low) / 2 <= nearest / CLEAR &&
           has_median_intervals(b);
}

/*
 * Whether more runs would add nothing: the difference is clear, or the verdict is decided and its
 * interval narrow. Without a verdict the intervals of the medians must be narrow. The intervals
 * hold whenever the runs end (interval.h), so that no rule for the end can weaken them.
 */
static bool is_enough(const struct bench *b)
{
    double width = log1p(b->plan.precision);
    if (bench_clear(b))
        return true;
    if (b->sides == 2 && bench_comparable(b)) {
        struct interval i = measured_ratio(b);
        return verdict_of(&i, b->plan.margin) != VERDICT_NOT_DECIDED &&
               (i.high - i.low) / 2 <= width;
    }
    return is_narrow(b, 0) && (b->sides == 1 || is_narrow(b, 1));
}

static bool is_stopped(const struct runner_ops *with)
{
    return with->stopped && with->stopped() != 0;
}

/* Runs each command once, in random order, or on randomly assigned CPUs. */
static int run_round(struct bench *b, const struct runner_ops *with, bool keep, struct error *err)
{
    struct bench_sample got[2];
    unsigned char coin = 0;
    if (b->sides == 2)
        env_random(&coin, 1);
    size_t first = coin & 1;
    char **argv[2] = {b->side[first].argv, b->side[1 - first].argv};
    int rc = b->plan.relink ? relink_run(b->plan.relink, with, err) : 0;
    if (rc != 0)
        return rc;
    if (b->plan.duet && b->sides == 2)
        rc = with->run(argv, 2, b->plan.cpus, got, err);
    else
        for (size_t i = 0; i < b->sides && rc == 0; i++)
            rc = with->run(&argv[i], 1, NULL, &got[i], err);
    if (rc == 0 && is_stopped(with)) /* the signal ended these runs too */
        rc = -EINTR;
    for (size_t i = 0; i < b->sides && rc == 0; i++) {
        struct bench_side *s = &b->side[b->sides == 2 && i != first];
        struct bench_sample *sample = &got[s == &b->side[first] ? 0 : 1];
        if (sample->status != 0 && !b->plan.any_status)
            return error_set(err, ERROR_TARGET, ECHILD, "--any-status measures runs that fail, too",
                             s->name, "it ended with status %d", sample->status);
        LIST_ROOM(s->samples, s->n, s->cap);
        if (keep)
            s->samples[s->n++] = *sample;
    }
    return rc;
}

static int run_until_enough(struct bench *b, const struct runner_ops *with, struct error *err)
{
    const uint64_t end = env_now_ns() + (uint64_t)(b->plan.for_s * 1e9);
    size_t look = FEWEST;
    int rc = 0;
    for (size_t n = 0; rc == 0 && n < b->plan.runs && (n == 0 || env_now_ns() < end);) {
        rc = run_round(b, with, true, err);
        n++;
        if (rc == 0 && b->plan.watch)
            b->plan.watch(b->plan.watch_ctx, b, ((double)end - (double)env_now_ns()) * 1e-9);
        if (rc == 0 && n >= look) {
            if (is_enough(b))
                break;
            look = n + 1 + n / 10;
        }
    }
    return rc;
}

/* A signal ended the measurement: what was measured before it counts. */
static int end_stopped(struct bench *b, const struct runner_ops *with, struct error *err)
{
    b->stopped = with->stopped();
    *err = (struct error)ERROR_INIT;
    if (b->side[0].n)
        return 0;
    return error_set(err, ERROR_TARGET, EINTR, "let it run longer", b->side[0].name,
                     "a signal ended it before the first run that counts had ended");
}

int bench_measure(struct bench *b, const struct runner_ops *with, struct error *err)
{
    int rc = b->plan.duet ? with->two_cpus(b->plan.cpus, b->plan.busy, err) : 0;
    with->conditions(&b->conditions);
    if (rc == 0 && b->plan.relink)
        rc = relink_run(b->plan.relink, with, err); /* so that the programs are there */
    for (size_t i = 0; i < b->sides; i++)
        with->compiler(b->side[i].argv[0], b->side[i].compiler, sizeof b->side[i].compiler);
    for (size_t i = 0; i < b->plan.warmup && rc == 0; i++)
        rc = run_round(b, with, false, err);
    if (rc == 0)
        rc = run_until_enough(b, with, err);
    if (rc != 0 && is_stopped(with))
        rc = end_stopped(b, with, err);
    return rc;
}

void bench_free(struct bench *b)
{
    free(b->side[0].samples);
    free(b->side[1].samples);
    *b = (struct bench){0};
}
