#include "engine/bench/results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "base/list.h"
#include "base/memory.h"
#include "engine/statistics/ranks.h"

enum { RESULTS_MOST = 100000, SAMPLES_MOST = 1 << 20 };
/* The tree of a document takes at most so many bytes for one of its text ("1," is a node of 64). */
enum { TREE_BYTES = 40, SMALL = 1 << 20 };

static bool is_time(double v)
{
    return isfinite(v) && v > 0 && v < 1e15;
}

static double number_at(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static const char *text_at(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(v) ? v->valuestring : "";
}

static void copy_text(char *out, size_t size, const cJSON *o, const char *key)
{
    snprintf(out, size, "%s", text_at(o, key));
}

void bench_result_fill(struct bench_result *out, const char *name, const double *v, size_t n,
                       double value)
{
    *out = (struct bench_result){.name = name,
                                 .unit = "s",
                                 .v = n ? v : NULL,
                                 .n = n,
                                 .value = n ? median_of(v, n) : value,
                                 .load = NAN,
                                 .user = NAN,
                                 .system = NAN,
                                 .compiler = ""};
    for (int c = 0; c < BENCH_COUNTERS; c++)
        out->counters[c] = NAN;
}

/* Adds a result, unless its value is no time. v: n samples in the arena. */
static struct bench_result *add_result(struct bench_results *r, const char *name, const double *v,
                                       size_t n, double value)
{
    if (n)
        value = median_of(v, n);
    if (!is_time(value) || !*name || r->n >= RESULTS_MOST)
        return NULL;
    LIST_ROOM(r->list, r->n, r->cap);
    bench_result_fill(&r->list[r->n], arena_strdup(&r->arena, name), v, n, value);
    return &r->list[r->n++];
}

/* The numbers of an array times scale, in the arena; *n 0 where one of them is no time. */
static double *numbers_of(struct bench_results *r, const cJSON *array, double scale, size_t *n)
{
    const cJSON *item;
    int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    *n = 0;
    if (size <= 0 || size > SAMPLES_MOST)
        return NULL;
    double *v = arena_alloc(&r->arena, (size_t)size * sizeof *v);
    cJSON_ArrayForEach(item, array)
    {
        v[*n] = cJSON_IsNumber(item) ? item->valuedouble * scale : NAN;
        if (!is_time(v[(*n)++])) {
            *n = 0;
            return NULL;
        }
    }
    return v;
}

static double unit_scale(const char *unit)
{
    static const struct {
        const char *unit;
        double scale;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].scale;
    return NAN;
}

/* "2026-11-23T13:00:00", with what follows: a fraction, and "+01:00". */
static uint64_t time_of(const char *text)
{
    struct tm tm = {0};
    int hours = 0, minutes = 0;
    uint64_t ns = 0;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!end)
        return 0;
    if (*end == '.') {
        end++;
        for (uint64_t unit = 100000000; *end >= '0' && *end <= '9'; unit /= 10, end++)
            ns += unit * (uint64_t)(*end - '0');
    }
    if ((*end == '+' || *end == '-') && sscanf(end + 1, "%2d:%2d", &hours, &minutes) == 2)
        hours = *end == '-' ? -hours : hours;
    long long s = (long long)timegm(&tm) - 3600LL * hours - (hours < 0 ? -60LL : 60LL) * minutes;
    return s > 0 && s < INT64_MAX / 1000000000 ? (uint64_t)s * 1000000000u + ns : 0;
}

/* --- one function a format; false: it is another --- */

static bool read_rooftop(struct bench_results *r, const cJSON *o)
{
    const cJSON *item, *place = cJSON_GetObjectItemCaseSensitive(o, "place");
    if (strcmp(text_at(o, "schema"), "rooftop.bench/1") != 0)
        return false;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(o, "results"))
    {
        size_t n;
        double *v = numbers_of(r, cJSON_GetObjectItemCaseSensitive(item, "samples"), 1, &n);
        struct bench_result *got =
            add_result(r, text_at(item, "name"), v, n, number_at(item, "value"));
        const char *unit = text_at(item, "unit");
        double value = number_at(item, "value");
        const cJSON *counters = cJSON_GetObjectItemCaseSensitive(item, "counters");
        if (!got)
            continue;
        if (is_time(value)) /* of a ratio it is the estimate, not the median of the pairs */
            got->value = value;
        if (*unit)
            got->unit = arena_strdup(&r->arena, unit);
        got->more_is_good = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "more_is_good"));
        got->load = number_at(item, "load");
        got->compiler = arena_strdup(&r->arena, text_at(item, "compiler"));
        for (int c = 0; c < BENCH_COUNTERS; c++)
            got->counters[c] = number_at(counters, bench_counter_names[c]);
    }
    struct bench_place *p = &r->place;
    copy_text(p->commit, sizeof p->commit, place, "commit");
    copy_text(p->host, sizeof p->host, place, "host");
    copy_text(p->cpu, sizeof p->cpu, place, "cpu");
    copy_text(p->kernel, sizeof p->kernel, place, "kernel");
    copy_text(p->governor, sizeof p->governor, place, "governor");
    copy_text(p->turbo, sizeof p->turbo, place, "turbo");
    copy_text(p->smt, sizeof p->smt, place, "smt");
    copy_text(p->microcode, sizeof p->microcode, place, "microcode");
    r->wall_ns = time_of(text_at(o, "time"));
    r->tool = "rooftop";
    return true;
}

static bool read_hyperfine(struct bench_results *r, const cJSON *o)
{
    const cJSON *item, *results = cJSON_GetObjectItemCaseSensitive(o, "results");
    if (!cJSON_IsArray(results))
        return false;
    r->tool = "hyperfine";
    cJSON_ArrayForEach(item, results)
    {
        size_t n;
        double *v = numbers_of(r, cJSON_GetObjectItemCaseSensitive(item, "times"), 1, &n);
        add_result(r, text_at(item, "command"), v, n, number_at(item, "median"));
    }
    return true;
}

/* Repetitions of one benchmark follow each other and are its samples; aggregates are left out. */
static bool read_google(struct bench_results *r, const cJSON *o)
{
    const cJSON *context = cJSON_GetObjectItemCaseSensitive(o, "context");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, "benchmarks");
    if (!cJSON_IsObject(context) || !cJSON_IsArray(item))
        return false;
    r->tool = "google-benchmark";
    r->wall_ns = time_of(text_at(context, "date"));
    copy_text(r->place.host, sizeof r->place.host, context, "host_name");
    for (item = item->child; item;) {
        const char *name = text_at(item, "run_name");
        name = *name ? name : text_at(item, "name");
        double *v = NULL;
        size_t n = 0, cap = 0;
        const cJSON *next = item;
        for (; next; next = next->next) {
            const char *other = text_at(next, "run_name");
            if (strcmp(*other ? other : text_at(next, "name"), name) != 0)
                break;
            double t = number_at(next, "real_time") * unit_scale(text_at(next, "time_unit"));
            if (strcmp(text_at(next, "run_type"), "aggregate") == 0 || !is_time(t))
                continue;
            LIST_ROOM(v, n, cap);
            v[n++] = t;
        }
        double *kept = arena_alloc(&r->arena, (n ? n : 1) * sizeof *kept);
        if (n)
            memcpy(kept, v, n * sizeof *v);
        free(v);
        add_result(r, name, kept, n, NAN);
        item = next;
    }
    return true;
}

static bool read_pytest(struct bench_results *r, const cJSON *o)
{
    const cJSON *item, *machine = cJSON_GetObjectItemCaseSensitive(o, "machine_info");
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(o, "benchmarks");
    if (!cJSON_IsObject(machine) || !cJSON_IsArray(benchmarks))
        return false;
    r->tool = "pytest-benchmark";
    r->wall_ns = time_of(text_at(o, "datetime"));
    copy_text(r->place.host, sizeof r->place.host, machine, "node");
    copy_text(r->place.commit, sizeof r->place.commit,
              cJSON_GetObjectItemCaseSensitive(o, "commit_info"), "id");
    cJSON_ArrayForEach(item, benchmarks)
    {
        size_t n;
        const cJSON *stats = cJSON_GetObjectItemCaseSensitive(item, "stats");
        double *v = numbers_of(r, cJSON_GetObjectItemCaseSensitive(stats, "data"), 1, &n);
        add_result(r, text_at(item, "fullname"), v, n, number_at(stats, "median"));
    }
    return true;
}

/* Times of several iterations each, in ns. */
static bool add_criterion(struct bench_results *r, const char *name, const cJSON *times,
                          const cJSON *iterations, double scale)
{
    size_t n, m;
    double *v = numbers_of(r, times, scale, &n), *i = numbers_of(r, iterations, 1, &m);
    for (size_t k = 0; k < n && n == m; k++)
        v[k] /= i[k];
    return n == m && add_result(r, name, v, n, NAN);
}

/* "…/target/criterion/GROUP/NAME/new/sample.json" is GROUP/NAME. */
static void criterion_name(char *out, size_t size, const char *path)
{
    const char *from = strstr(path, "criterion/"), *end = strrchr(path, '/');
    from = from ? from + strlen("criterion/") : path;
    if (end && end - from > 4 &&
        (strncmp(end - 4, "/new", 4) == 0 || strncmp(end - 5, "/base", 5) == 0))
        end -= end[-1] == 'w' ? 4 : 5;
    end = end && end > from ? end : from + strlen(from);
    snprintf(out, size, "%.*s", (int)(end - from < 4000 ? end - from : 4000), from);
}

static bool read_criterion(struct bench_results *r, const cJSON *o, const char *path)
{
    char name[4096];
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(o, "times");
    const cJSON *iterations = cJSON_GetObjectItemCaseSensitive(o, "iters");
    if (!cJSON_IsArray(times) || !cJSON_IsArray(iterations))
        return false;
    r->tool = "criterion";
    criterion_name(name, sizeof name, path);
    add_criterion(r, name, times, iterations, 1e-9);
    return true;
}

/* A line of `cargo criterion --message-format=json`. */
static bool read_message(struct bench_results *r, const cJSON *o)
{
    if (!*text_at(o, "reason"))
        return false;
    r->tool = "criterion";
    if (strcmp(text_at(o, "reason"), "benchmark-complete") == 0)
        add_criterion(r, text_at(o, "id"), cJSON_GetObjectItemCaseSensitive(o, "measured_values"),
                      cJSON_GetObjectItemCaseSensitive(o, "iteration_count"),
                      unit_scale(text_at(o, "unit")));
    return true;
}

int bench_results_read(struct bench_results *out, const char *path, const char *text, size_t n,
                       struct error *err)
{
    const char *end = text, *last = text + n;
    bool known = true;
    if (n > SMALL && n > memory_limit() / TREE_BYTES)
        return *out = (struct bench_results){0},
               error_set(err, ERROR_INPUT, ENOMEM, "free memory, or import it in parts", path,
                         "reading it may take %zu MiB of memory", n * TREE_BYTES >> 20);
    size_t documents = 0;
    *out = (struct bench_results){0};
    for (; known; documents++) {
        while (end < last && strchr(" \t\r\n", *end) && *end)
            end++;
        if (end >= last || !*end)
            break;
        cJSON *o = cJSON_ParseWithLengthOpts(end, (size_t)(last - end), &end, false);
        if (!o)
            return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "it is not JSON at byte %zu",
                             (size_t)(end - text));
        known = documents ? read_message(out, o)
                          : read_rooftop(out, o) || read_pytest(out, o) || read_google(out, o) ||
                                read_hyperfine(out, o) || read_criterion(out, o, path) ||
                                read_message(out, o);
        cJSON_Delete(o);
    }
    if (known && out->n)
        return 0;
    return error_set(err, ERROR_INPUT, EINVAL,
                     "JSON of rooftop bench, hyperfine, Google Benchmark, pytest-benchmark or "
                     "criterion is read",
                     path, known && documents ? "it holds no times" : "its format is not known");
}

/* --- of a measurement --- */

void bench_results_of(struct bench_results *out, const struct bench *b)
{
    *out = (struct bench_results){.tool = "rooftop", .place = b->place};
    for (size_t s = 0; s < b->sides; s++) {
        const struct bench_side *side = &b->side[s];
        double *v = arena_alloc(&out->arena, (side->n + 1) * sizeof *v);
        int *status = arena_alloc(&out->arena, (side->n + 1) * sizeof *status);
        struct bench_result means = {.load = 0};
        for (size_t i = 0; i < side->n; i++) {
            v[i] = bench_time(b, &side->samples[i]);
            status[i] = side->samples[i].status;
            means.load += side->samples[i].load / (double)side->n;
            means.user += side->samples[i].user / (double)side->n;
            means.system += side->samples[i].system / (double)side->n;
        }
        const char *name =
            b->plan.cpu_time ? arena_printf(&out->arena, "%s (CPU time)", side->name) : side->name;
        struct bench_result *r = add_result(out, name, v, side->n, NAN);
        if (!r)
            continue;
        r->load = means.load, r->user = means.user, r->system = means.system;
        r->compiler = arena_strdup(&out->arena, side->compiler);
        r->status = status;
        for (int c = 0; c < BENCH_COUNTERS; c++)
            r->counters[c] = bench_counted(side, (enum bench_counter)c);
    }
    out->wall_ns = b->side[0].n ? b->side[0].samples[0].wall_ns : 0;
    if (b->sides < 2 || out->n < 2)
        return;
    size_t n = out->list[0].n < out->list[1].n ? out->list[0].n : out->list[1].n;
    double *v = arena_alloc(&out->arena, (n + 1) * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = out->list[1].v[i] / out->list[0].v[i];
    struct bench_result *r = add_result(
        out, arena_printf(&out->arena, "%s / %s", out->list[1].name, out->list[0].name), v, n, NAN);
    if (!r)
        return;
    struct interval ratio = bench_factor(b);
    r->unit = "ratio";
    r->value = is_time(ratio.estimate) ? ratio.estimate : r->value;
}

void bench_results_free(struct bench_results *r)
{
    arena_free(&r->arena);
    free(r->list);
    *r = (struct bench_results){0};
}
