/* Every format of a command tells the same times: their sums are those of the JSON, and those of
 * one file are known by hand. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/test.h"

/* --- sums of one document, in ns --- */

/* Sums member `key` over the objects of the array `list`. */
static double json_sum(const char *text, const char *list, const char *key)
{
    cJSON *doc = cJSON_Parse(text);
    const cJSON *row;
    double sum = 0;
    assert_non_null(doc);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(doc, list))
    {
        const cJSON *v = cJSON_GetObjectItem(row, key);
        sum += cJSON_IsNumber(v) ? v->valuedouble : 0;
    }
    cJSON_Delete(doc);
    return sum;
}

/* Sums a column; names in quotes may hold commas. */
static double csv_sum(const char *text, const char *column)
{
    unsigned wanted = 0, at = 0, found = 0;
    size_t header = strcspn(text, "\n"), length = strlen(column);
    for (size_t i = 0; i <= header; i++) {
        if (i == 0 || text[i - 1] == ',') {
            if (strncmp(text + i, column, length) == 0 && strchr(",\n", text[i + length])) {
                found = 1;
                wanted = at;
            }
            at++;
        }
    }
    assert_true(found);
    double sum = 0;
    unsigned field = 0;
    bool quoted = false;
    for (const char *c = text + header + 1; *c; c++) {
        if (field == wanted && !quoted && (c[-1] == ',' || c[-1] == '\n'))
            sum += strtod(c, NULL);
        quoted ^= *c == '"';
        field = *c == '\n' && !quoted ? 0 : field + (*c == ',' && !quoted);
    }
    return sum;
}

/* Sums the numbers at the ends of the lines. */
static double folded_sum(const char *text)
{
    double sum = 0;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        const char *space = end;
        while (space > text && space[-1] != ' ')
            space--;
        sum += strtod(space, NULL);
    }
    return sum;
}

/* Sums what follows a word, in units of `scale` ns. */
static double words_sum(const char *text, const char *word, double scale)
{
    double sum = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        sum += strtod(at + strlen(word), NULL) * scale;
    return sum;
}

/* Sums OpenTelemetry's spans of kernels and copies. */
static double otlp_work(const char *text)
{
    double sum = 0;
    static const char word[] = "\"startTimeUnixNano\":\"", until[] = "\"endTimeUnixNano\":\"";
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        const char *end = strstr(at, until), *kind = strstr(at, "{\"stringValue\":\"");
        assert_true(end && kind);
        kind += strlen("{\"stringValue\":\"");
        if (strncmp(kind, "kernel\"", 7) == 0 || strncmp(kind, "transfer\"", 9) == 0)
            sum += (double)(strtoull(end + strlen(until), NULL, 10) -
                            strtoull(at + strlen(word), NULL, 10));
    }
    return sum;
}

/* Sums the boxes of kernels in a flame graph that is `all` ns wide. */
static double flame_kernels(const char *text, double all)
{
    double kernels = 0, whole = 0;
    for (const char *at = text; (at = strstr(at, "</title><rect x=\"")) != NULL; at++) {
        double x, y, w, h;
        char fill[16] = "";
        if (sscanf(at,
                   "</title><rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\" fill=\"%15[^\"]",
                   &x, &y, &w, &h, fill) != 5)
            fail_msg("no box: %.80s", at);
        kernels += strcmp(fill, "#f0c75e") == 0 ? w : 0;
        whole += y == 10 ? w : 0; /* the boxes of roots */
    }
    return kernels / whole * all;
}

/* --- the table --- */

enum how { JSON, CSV, FOLDED, WORDS, OTLP, FLAME, TEXT };

/* In the document of `line`, the sum of `what` equals that of the JSON of `like`: of the member
 * `wanted` in the array `list`, or, if that is "", of all members of that name. within: how far
 * it may be off, of the whole, where a format rounds. only: the file that has something to sum. */
static const struct row {
    const char *line;
    enum how how;
    const char *what, *key;
    double scale;
    const char *like, *list, *wanted;
    double within;
    const char *only;
} rows[] = {
    {"tree --format csv", CSV, "total_ns", "", 1, "tree", "nodes", "duration_ns", 0, NULL},
    {"tree --format csv", CSV, "self_ns", "", 1, "tree", "nodes", "self_ns", 0, NULL},
    {"tree --format folded", FOLDED, "", "", 1, "tree", "nodes", "self_ns", 0, NULL},
    {"tree --format svg", FLAME, "", "", 1, "kernels", "", "kernel_ns", 2e-3, NULL},
    {"tree --calls --format csv", CSV, "total_ns", "", 1, "tree --calls", "nodes", "duration_ns", 0,
     NULL},
    {"timeline --format json", JSON, "spans", "duration_ns", 1, "tree --calls", "nodes",
     "duration_ns", 0, NULL},
    {"timeline --format csv", CSV, "duration_ns", "", 1, "timeline", "spans", "duration_ns", 0,
     NULL},
    {"export --format chrome", WORDS, "\"dur\":", "", 1000, "timeline", "spans", "duration_ns",
     1e-6, NULL},
    {"tree --format chrome", WORDS, "\"dur\":", "", 1000, "timeline", "spans", "duration_ns", 1e-6,
     NULL},
    {"export --format csv", CSV, "total_ns", "", 1, "timeline", "spans", "duration_ns", 0, NULL},
    {"export --format json", JSON, "nodes", "duration_ns", 1, "timeline", "spans", "duration_ns", 0,
     NULL},
    {"export --format otlp", OTLP, "", "", 1, "kernels", "rows", "total_ns", 0, NULL},
    {"path --format csv", CSV, "length_ns", "", 1, "path", "steps", "length_ns", 0, NULL},
    {"bricks --format csv", CSV, "total_ns", "", 1, "bricks", "rows", "total_ns", 0, NULL},
    {"kernels --format csv", CSV, "total_ns", "", 1, "kernels", "rows", "total_ns", 0, NULL},
    {"path", TEXT, "s)", "", 1e9, "path", "steps", "length_ns", 5e-3, NULL},
    {"report --format csv", WORDS, "\npath_ns,", "", 1, "path", "steps", "length_ns", 0, NULL},
    {"report --format json", WORDS, "\"critical_path_ns\":", "", 1, "path", "", "critical_path_ns",
     0, NULL},
    {"steps --format csv", CSV, "length_ns", "", 1, "steps", "steps", "length_ns", 0,
     "kineto_steps"},
    {"steps --format csv", CSV, "compute_ns", "", 1, "steps", "steps", "compute_ns", 0,
     "kineto_steps"},
    {"roofline --format csv", CSV, "total_ns", "", 1, "roofline", "points", "total_ns", 0, NULL},
    {"roofline --format csv", CSV, "counted_ns", "", 1, "roofline", "points", "counted_ns", 0,
     NULL},
};

/* Sums the times in brackets that end with the word: "gemm (740 us)"; scale: of a second. */
static double brackets_sum(const char *text, const char *word, double scale)
{
    double sum = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const char *from = at;
        while (from > text && from[-1] != '(')
            from--;
        char *unit;
        const double number = strtod(from, &unit);
        const char small[] = {'s', 'm', 'u', 'n'};
        double seconds = number;
        for (size_t i = 0; i < sizeof small && small[i] != unit[1]; i++)
            seconds /= 1000;
        sum += seconds * scale;
    }
    return sum;
}

static double sum_of(const struct row *r, const char *text, double all)
{
    switch (r->how) {
    case JSON:
        return json_sum(text, r->what, r->key);
    case CSV:
        return csv_sum(text, r->what);
    case FOLDED:
        return folded_sum(text);
    case WORDS:
        return words_sum(text, r->what, r->scale);
    case OTLP:
        return otlp_work(text);
    case TEXT:
        return brackets_sum(text, r->what, r->scale);
    default:
        return flame_kernels(text, all);
    }
}

static char *document(const char *line, const char *files)
{
    char shell[512];
    struct program p;
    snprintf(shell, sizeof shell, "$BIN %s %s", line, files);
    program_expect(&p, shell, 0);
    char *out = strdup(p.out);
    program_free(&p);
    return out;
}

static double wanted_of(const struct row *r, const char *files)
{
    char line[128];
    snprintf(line, sizeof line, "%s --format json", r->like);
    char *text = document(line, files);
    snprintf(line, sizeof line, "\"%s\":", r->wanted);
    double sum = *r->list ? json_sum(text, r->list, r->wanted) : words_sum(text, line, 1);
    free(text);
    return sum;
}

TEST(formats_of_a_command_tell_the_same_times)
{
    static const char *const files[] = {
        "tests/data/chrome/two_programs.json",
        "tests/data/chrome/kineto_cuda.json",
        "tests/data/chrome/kineto_steps.json",
        "tests/data/rocpd/synthetic_schema3.db",
    };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char *tree = document("tree --format json", files[f]);
        double all = json_sum(tree, "nodes", "self_ns");
        free(tree);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (rows[i].only && !strstr(files[f], rows[i].only))
                continue;
            char *text = document(rows[i].line, files[f]);
            double wanted = wanted_of(&rows[i], files[f]), is = sum_of(&rows[i], text, all);
            static const double line[] = {[TEXT] = 5}; /* small times; large ones by `within` */
            double off = line[rows[i].how] * (double)program_lines(text) + 0.5;
            if (fabs(is - wanted) > rows[i].within * all + off)
                fail_msg("%s %s: %.0f, but %s of %s --format json: %.0f", rows[i].line, files[f],
                         is, rows[i].wanted, rows[i].like, wanted);
            free(text);
        }
    }
}

/* The host worked 1000 us and the GPU 640 us. */
TEST(the_whole_is_known)
{
    static const char file[] = "tests/data/chrome/two_programs.json";
    char *folded = document("tree --format folded", file),
         *json = document("tree --format json", file);
    assert_true(folded_sum(folded) == 1640e3);
    assert_true(json_sum(json, "nodes", "self_ns") == 1640e3);
    free(folded);
    free(json);
}
