/*
 * Measures each workload on both paths in short slices: the clock, the stream without counters, the
 * stream with one set of counters. Disturbances only make a slice longer, so the fastest tenth of
 * them is reported, with their median beside it.
 */
#include "backends/lab/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/lab/lab_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "vtpu/interpret.h"

enum {
    SLICE_NS = 80000,     /* approximate duration of a slice of the stream */
    RUN_NS = 100000000,   /* duration of one workload on one path */
    ROUNDS_MAX = 1000,    /* limit of slices that are kept */
    ROUNDS_LEAST = 5,     /* least number, even if they take longer */
    TRY_ROUNDS = 40,      /* rounds for choosing between the targets, before */
    CLOCK_CHAINS = 15000, /* additions in a slice of the clock, in tens */
};

struct run {
    struct vtpu_state state;
    struct vtpu_program *program;
    struct native native; /* run is NULL for the interpreter */
    size_t passes;        /* in a slice */
    double clock[ROUNDS_MAX], time[ROUNDS_MAX], cost[ROUNDS_MAX];
    size_t rounds, costs;
    double sum[LAB_SUMS], counted[LAB_SUMS]; /* sums of counts; numbers of counted passes */
};

static void run_lab_passes(struct run *r)
{
    if (r->native.run)
        r->native.run(&r->state, r->passes);
    else
        vtpu_interpret(&r->state, r->program, r->passes);
}

/* Measures the clock in Hz, or NaN: dependent additions take a cycle each on all these CPUs. Adds
 * registers, because some CPUs add constants while they rename. */
static double clock_slice(void)
{
#if defined __x86_64__ || defined __aarch64__
    uint64_t begin = env_now_ns(), a = 1, b = 3;
    for (int i = 0; i < CLOCK_CHAINS; i++) {
#if defined __x86_64__
#define ADD "add %1, %0\n"
#else
#define ADD "add %0, %0, %1\n"
#endif
        __asm__ volatile(ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD : "+r"(a) : "r"(b));
    }
    return 1e9 * 10 * CLOCK_CHAINS / (double)(env_now_ns() - begin);
#else
    return NAN;
#endif
}

static double time_lab_slice(struct run *r)
{
    uint64_t begin = env_now_ns();
    run_lab_passes(r);
    return (double)(env_now_ns() - begin) * 1e-9 / (double)r->passes;
}

/* Chooses the number of passes that take as long as a slice should. */
static void choose_passes(struct run *r)
{
    r->passes = 1;
    run_lab_passes(r); /* warm up */
    double one = time_lab_slice(r), again = time_lab_slice(r);
    one = again < one ? again : one;
    r->passes = one > 0 ? (size_t)(SLICE_NS * 1e-9 / one) + 1 : 1;
    run_lab_passes(r);
}

/* Runs a slice with the set open. Its pair is the slice without counters just before. */
static void counted_slice(struct run *r, struct lab_set *s, double without)
{
    double sum[LAB_SUMS] = {0};
    if (*s->why || lab_set_open(s) < 0)
        return;
    uint64_t begin = env_now_ns();
    int rc = lab_set_read(s, NULL);
    run_lab_passes(r);
    if (rc == 0)
        rc = lab_set_read(s, sum);
    double with = (double)(env_now_ns() - begin) * 1e-9 / (double)r->passes;
    lab_set_close(s);
    if (rc < 0)
        return;
    for (size_t i = 0; i < s->n; i++) {
        r->sum[s->number[i]] += sum[s->number[i]];
        r->counted[s->number[i]] += (double)r->passes;
    }
    r->cost[r->costs++] = with / without - 1;
}

static void measure_rounds(struct run *r, struct lab_set sets[LAB_SETS])
{
    uint64_t end = env_now_ns() + RUN_NS;
    while (r->rounds < ROUNDS_MAX && (r->rounds < ROUNDS_LEAST || env_now_ns() < end)) {
        r->clock[r->rounds] = clock_slice();
        double without = r->time[r->rounds] = time_lab_slice(r);
        counted_slice(r, &sets[r->rounds % LAB_SETS], without);
        r->rounds++;
    }
}

/* Computes the median and its interval of 95 %: order statistics around it, by the normal
 * approximation of the binomial distribution. */
static void sum_up_cost(struct run *r, double out[LAB_NUMBERS])
{
    double half = 0.98 / sqrt((double)(r->costs ? r->costs : 1));
    out[LAB_COST] = lab_quantile(r->cost, r->costs, 0.5);
    out[LAB_COST_LOW] = lab_quantile(r->cost, r->costs, half < 0.5 ? 0.5 - half : 0);
    out[LAB_COST_HIGH] = lab_quantile(r->cost, r->costs, half < 0.5 ? 0.5 + half : 1);
}

/* Prints a line after that of the run, if the slots were counted. */
static void print_topdown(FILE *out, const struct vtpu_workload *load, enum lab_path path,
                          const struct run *r, const struct lab_set *s)
{
    double counts[LAB_EVENTS] = {0}, part[LAB_TOPDOWN_PARTS];
    for (size_t i = 0; i < s->n; i++) {
        if (!(r->counted[s->number[i]] > 0))
            return;
        counts[i] = r->sum[s->number[i]];
    }
    lab_topdown(s, counts, part);
    print_text(out, "topdown %s %s", load->name, lab_path_name(path));
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++) {
        if (isnan(part[i]))
            fputs(" -", out);
        else
            fprintf(out, " %.9g", part[i]);
    }
    fputc('\n', out);
}

static void print_run(FILE *out, const struct vtpu_workload *load, enum lab_path path,
                      struct run *r)
{
    double n[LAB_NUMBERS];
    for (int i = LAB_CYCLES; i <= LAB_L1_MISSES; i++)
        n[i] = r->counted[i] > 0 ? r->sum[i] / r->counted[i] : NAN;
    n[LAB_TIME] = lab_quantile(r->time, r->rounds, 0.1);
    n[LAB_MEDIAN] = lab_quantile(r->time, r->rounds, 0.5);
    n[LAB_CLOCK] = lab_quantile(r->clock, r->rounds, 0.9);
    sum_up_cost(r, n);
    print_text(out, "run %s %s", load->name, lab_path_name(path));
    for (int i = 0; i < LAB_NUMBERS; i++) {
        if (isnan(n[i]))
            fputs(" -", out);
        else
            fprintf(out, " %.9g", n[i]);
    }
    fputc('\n', out);
    fflush(out);
}

/* NULL if the system refuses memory for the code. */
static struct run *open_compiled(const struct siw *words, enum vtpu_target target)
{
    struct run *r = xcalloc(1, sizeof *r);
    struct vtpu_native code;
    vtpu_compile(target, words, LAB_WORDS, &code);
    const int rc = native_load(&r->native, &code, NULL);
    free(code.bytes);
    if (rc < 0) {
        free(r);
        return NULL;
    }
    vtpu_state_open(&r->state, 1);
    return r;
}

static void close_run(struct run *r)
{
    native_unload(&r->native);
    vtpu_program_free(r->program);
    vtpu_state_close(&r->state);
    free(r);
}

static void measure_lab_stream(FILE *out, const struct vtpu_workload *load, const struct siw *words,
                               enum lab_path path, enum vtpu_target target,
                               struct lab_set sets[LAB_SETS])
{
    struct run *r =
        path == LAB_COMPILED ? open_compiled(words, target) : xcalloc(1, sizeof(struct run));
    if (!r)
        return;
    if (path == LAB_INTERPRETER) {
        vtpu_state_open(&r->state, 1);
        r->program = vtpu_program_new(words, LAB_WORDS);
    }
    choose_passes(r);
    measure_rounds(r, sets);
    print_run(out, load, path, r);
    if (!*sets[LAB_SET_TOPDOWN].why)
        print_topdown(out, load, path, r, &sets[LAB_SET_TOPDOWN]);
    close_run(r);
}

/* --- choosing the target --- */

/*
 * Chooses the target for compiling streams: the fastest that this processor has, or the requested
 * one; -1: none. It must be measured: a 64-bit multiplication of vectors is three micro-operations
 * on Intel's cores and one on AMD's. The candidates take turns, so that disturbances hit all alike.
 */
static int choose_target(FILE *out, const char *asked)
{
    static struct siw words[LAB_WORDS];
    static double times[VTPU_TARGETS * TRY_ROUNDS];
    struct run *runs[VTPU_TARGETS];
    enum vtpu_target targets[VTPU_TARGETS];
    double clock[TRY_ROUNDS], fast[VTPU_TARGETS];
    size_t n = 0, best;
    int chosen = -1;
    vtpu_stream(vtpu_workload_find("balanced"), words, LAB_WORDS, 0);
    for (int t = 0; t < VTPU_TARGETS; t++) {
        targets[n] = (enum vtpu_target)t;
        runs[n] = vtpu_target_runs(targets[n]) ? open_compiled(words, targets[n]) : NULL;
        if (!runs[n])
            continue;
        choose_passes(runs[n++]);
    }
    for (size_t round = 0; round < TRY_ROUNDS; round++) {
        clock[round] = clock_slice();
        for (size_t k = 0; k < n; k++)
            times[k * TRY_ROUNDS + round] = time_lab_slice(runs[k]);
    }
    best = lab_fastest(times, n, TRY_ROUNDS, fast);
    const double hz = lab_quantile(clock, TRY_ROUNDS, 0.9);
    for (size_t k = 0; k < n; k++) {
        const char *name = vtpu_target_name(targets[k]);
        print_text(out, "candidate %.2f %s\n",
                   (double)vtpu_stream_ops(words, LAB_WORDS) / (fast[k] * hz), name);
        if (asked ? strcmp(asked, name) == 0 : k == best)
            chosen = (int)targets[k];
        close_run(runs[k]);
    }
    return chosen;
}

void lab_measure(FILE *out, const char *asked)
{
    static struct siw words[LAB_WORDS];
    static struct lab_set sets[LAB_SETS];
    static const char *const keys[LAB_SETS] = {"counters", "macro-ops", "l1", "slots"};
    const int target = choose_target(out, asked);
    lab_sets_find(sets);
    if (target >= 0)
        print_text(out, "target %s\n", vtpu_target_name((enum vtpu_target)target));
    for (int i = 0; i < LAB_SETS; i++)
        if (*sets[i].why)
            print_text(out, "%s %s\n", keys[i], sets[i].why);
    for (size_t k = 0; k < vtpu_nworkloads; k++) {
        const struct vtpu_workload *load = &vtpu_workloads[k];
        vtpu_stream(load, words, LAB_WORDS, 0);
        measure_lab_stream(out, load, words, LAB_INTERPRETER, VTPU_TARGET_X86, sets);
        if (target >= 0)
            measure_lab_stream(out, load, words, LAB_COMPILED, (enum vtpu_target)target, sets);
    }
    fputs("complete\n", out);
    fflush(out);
}
