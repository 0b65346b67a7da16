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
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"

enum { RESULTS_MOST = 100000, SAMPLES_MOST = 1 << 20, SAMPLES_ALL = 1 << 24 };
/* The tree of a result takes at most so many bytes for one of its text ("1," is a node of 64). */
enum { TREE_BYTES = 40, SMALL = 1 << 20, KEY = 64 };

static bool is_time(double v)
{
    return isfinite(v) && v > 0 && v < 1e15;
}

static void copy_result_text(char *out, size_t size, const cJSON *o, const char *key)
{
    snprintf(out, size, "%s", json_get_text(o, key));
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

/* "2026-11-23T13:00:00" (older versions of Google Benchmark have a space for the T), with what
 * follows: a fraction, and "+01:00". Without a zone it is UTC. */
static uint64_t parse_result_time(const char *text)
{
    struct tm tm = {0};
    int hours = 0, minutes = 0;
    uint64_t ns = 0;
    const char *end = strptime(text, "%Y-%m-%d", &tm);
    end = end && (*end == 'T' || *end == ' ') ? strptime(end + 1, "%H:%M:%S", &tm) : NULL;
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

/* --- one struct a format --- */

#define TYPE        struct bench_conditions
#define ONE(member) NAMED(CHARS, member, #member, .form = MEMBER_KNOWN)
const struct fields bench_conditions_record =
    RECORD_OF(ONE(commit), ONE(branch), ONE(host), ONE(cpu), ONE(kernel), ONE(turbo), ONE(smt),
              ONE(governor), ONE(microcode));
#undef TYPE

/* Results are read one by one: the tree of a whole file of years would not fit into memory. */
struct reading {
    struct bench_results *r;
    char *name; /* Google Benchmark: whose repetitions are gathered in v */
    double *v;
    size_t n, cap;
};

/* head: the document without the items of its list, which come one by one. */
struct format {
    bool (*read)(struct reading *to, const cJSON *head); /* false: it is another format */
    void (*item)(struct reading *to, const cJSON *item);
    void (*end)(struct reading *to); /* NULL: nothing is left to do */
};

static bool read_rooftop(struct reading *to, const cJSON *o)
{
    if (strcmp(json_get_text(o, "schema"), "rooftop.bench/1") != 0)
        return false;
    record_take(cJSON_GetObjectItemCaseSensitive(o, "place"), bench_conditions_record,
                &to->r->conditions);
    to->r->wall_ns = parse_result_time(json_get_text(o, "time"));
    to->r->tool = "rooftop";
    return true;
}

/* How runs ended, from a list of statuses, or of objects with one. */
static struct bench_ends ends_of(const cJSON *list)
{
    struct bench_ends e = {.runs = 0};
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        double status = NAN;
        if (cJSON_IsObject(item))
            status = json_get_number(item, "status");
        else if (cJSON_IsNumber(item))
            status = item->valuedouble;
        if (!(fabs(status) < 1e6)) /* of one it is unknown */
            return (struct bench_ends){.runs = 0};
        bench_ends_add(&e, (int)status);
    }
    return e;
}

static void add_rooftop(struct reading *to, const cJSON *item)
{
    struct bench_results *r = to->r;
    size_t n;
    double *v = numbers_of(r, cJSON_GetObjectItemCaseSensitive(item, "samples"), 1, &n);
    double value = json_get_number(item, "value");
    struct bench_result *got = add_result(r, json_get_text(item, "name"), v, n, value);
    const char *unit = json_get_text(item, "unit");
    const cJSON *counters = cJSON_GetObjectItemCaseSensitive(item, "counters");
    if (!got)
        return;
    if (is_time(value)) /* of a ratio it is the estimate, not the median of the pairs */
        got->value = value;
    if (*unit)
        got->unit = arena_strdup(&r->arena, unit);
    got->more_is_good = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "more_is_good"));
    got->load = json_get_number(item, "load");
    got->compiler = arena_strdup(&r->arena, json_get_text(item, "compiler"));
    got->ends = ends_of(cJSON_GetObjectItemCaseSensitive(item, "runs"));
    for (int c = 0; c < BENCH_COUNTERS; c++)
        got->counters[c] = json_get_number(counters, bench_counter_names[c]);
}

static bool read_hyperfine(struct reading *to, const cJSON *o)
{
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(o, "results")))
        return false;
    to->r->tool = "hyperfine";
    return true;
}

static void add_hyperfine(struct reading *to, const cJSON *item)
{
    size_t n;
    double *v = numbers_of(to->r, cJSON_GetObjectItemCaseSensitive(item, "times"), 1, &n);
    struct bench_result *got =
        add_result(to->r, json_get_text(item, "command"), v, n, json_get_number(item, "median"));
    if (got)
        got->ends = ends_of(cJSON_GetObjectItemCaseSensitive(item, "exit_codes"));
}

static bool read_google(struct reading *to, const cJSON *o)
{
    const cJSON *context = cJSON_GetObjectItemCaseSensitive(o, "context");
    if (!cJSON_IsObject(context) ||
        !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(o, "benchmarks")))
        return false;
    to->r->tool = "google-benchmark";
    to->r->wall_ns = parse_result_time(json_get_text(context, "date"));
    copy_result_text(to->r->conditions.host, sizeof to->r->conditions.host, context, "host_name");
    return true;
}

/* Adds the repetitions that were gathered. */
static void end_google(struct reading *to)
{
    double *kept = arena_alloc(&to->r->arena, (to->n + 1) * sizeof *kept);
    if (to->n)
        memcpy(kept, to->v, to->n * sizeof *kept);
    if (to->name)
        add_result(to->r, to->name, kept, to->n, NAN);
    free(to->name);
    to->name = NULL;
    to->n = 0;
}

/* Repetitions of one benchmark follow each other and are its samples; aggregates are left out. */
static void add_google(struct reading *to, const cJSON *item)
{
    const char *name = json_get_text(item, "run_name");
    name = *name ? name : json_get_text(item, "name");
    if (to->name && strcmp(name, to->name) != 0)
        end_google(to);
    if (!to->name)
        to->name = xstrdup(name);
    double t = json_get_number(item, "real_time") * unit_scale(json_get_text(item, "time_unit"));
    if (strcmp(json_get_text(item, "run_type"), "aggregate") == 0 || !is_time(t) ||
        to->n == SAMPLES_MOST)
        return;
    LIST_ADD(to->v, to->n, to->cap, t);
}

static bool read_pytest(struct reading *to, const cJSON *o)
{
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(o, "machine_info");
    struct bench_results *r = to->r;
    if (!cJSON_IsObject(machine) ||
        !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(o, "benchmarks")))
        return false;
    r->tool = "pytest-benchmark";
    r->wall_ns = parse_result_time(json_get_text(o, "datetime"));
    copy_result_text(r->conditions.host, sizeof r->conditions.host, machine, "node");
    copy_result_text(r->conditions.commit, sizeof r->conditions.commit,
                     cJSON_GetObjectItemCaseSensitive(o, "commit_info"), "id");
    return true;
}

static void add_pytest(struct reading *to, const cJSON *item)
{
    size_t n;
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(item, "stats");
    double *v = numbers_of(to->r, cJSON_GetObjectItemCaseSensitive(stats, "data"), 1, &n);
    add_result(to->r, json_get_text(item, "fullname"), v, n, json_get_number(stats, "median"));
}

static const struct format formats[] = {
    {read_rooftop, add_rooftop, NULL},
    {read_pytest, add_pytest, NULL},
    {read_google, add_google, end_google},
    {read_hyperfine, add_hyperfine, NULL},
};

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
    if (!*json_get_text(o, "reason"))
        return false;
    r->tool = "criterion";
    if (strcmp(json_get_text(o, "reason"), "benchmark-complete") == 0)
        add_criterion(r, json_get_text(o, "id"),
                      cJSON_GetObjectItemCaseSensitive(o, "measured_values"),
                      cJSON_GetObjectItemCaseSensitive(o, "iteration_count"),
                      unit_scale(json_get_text(o, "unit")));
    return true;
}

/* --- documents, read piece by piece --- */

struct source {
    const char *path, *text, *last;
    const char *p; /* what is read next */
    struct error *err;
};

static int not_json(const struct source *in, const char *at)
{
    return error_set(in->err, ERROR_INPUT, EINVAL, NULL, in->path, "it is not JSON at byte %zu",
                     (size_t)(at - in->text));
}

/* Skips blanks; the byte that follows, 0 at the end. */
static char next_byte(struct source *in)
{
    while (in->p < in->last && *in->p && strchr(" \t\r\n", *in->p))
        in->p++;
    return in->p < in->last ? *in->p : '\0';
}

/* Where the value at p ends; NULL: it does not. */
static const char *value_end(const char *p, const char *last)
{
    for (size_t depth = 0; p < last; p++) {
        char c = *p;
        if (c == '"') {
            for (p++; p < last && *p != '"'; p++)
                p += *p == '\\';
            if (p >= last)
                return NULL;
        }
        if (c == '[' || c == '{')
            depth++;
        else if (depth == 0 && c && strchr(",:]} \t\r\n", c))
            return p;
        else if (c == ']' || c == '}')
            depth--;
        if (depth == 0 && c && strchr("]}\"", c))
            return p + 1;
    }
    return last;
}

/* Reads a value into a tree; NULL with err: it is none, or its tree would not fit into memory. */
static cJSON *read_value(struct source *in)
{
    const char *end = value_end(in->p, in->last), *stop = in->p;
    size_t n = end ? (size_t)(end - in->p) : 0;
    if (n > SMALL && n > memory_limit() / TREE_BYTES) {
        error_set(in->err, ERROR_INPUT, ENOMEM, "free memory, or import it in parts", in->path,
                  "reading it may take %zu MiB of memory", n * TREE_BYTES >> 20);
        return NULL;
    }
    cJSON *o = n ? cJSON_ParseWithLengthOpts(in->p, n, &stop, false) : NULL;
    if (!o || stop != end) {
        cJSON_Delete(o);
        not_json(in, stop ? stop : in->p);
        return NULL;
    }
    in->p = end;
    return o;
}

/* Reads the items of a list, each by itself; format NULL: skips them. */
static int read_items(struct source *in, const struct format *format, struct reading *to)
{
    size_t kept = 0, counted = to->r->n;
    in->p++; /* [ */
    while (next_byte(in) != ']') {
        cJSON *item = format ? read_value(in) : NULL;
        const char *end = format ? in->p : value_end(in->p, in->last);
        if (!end || (format ? !item : end == in->p))
            return format ? -in->err->code : not_json(in, in->p);
        in->p = end;
        if (format)
            format->item(to, item);
        cJSON_Delete(item);
        for (; counted < to->r->n; counted++)
            kept += to->r->list[counted].n;
        if (kept > SAMPLES_ALL)
            return error_set(in->err, ERROR_INPUT, EFBIG, "import it in parts", in->path,
                             "it has more than %d samples", SAMPLES_ALL);
        char next = next_byte(in);
        in->p += next == ',';
        if (next == ',' ? next_byte(in) == ']' : next != ']')
            return not_json(in, in->p);
    }
    in->p++;
    return 0;
}

/* Reads the key of a member and goes behind the colon; "" where it has no use here. */
static int read_key(struct source *in, char key[KEY])
{
    cJSON *o = next_byte(in) == '"' ? read_value(in) : NULL;
    bool whole = o && next_byte(in) == ':';
    snprintf(key, KEY, "%s", o && strlen(o->valuestring) < KEY ? o->valuestring : "");
    cJSON_Delete(o);
    if (!whole)
        return not_json(in, in->p);
    in->p++;
    return 0;
}

/* Reads a member into head or, if head is NULL, only the items of a list. */
static int read_result_member(struct source *in, cJSON *head, const struct format *format,
                              struct reading *to)
{
    char key[KEY];
    int rc = read_key(in, key);
    if (rc != 0)
        return rc;
    if (next_byte(in) == '[' && (strcmp(key, "results") == 0 || strcmp(key, "benchmarks") == 0)) {
        if (head)
            cJSON_AddArrayToObject(head, key);
        return read_items(in, format, to);
    }
    if (!head) { /* it was read before */
        const char *end = value_end(in->p, in->last);
        in->p = end ? end : in->last;
        return 0;
    }
    cJSON *value = read_value(in);
    if (!value)
        return -in->err->code;
    if (!*key || !cJSON_AddItemToObject(head, key, value))
        cJSON_Delete(value);
    return 0;
}

static int read_members(struct source *in, cJSON *head, const struct format *format,
                        struct reading *to)
{
    int rc = 0;
    in->p++; /* { */
    for (bool more = next_byte(in) != '}'; more && rc == 0;) {
        rc = read_result_member(in, head, format, to);
        char next = next_byte(in);
        if (rc == 0 && next != ',' && next != '}')
            rc = not_json(in, in->p);
        more = rc == 0 && next == ',';
        in->p += more;
    }
    in->p += rc == 0;
    return rc;
}

/* Reads one document of a file, the first or a later one; *known: whether its format is. */
static int read_result_document(struct source *in, bool first, struct reading *to, bool *known)
{
    const char *begin = in->p;
    const bool object = *begin == '{';
    cJSON *head = object ? cJSON_CreateObject() : read_value(in);
    *known = false;
    if (!head)
        return -in->err->code;
    int rc = object ? read_members(in, head, NULL, to) : 0;
    for (size_t i = 0; rc == 0 && first && !*known && i < sizeof formats / sizeof *formats; i++) {
        *known = formats[i].read(to, head);
        if (!*known)
            continue;
        in->p = begin;
        rc = read_members(in, NULL, &formats[i], to);
        if (rc == 0 && formats[i].end)
            formats[i].end(to);
    }
    if (rc == 0 && !*known)
        *known = (first && read_criterion(to->r, head, in->path)) || read_message(to->r, head);
    cJSON_Delete(head);
    return rc;
}

int bench_results_read(struct bench_results *out, const char *path, const char *text, size_t n,
                       struct error *err)
{
    struct source in = {.path = path, .text = text, .last = text + n, .p = text, .err = err};
    struct reading to = {.r = out};
    bool known = true;
    int rc = 0;
    size_t documents = 0;
    *out = (struct bench_results){0};
    for (; known && rc == 0 && next_byte(&in); documents++)
        rc = read_result_document(&in, documents == 0, &to, &known);
    free(to.name);
    free(to.v);
    if (rc != 0 || (known && out->n))
        return rc;
    return error_set(
        err, ERROR_INPUT, EINVAL,
        "JSON of rooftop compare bench, hyperfine, Google Benchmark, pytest-benchmark or "
        "criterion is read",
        path, known && documents ? "it holds no times" : "its format is not known");
}

/* --- of a measurement --- */

void bench_results_of(struct bench_results *out, const struct bench *b)
{
    *out = (struct bench_results){.tool = "rooftop", .conditions = b->conditions};
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
        r->ends = bench_ends_of(side);
        for (int c = 0; c < BENCH_COUNTERS; c++)
            r->counters[c] = bench_counted(side, (enum bench_counter)c);
    }
    out->wall_ns = b->side[0].n ? b->side[0].samples[0].wall_ns : 0;
    if (b->sides < 2 || out->n < 2 || !bench_comparable(b)) /* then there is no ratio */
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
