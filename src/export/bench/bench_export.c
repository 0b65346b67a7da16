#include "export/bench/bench_export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/print.h"
#include "engine/statistics/ranks.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "engine/value/value.h"
#include "export/interval_json.h"

/* --- text --- */

static const char *format_run_seconds(double v, bool ascii, char out[VALUE_TEXT_MAX])
{
    struct value value =
        isfinite(v) ? value_ok(v, UNIT_SECONDS) : value_missing("too few runs", UNIT_SECONDS);
    return value_format(&value, ascii, out);
}

enum { WIDE = 5 }; /* times the precision that was asked for; our choice */

/* Says beside an interval that is not there, or is too wide to use, why, and what would help. */
static void write_why_wide(FILE *out, const struct bench *b, size_t s, const struct interval *i)
{
    const double reach = fmax(i->high - i->estimate, i->estimate - i->low) / i->estimate;
    if (!isfinite(i->low) || !isfinite(i->high))
        print_text(out,
                   b->side[s].n ? ": too few for an interval; more --runs or a longer --for" : "");
    else if (isfinite(reach) && reach > WIDE * b->plan.precision && !bench_clear(b))
        print_text(out,
                   ": wide, as runs differ by up to %.0f %%; a longer --for or an idle machine%s",
                   100 * reach, b->plan.cpu_time ? "" : ", or --cpu-time");
}

static void write_side(FILE *out, const struct bench *b, size_t s, bool ascii)
{
    struct interval i = bench_median(b, s);
    char mid[VALUE_TEXT_MAX], low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    if (b->sides == 2)
        fprintf(out, "%c: ", s ? 'B' : 'A');
    print_text(out, "%s\n   median %s%s", b->side[s].name,
               format_run_seconds(i.estimate, ascii, mid), b->plan.cpu_time ? " of CPU time" : "");
    if (isfinite(i.low) && isfinite(i.high))
        print_text(out, ", between %s and %s (%g %%)", format_run_seconds(i.low, ascii, low),
                   format_run_seconds(i.high, ascii, high), 100 * b->plan.confidence);
    print_text(out, ", %zu run%s", b->side[s].n, b->side[s].n == 1 ? "" : "s");
    write_why_wide(out, b, s, &i);
    fputc('\n', out);
    char ends[96];
    struct bench_ends e = bench_ends_of(&b->side[s]);
    if (*bench_ends_text(&e, ends))
        print_text(out, "   %s\n", ends);
}

/* Writes " a run, on average: cycles 900, instructions 1.2k"; nothing if no counter counted. */
static void write_side_counts(FILE *out, const struct bench *b, size_t s)
{
    const char *sep = "   a run, on average: ";
    for (int c = 0; c < BENCH_COUNTERS; c++) {
        char text[VALUE_TEXT_MAX];
        const double v = bench_counted(&b->side[s], (enum bench_counter)c);
        const bool time = c == COUNTER_TASK_CLOCK || c == COUNTER_QUEUED;
        const struct value value = value_ok(v, time ? UNIT_SECONDS : UNIT_COUNT);
        if (!isfinite(v))
            continue;
        print_text(out, "%s%s %s", sep, bench_counter_names[c], value_format(&value, true, text));
        sep = ", ";
    }
    if (*sep == ',')
        fputc('\n', out);
}

static void write_uncounted(FILE *out, const struct bench *b)
{
    const char *sep = "not counted: ";
    for (int c = 0; c < BENCH_COUNTERS; c++)
        if (!isfinite(bench_counted(&b->side[0], (enum bench_counter)c))) {
            print_text(out, "%s%s", sep, bench_counter_names[c]);
            sep = ", ";
        }
    if (*sep == ',')
        fputs("; rooftop doctor says why\n", out);
}

/* Why two commands cannot be compared: their runs ended differently. */
static const char *ends_why(const struct bench *b, char out[256])
{
    char text[2][96];
    for (int s = 0; s < 2; s++) {
        struct bench_ends e = bench_ends_of(&b->side[s]);
        if (!*bench_ends_text(&e, text[s]))
            strcpy(text[s], "no run failed");
    }
    snprintf(out, 256, "in A %s, in B %s: a run that fails may have done less", text[0], text[1]);
    return out;
}

/* "0.9512, between 0.9487 and 0.9531 (99 %)" */
static void write_factor(FILE *out, const struct bench *b, const struct interval *f)
{
    fprintf(out, "%.4f", f->estimate);
    if (isfinite(f->low) && isfinite(f->high))
        fprintf(out, ", between %.4f and %.4f (%g %%)", f->low, f->high,
                100 * bench_ratio_confidence(b));
}

static void write_ratio(FILE *out, const struct bench *b)
{
    char why[256];
    if (!bench_comparable(b)) {
        print_text(out, "B / A: no verdict: %s\n", ends_why(b, why));
        return;
    }
    const struct bench_answer a = bench_answer_of(b);
    fputs("B / A: ", out);
    write_factor(out, b, &a.measured);
    if (a.by_cpu) {
        fputs(": elapsed time does not decide\nB / A of CPU time: ", out);
        write_factor(out, b, &a.cpu);
    }
    if (a.verdict == VERDICT_EQUIVALENT)
        fprintf(out, ": equivalent, within %g %%", 100 * b->plan.margin);
    else if (a.verdict == VERDICT_NOT_DECIDED)
        fputs(isfinite(a.measured.low)
                  ? ": not decided, as 1 lies inside; a longer --for or an idle machine would help"
                  : ": not decided: too few runs for an interval; a longer --for would help",
              out);
    else
        print_text(out, ": B is %s", verdict_name(a.verdict));
    if (bench_clear(b))
        fputs(", clearly; --precision would measure on", out);
    if (a.by_cpu) {
        fputs(", by CPU time; elapsed time without waits for a core agrees: ", out);
        write_factor(out, b, &a.unqueued);
    }
    fputc('\n', out);
}

/* Warns of a duet on cores that were not idle: a disturbance of one core changes the ratio. */
static void write_disturbed(FILE *out, const struct bench *b)
{
    fprintf(
        out,
        "the duet's cores were not idle: CPU %d was busy for %.0f %% of the time before it, CPU "
        "%d for %.0f %%; without --duet both commands meet the same\n",
        b->plan.cpus[0], 100 * b->plan.busy[0], b->plan.cpus[1], 100 * b->plan.busy[1]);
}

void bench_write_text(FILE *out, const struct bench *b, bool ascii)
{
    for (size_t s = 0; s < b->sides; s++) {
        write_side(out, b, s, ascii);
        write_side_counts(out, b, s);
    }
    write_uncounted(out, b);
    if (b->sides == 2)
        write_ratio(out, b);
    if (bench_disturbed(b))
        write_disturbed(out, b);
}

void bench_line(char *out, size_t size, const struct bench *b, double left, bool ascii)
{
    char a[VALUE_TEXT_MAX], c[VALUE_TEXT_MAX], still[32] = "the last pair";
    if (left > 0)
        snprintf(still, sizeof still, "%.0f s left", ceil(left));
    format_run_seconds(bench_median(b, 0).estimate, ascii, a);
    if (b->sides == 1) {
        print_line(out, size, "%s; median %s, %zu runs", still, a, b->side[0].n);
        return;
    }
    const struct bench_answer answer = bench_answer_of(b);
    const struct interval *f = bench_answer_ratio(&answer);
    char range[48] = "";
    if (isfinite(f->low) && isfinite(f->high))
        snprintf(range, sizeof range, " (%.3f to %.3f)", f->low, f->high);
    /* what a narrow terminal cuts off says least */
    print_line(out, size, "%s; B / A %.3f%s, %s; A %s, B %s, %zu pairs", still, f->estimate, range,
               verdict_name(answer.verdict), a,
               format_run_seconds(bench_median(b, 1).estimate, ascii, c), b->side[1].n);
}

/* --- JSON --- */

static cJSON *add_bench_object(cJSON *to, const char *key)
{
    return cJSON_AddObjectToObject(to, key);
}

/* Adds the counters; null for one that did not count. */
static void add_bench_counters(cJSON *to, const double *counters)
{
    cJSON *o = add_bench_object(to, "counters");
    for (int c = 0; c < BENCH_COUNTERS; c++)
        json_add_number(o, bench_counter_names[c], counters[c]);
}

static void add_run_counters(cJSON *to, const char *name, const void *sample)
{
    (void)name;
    add_bench_counters(to, ((const struct bench_sample *)sample)->counters);
}

#define TYPE struct bench_sample
const struct fields bench_run_record =
    RECORD_OF(NAMED(U64, wall_ns, "time", .form = MEMBER_UTC), ROW(DOUBLE, elapsed),
              ROW(DOUBLE, user), ROW(DOUBLE, system), ROW(U64, rss), ROW(DOUBLE, load),
              ROW(INT, status), ADDED(STRUCT, add_run_counters, "counters"));
#undef TYPE

void bench_write_json(FILE *out, const struct bench *b)
{
    struct bench_results r;
    char utc[40];
    cJSON *doc = document_begin("rooftop.bench/1"), *list;
    bench_results_of(&r, b);
    json_add_text(doc, "time", utc_text(r.wall_ns, utc));
    json_add_text(doc, "measured", b->plan.cpu_time ? "cpu" : "elapsed");
    json_add_number(doc, "confidence", b->plan.confidence);
    json_add_number(doc, "margin", b->plan.margin);
    cJSON_AddBoolToObject(doc, "duet", b->plan.duet);
    for (size_t i = 0; b->plan.duet && i < 2; i++) {
        cJSON *o = add_bench_object(doc, i ? "second_cpu" : "first_cpu");
        json_add_number(o, "cpu", b->plan.cpus[i]);
        json_add_number(o, "busy_before", b->plan.busy[i]);
    }
    if (b->sides == 2) {
        const struct interval none = {NAN, NAN, NAN};
        char why[256];
        const bool comparable = bench_comparable(b);
        const struct bench_answer a = bench_answer_of(b);
        json_add_text(doc, "verdict", comparable ? verdict_name(a.verdict) : "none");
        json_add_text(doc, "verdict_by", a.by_cpu || b->plan.cpu_time ? "cpu" : "elapsed");
        if (!comparable)
            json_add_text(doc, "why", ends_why(b, why));
        json_add_interval(doc, "ratio", comparable ? &a.measured : &none);
        json_add_interval(doc, "cpu_ratio", comparable && !b->plan.cpu_time ? &a.cpu : &none);
        json_add_interval(doc, "unqueued_ratio", comparable ? &a.unqueued : &none);
    }
    cJSON_AddItemToObject(doc, "place", record_object(bench_conditions_record, &b->conditions));
    list = cJSON_AddArrayToObject(doc, "results");
    for (size_t i = 0; i < r.n; i++) {
        cJSON *o = cJSON_CreateObject();
        json_add_text(o, "name", r.list[i].name);
        json_add_text(o, "unit", r.list[i].unit);
        json_add_number(o, "value", r.list[i].value);
        json_add_number(o, "load", r.list[i].load);
        json_add_text(o, "compiler", *r.list[i].compiler ? r.list[i].compiler : NULL);
        add_bench_counters(o, r.list[i].counters);
        if (i < b->sides) {
            struct interval m = bench_median(b, i);
            struct bench_ends e = bench_ends_of(&b->side[i]);
            json_add_number(o, "failed", (double)e.failed);
            json_add_interval(o, "median", &m);
            record_add_rows(o, "runs", bench_run_record, b->side[i].samples, b->side[i].n);
        }
        json_add_doubles(o, "samples", r.list[i].v, r.list[i].n);
        cJSON_AddItemToArray(list, o);
    }
    json_write(out, doc, true);
    cJSON_Delete(doc);
    bench_results_free(&r);
}

void bench_write_csv(FILE *out, const struct bench *b)
{
    fputs("command,run,time,elapsed_s,user_s,system_s,rss_bytes,load,status", out);
    for (int c = 0; c < BENCH_COUNTERS; c++)
        print_csv(out, ",%s", bench_counter_names[c]);
    fputc('\n', out);
    for (size_t s = 0; s < b->sides; s++)
        for (size_t i = 0; i < b->side[s].n; i++) {
            const struct bench_sample *x = &b->side[s].samples[i];
            char utc[40];
            print_csv(out, "%s,%zu,%s,%.9g,%.6g,%.6g,%" PRIu64 ",%.2f,%d", b->side[s].name, i + 1,
                      utc_text(x->wall_ns, utc), x->elapsed, x->user, x->system, x->rss, x->load,
                      x->status);
            for (int c = 0; c < BENCH_COUNTERS; c++)
                csv_write_number(out, x->counters[c]);
            fputc('\n', out);
        }
}

/* --- formats of other tools --- */

struct spread {
    double mean, sd, least, most;
};

static struct spread measure_spread(const struct bench_result *r)
{
    struct spread s = {r->value, 0, r->value, r->value};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += r->v[i];
    if (r->n)
        s.mean = sum / (double)r->n;
    for (size_t i = 0; i < r->n; i++) {
        squares += (r->v[i] - s.mean) * (r->v[i] - s.mean);
        s.least = fmin(s.least, r->v[i]);
        s.most = fmax(s.most, r->v[i]);
    }
    s.sd = r->n > 1 ? sqrt(squares / (double)(r->n - 1)) : 0;
    return s;
}

static cJSON *as_hyperfine(const struct bench_result *r)
{
    struct spread s = measure_spread(r);
    cJSON *o = cJSON_CreateObject(), *codes;
    json_add_text(o, "command", r->name);
    json_add_number(o, "mean", s.mean);
    json_add_number(o, "stddev", s.sd);
    json_add_number(o, "median", r->value);
    json_add_number(o, "user", r->user);
    json_add_number(o, "system", r->system);
    json_add_number(o, "min", s.least);
    json_add_number(o, "max", s.most);
    json_add_doubles(o, "times", r->v, r->n);
    codes = cJSON_AddArrayToObject(o, "exit_codes");
    for (size_t i = 0; i < r->n; i++)
        cJSON_AddItemToArray(codes,
                             r->status ? cJSON_CreateNumber(r->status[i]) : cJSON_CreateNull());
    return o;
}

/* The lower quartile of n sorted values: the median of the lower half; for odd n the mean of those
 * with and without the middle value. */
static double find_lower_quartile(const double *v, size_t n)
{
    size_t k = n / 4;
    if (n % 2 == 0)
        return median_of(v, n / 2);
    if (n == 1)
        return v[0];
    return n % 4 == 1 ? 0.25 * v[k - 1] + 0.75 * v[k] : 0.75 * v[k] + 0.25 * v[k + 1];
}

/* The upper quartile. */
static double upper_quartile(const double *v, size_t n)
{
    size_t k = n / 4;
    if (n % 2 == 0)
        return median_of(v + n / 2, n / 2);
    if (n == 1)
        return v[0];
    return n % 4 == 1 ? 0.75 * v[n - 1 - k] + 0.25 * v[n - k]
                      : 0.25 * v[n - 2 - k] + 0.75 * v[n - 1 - k];
}

/* Adds quartiles and two counts of outliers: values further from the quartiles than 1.5 times their
 * distance (J. W. Tukey, "Exploratory Data Analysis", 1977), and further from the mean than a
 * standard deviation. */
static void add_quartiles(cJSON *stats, const struct bench_result *r, const struct spread *s)
{
    size_t n = r->n ? r->n : 1, far = 0, beyond = 0;
    double *v = xcalloc(n, sizeof *v), low = s->most, high = low;
    char outliers[64];
    *v = r->value;
    if (r->n)
        memcpy(v, r->v, r->n * sizeof *v);
    qsort(v, n, sizeof *v, order_doubles);
    double q1 = find_lower_quartile(v, n), q3 = upper_quartile(v, n), reach = 1.5 * (q3 - q1);
    for (size_t i = 0; i < n; i++) {
        far += v[i] < q1 - reach || v[i] > q3 + reach;
        beyond += fabs(v[i] - s->mean) > s->sd;
        if (v[i] >= q1 - reach)
            low = fmin(low, v[i]);
        if (v[i] > q3 + reach) /* as pytest-benchmark: the first outside, not the last inside */
            high = fmin(high, v[i]);
    }
    free(v);
    snprintf(outliers, sizeof outliers, "%zu;%zu", beyond, far);
    json_add_number(stats, "q1", q1);
    json_add_number(stats, "q3", q3);
    json_add_number(stats, "iqr", q3 - q1);
    json_add_number(stats, "ld15iqr", low);
    json_add_number(stats, "hd15iqr", high);
    json_add_number(stats, "iqr_outliers", (double)far);
    json_add_number(stats, "stddev_outliers", (double)beyond);
    json_add_text(stats, "outliers", outliers);
}

static cJSON *as_pytest(const struct bench_result *r)
{
    struct spread s = measure_spread(r);
    cJSON *o = cJSON_CreateObject(), *stats;
    json_add_text(o, "group", NULL);
    json_add_text(o, "name", r->name);
    json_add_text(o, "fullname", r->name);
    json_add_text(o, "params", NULL);
    json_add_text(o, "param", NULL);
    add_bench_object(o, "extra_info");
    add_bench_object(o, "options");
    stats = add_bench_object(o, "stats");
    json_add_number(stats, "min", s.least);
    json_add_number(stats, "max", s.most);
    json_add_number(stats, "mean", s.mean);
    json_add_number(stats, "stddev", s.sd);
    json_add_number(stats, "rounds", (double)(r->n ? r->n : 1));
    json_add_number(stats, "median", r->value);
    add_quartiles(stats, r, &s);
    json_add_number(stats, "ops", 1 / s.mean);
    json_add_number(stats, "total", s.mean * (double)(r->n ? r->n : 1));
    json_add_number(stats, "iterations", 1);
    json_add_doubles(stats, "data", r->v, r->n);
    return o;
}

static void add_google_iterations(cJSON *list, const struct bench_result *r, size_t family)
{
    for (size_t i = 0; i < (r->n ? r->n : 1); i++) {
        cJSON *o = cJSON_CreateObject();
        json_add_text(o, "name", r->name);
        json_add_number(o, "family_index", (double)family);
        json_add_number(o, "per_family_instance_index", 0);
        json_add_text(o, "run_name", r->name);
        json_add_text(o, "run_type", "iteration");
        json_add_number(o, "repetitions", (double)r->n);
        json_add_number(o, "repetition_index", (double)i);
        json_add_number(o, "threads", 1);
        json_add_number(o, "iterations", 1);
        json_add_number(o, "real_time", (r->n ? r->v[i] : r->value) * 1e9);
        json_add_number(o, "cpu_time", (r->user + r->system) * 1e9);
        json_add_text(o, "time_unit", "ns");
        cJSON_AddItemToArray(list, o);
    }
}

/* cargo-criterion's message: a line for each benchmark. */
static void write_criterion(FILE *out, const struct bench_result *r)
{
    cJSON *o = cJSON_CreateObject(), *measured, *ones;
    json_add_text(o, "reason", "benchmark-complete");
    json_add_text(o, "id", r->name);
    measured = cJSON_AddArrayToObject(o, "measured_values");
    ones = cJSON_AddArrayToObject(o, "iteration_count");
    for (size_t i = 0; i < r->n; i++) {
        cJSON_AddItemToArray(measured, cJSON_CreateNumber(r->v[i] * 1e9));
        cJSON_AddItemToArray(ones, cJSON_CreateNumber(1));
    }
    json_add_text(o, "unit", "ns");
    json_write(out, o, false);
    fputc('\n', out);
    cJSON_Delete(o);
}

void bench_write_as(FILE *out, const struct bench_results *r, const char *tool)
{
    bool google = strcmp(tool, "google-benchmark") == 0, python = *tool == 'p';
    bool lines = strcmp(tool, "criterion") == 0;
    char utc[40];
    cJSON *doc = cJSON_CreateObject(), *list, *about = NULL;
    if (google || python) {
        about = add_bench_object(doc, google ? "context" : "machine_info");
        json_add_text(about, google ? "host_name" : "node", r->conditions.host);
        json_add_text(google ? about : doc, google ? "date" : "datetime",
                      utc_text(r->wall_ns, utc));
    }
    if (python) {
        json_add_text(about, "release", r->conditions.kernel);
        json_add_text(about, "processor", r->conditions.cpu);
        json_add_text(add_bench_object(about, "cpu"), "brand_raw", r->conditions.cpu);
        json_add_text(add_bench_object(doc, "commit_info"), "id", r->conditions.commit);
        json_add_text(doc, "version", "3.2.2"); /* version of the format */
    }
    list = cJSON_AddArrayToObject(doc, google || python ? "benchmarks" : "results");
    for (size_t i = 0; i < r->n; i++) {
        const struct bench_result *x = &r->list[i];
        if (strcmp(x->unit, "s") != 0)
            continue;
        if (google)
            add_google_iterations(list, x, i);
        else if (lines)
            write_criterion(out, x);
        else
            cJSON_AddItemToArray(list, python ? as_pytest(x) : as_hyperfine(x));
    }
    if (!lines)
        json_write(out, doc, true);
    cJSON_Delete(doc);
}
