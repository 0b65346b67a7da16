/*
 * A transformer that does real work, instrumented with librooftop: what `make run` watches when it
 * is given nothing else, and an example of how bricks are told.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rooftop/brick.h>

#include "cost.h"
#include "model.h"

struct options {
    struct shape shape;
    long tokens, threads, seed;
    double seconds;
    const char *backend, *sync;
    int check, cost, quiet, no_bricks, print_tokens, report;
};

static volatile sig_atomic_t stop;
static void on_signal(int signo)
{
    stop = signo;
}

static const struct {
    const char *name, *what;
    long least, most;
} numbers[] = {
    {"layers", "layers", 1, 200},
    {"dim", "width; a multiple of heads", 16, 16384},
    {"heads", "attention heads", 1, 256},
    {"ffn", "width of the feed-forward part", 16, 65536},
    {"vocab", "tokens it knows", 2, 1000000},
    {"context", "positions it remembers", 1, 65536},
    {"tokens", "stop after so many; 0 = never", 0, 1000000000},
    {"threads", "threads", 1, 64},
    {"seed", "of the weights", 1, 1000000000},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static int usage(FILE *out)
{
    fprintf(out, "transformer: a small transformer, timed by librooftop\n\n");
    for (int i = 0; i < NUMBERS; i++)
        fprintf(out, "  --%-8s N   %s (%ld to %ld)\n", numbers[i].name, numbers[i].what,
                numbers[i].least, numbers[i].most);
    fprintf(out,
            "  --seconds  S   stop after so long; 0 = never\n"
            "  --backend  B   scalar, sse, avx2, avx512, neon; best; all, one after the other\n"
            "  --sync     M   immediate, per-layer, deferred, none\n"
            "  --no-bricks    record nothing\n"
            "  --report       tell at the end what its bricks took (rooftop_report)\n"
            "  --check        compare every backend this CPU has with the scalar one\n"
            "  --cost         run tokens by turns with and without bricks, and compare\n"
            "  --print-tokens print the tokens it produces\n"
            "  --quiet        print nothing else\n");
    return out == stdout ? 0 : 2;
}

static int bad(const char *what, const char *why)
{
    fprintf(stderr, "transformer: %s: %s; see --help\n", what, why);
    return 2;
}

static long *number_at(struct options *o, int i, int **small)
{
    int *ints[] = {&o->shape.layers, &o->shape.dim,   &o->shape.heads,
                   &o->shape.ffn,    &o->shape.vocab, &o->shape.context};
    long *longs[] = {&o->tokens, &o->threads, &o->seed};
    *small = i < 6 ? ints[i] : NULL;
    return i < 6 ? NULL : longs[i - 6];
}

static int set_number(struct options *o, int i, const char *text)
{
    char *end;
    int *small;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (errno || *end || end == text || v < numbers[i].least || v > numbers[i].most)
        return bad(text, "not a number in the range of this option");
    long *large = number_at(o, i, &small);
    if (small)
        *small = (int)v;
    else
        *large = v;
    return 0;
}

static int set_option(struct options *o, const char *name, const char *value)
{
    char *end;
    for (int i = 0; i < NUMBERS; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return set_number(o, i, value);
    if (strcmp(name, "backend") == 0) {
        o->backend = value;
        return strcmp(value, "all") == 0 || backend_named(value)
                   ? 0
                   : bad(value, "this CPU, or this build, has no such backend");
    }
    if (strcmp(name, "seconds") == 0) {
        o->seconds = strtod(value, &end);
        return *end || end == value || !(o->seconds >= 0) ? bad(value, "not a number of seconds")
                                                          : 0;
    }
    o->sync = value;
    static const char *const modes[] = {"immediate", "per-layer", "deferred", "none"};
    for (int i = 0; i < 4; i++)
        if (strcmp(value, modes[i]) == 0) {
            rooftop_set_sync((enum rooftop_sync)i);
            return 0;
        }
    return bad(value, "no such sync mode");
}

static int parse(struct options *o, int argc, char **argv)
{
    static const char *const with_value[] = {"backend", "seconds", "sync"};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--help") == 0)
            exit(usage(stdout));
        int *flag = strcmp(name, "--check") == 0          ? &o->check
                    : strcmp(name, "--cost") == 0         ? &o->cost
                    : strcmp(name, "--quiet") == 0        ? &o->quiet
                    : strcmp(name, "--no-bricks") == 0    ? &o->no_bricks
                    : strcmp(name, "--print-tokens") == 0 ? &o->print_tokens
                    : strcmp(name, "--report") == 0       ? &o->report
                                                          : NULL;
        if (flag) {
            *flag = 1;
            continue;
        }
        int known = 0;
        for (int k = 0; strncmp(name, "--", 2) == 0 && k < NUMBERS; k++)
            known |= strcmp(name + 2, numbers[k].name) == 0;
        for (int k = 0; strncmp(name, "--", 2) == 0 && k < 3; k++)
            known |= strcmp(name + 2, with_value[k]) == 0;
        if (!known)
            return bad(name, "no such option");
        if (i + 1 == argc)
            return bad(name, "it needs a value");
        int rc = set_option(o, name + 2, argv[++i]);
        if (rc != 0)
            return rc;
    }
    return o->shape.dim % o->shape.heads || o->shape.dim / o->shape.heads % 2
               ? bad("--dim", "it is not an even multiple of --heads")
               : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- checking --- */

static int check(struct model *m, struct pool *p, const struct shape *s)
{
    enum { STEPS = 8 };
    const struct kernels *const *list = backends_here();
    float *want = malloc(STEPS * (size_t)s->vocab * sizeof *want);
    int tokens[STEPS + 1] = {1}, failed = 0;
    for (size_t b = 0; want && list[b]; b++) {
        double worst = 0, most = 0;
        model_reset(m);
        for (int i = 0; i < STEPS; i++) {
            int next = model_step(m, list[b], p, tokens[i]);
            const float *got = model_logits(m);
            if (b == 0) {
                tokens[i + 1] = next;
                memcpy(want + (size_t)i * (size_t)s->vocab, got, (size_t)s->vocab * sizeof *got);
            }
            for (int v = 0; v < s->vocab; v++) {
                double w = want[(size_t)i * (size_t)s->vocab + (size_t)v];
                worst = fmax(worst, fabs(got[v] - w));
                most = fmax(most, fabs(w));
            }
        }
        int ok = worst <= 1e-3 * most;
        printf("%-8s largest difference %.3g of %.3g: %s\n", list[b]->name, worst, most,
               ok ? "ok" : "WRONG");
        failed |= !ok;
    }
    free(want);
    return failed;
}

/* --- running --- */

static void run_backend(struct model *m, const struct kernels *k, struct pool *p,
                        const struct options *o)
{
    /* It tells no peaks: rooftop has those of this host (rooftop lab roofs), by the backend's name
     * and the number of threads. */
    rooftop_id backend = rooftop_backend(k->name, 0, 0, "");
    rooftop_timer scope = rooftop_start(backend);
    model_backend(m, k, pool_threads(p), backend);
    double begin = now();
    long n = 0;
    int token = 1;
    model_reset(m);
    while (!stop && (!o->tokens || n < o->tokens) &&
           (o->seconds <= 0 || now() - begin < o->seconds)) {
        token = model_step(m, k, p, token);
        n++;
        if (o->print_tokens)
            printf("%d\n", token);
    }
    rooftop_stop(scope, 0);
    if (!o->quiet)
        printf("%-8s %ld tokens, %.1f tokens/s\n", k->name, n, (double)n / (now() - begin));
    fflush(stdout);
}

static int run(struct model *m, struct pool *p, const struct options *o)
{
    const struct kernels *const *list = backends_here();
    if (o->check)
        return check(m, p, &o->shape);
    if (o->cost)
        return cost_measure(m, backend_named(o->backend), p, o->tokens);
    if (!o->quiet)
        printf("%d layers of %d, %.1f MB of weights, %d threads%s%s\n", o->shape.layers,
               o->shape.dim, (double)model_bytes(m) / 1e6, pool_threads(p),
               *rooftop_error() ? "; not recorded: " : "", rooftop_error());
    fflush(stdout);
    if (strcmp(o->backend, "all") != 0) {
        run_backend(m, backend_named(o->backend), p, o);
        return 0;
    }
    for (size_t i = 0; list[i] && !stop; i++)
        run_backend(m, list[i], p, o);
    return 0;
}

static void print_report(void)
{
    size_t size = rooftop_report(NULL, 0) + 1;
    char *text = malloc(size);
    if (text) {
        rooftop_report(text, size);
        fputs(text, stdout);
    }
    free(text);
}

int main(int argc, char **argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct options o = {.shape = {6, 512, 8, 1408, 4096, 256},
                        .threads = cpus > 4   ? 4
                                   : cpus > 0 ? cpus
                                              : 1,
                        .seed = 1,
                        .backend = "best"};
    struct sigaction sa = {.sa_handler = on_signal};
    int rc = parse(&o, argc, argv);
    if (rc != 0)
        return rc;
    if (o.no_bricks)
        rooftop_set_sync(ROOFTOP_NONE);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGHUP, &sa, NULL);
    struct pool *p = pool_new((int)o.threads);
    struct model *m = p ? model_new(&o.shape, (uint64_t)o.seed) : NULL;
    if (!m) {
        fprintf(stderr, "transformer: no memory for a model of this size\n");
        return 1;
    }
    rc = run(m, p, &o);
    if (o.report)
        print_report();
    model_free(m);
    pool_free(p);
    return rc;
}
