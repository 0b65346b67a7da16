/* Profiles of every kind with every command that prints them: documents are valid and the same
 * each time; bad files give one clear line. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/program.h"
#include "support/test.h"

static int begin(void **state)
{
    if (nsys_set_up(state) != 0)
        return -1;
    setenv("D", nsys_folder(), 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    nsys_sql(nsys_path("nsys.sqlite"), NSYS_STRINGS, nsys_new_tables, nsys_new_names,
             nsys_new_rows);
    return 0;
}

static const struct {
    const char *files, *word; /* word: a name in the file */
} kinds[] = {
    {"tests/data/rocpd/synthetic_schema3.db", "gemm"},
    {"tests/data/rocpd/babeltrace_test_rocm_database.db", ""},
    {"tests/data/rocprofv3/kernel_trace.csv tests/data/rocprofv3/counter_collection.csv "
     "tests/data/rocprofv3/hip_runtime_trace.csv tests/data/rocprofv3/memory_copy_trace.csv",
     "divide_kernel"},
    {"$D/nsys.sqlite", "cudaLaunchKernel"},
    {"tests/data/chrome/kineto_cuda.json", ""},
    {"tests/data/chrome/kineto_hip.json", ""},
    {"tests/data/rocpd/synthetic_schema3.db $D/nsys.sqlite tests/data/chrome/kineto_cuda.json",
     "gemm"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
/* What is said of a kind: one of the ranges has no end (tests/support/nsys_sql.h); one kernel lies
 * inside another one of its stream. */
static const char *told_of(const char *files)
{
    if (strstr(files, "nsys"))
        return "rooftop: 1 record is left out: 1 without a readable time\n";
    return strstr(files, "kineto_hip") ? "rooftop: 1 kernel of 1 stream ends before an earlier "
                                       : "";
}

/* --- documents --- */

/* RFC 4180: each row has as many fields as the first. */
static void check_csv(const char *line, const char *text)
{
    size_t fields = 1, wanted = 0;
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        quoted ^= *c == '"';
        fields += *c == ',' && !quoted;
        if (*c != '\n' || quoted)
            continue;
        if (wanted && fields != wanted)
            fail_msg("%s: a row of %zu fields, not %zu", line, fields, wanted);
        wanted = fields;
        fields = 1;
    }
    if (quoted || wanted < 2 || text[strlen(text) - 1] != '\n')
        fail_msg("%s: no CSV: %.200s", line, text);
}

static void check_json(const char *line, const char *text)
{
    const char *ends = NULL;
    cJSON *j = cJSON_ParseWithOpts(text, &ends, false);
    if (!cJSON_IsObject(j) || strspn(ends, "\n") != strlen(ends))
        fail_msg("%s: no JSON: %.200s", line, text);
    cJSON_Delete(j);
}

/* Whether every string in a line is closed. */
static bool quotes_close(const char *p, size_t n)
{
    bool in = false;
    for (size_t i = 0; i < n; i++) {
        if (in && p[i] == '\\')
            i++;
        else
            in ^= p[i] == '"';
    }
    return !in;
}

/* A valid graph: statements are "  nA [..];" and "  nA -> nB [..];", and every node was
 * declared. */
static void check_dot(const char *line, const char *text)
{
    enum { MOST = 1000000 };
    bool *declared = calloc(MOST, sizeof *declared);
    unsigned a = 0, b = 0, n = 0;
    assert_non_null(declared);
    if (strncmp(text, "digraph ", 8) != 0 || strcmp(text + strlen(text) - 2, "}\n") != 0)
        fail_msg("%s: no graph: %.200s", line, text);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        int edge = length ? sscanf(text, " n%u -> n%u", &a, &b) : 0; /* empty lines are skipped */
        if (edge == 2 && !(a < MOST && b < MOST && declared[a] && declared[b]))
            fail_msg("%s: not declared: %.*s", line, (int)length, text);
        if (edge == 1 && a < MOST)
            n += declared[a] = true;
        if (!quotes_close(text, length) || (edge > 0 && text[length - 1] != ';'))
            fail_msg("%s: a broken statement: %.*s", line, (int)length, text);
    }
    assert_true(n > 0);
    free(declared);
}

static void check(const char *line, const char *format, const char *text)
{
    if (strcmp(format, "json") == 0 || strcmp(format, "chrome") == 0)
        check_json(line, text);
    else if (strcmp(format, "csv") == 0)
        check_csv(line, text);
    else if (strcmp(format, "dot") == 0)
        check_dot(line, text);
    else if (strcmp(format, "svg") == 0)
        assert_true(strncmp(text, "<svg ", 5) == 0 && strstr(text, "</svg>"));
    else
        assert_true(*text != '\0');
}

TEST(every_kind_in_every_format)
{
    static const struct {
        const char *command, *formats[10];
    } commands[] = {
        {"tree", {"text", "json", "csv", "dot", "chrome", "svg", "folded", "speedscope"}},
        {"tree --calls", {"text", "json", "csv", "dot"}},
        {"path", {"text", "json", "csv", "dot"}},
        {"bricks", {"text", "json", "csv"}},
        {"export", {"chrome", "dot", "csv", "json", "folded", "speedscope"}},
    };
    for (size_t k = 0; k < KINDS; k++)
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
            for (size_t f = 0; commands[c].formats[f]; f++) {
                struct program p, again;
                char line[1024];
                const char *format = commands[c].formats[f];
                snprintf(line, sizeof line, "$BIN %s --format %s %s", commands[c].command, format,
                         kinds[k].files);
                program_expect(&p, line, 0);
                program_expect(&again, line, 0);
                const char *told = told_of(kinds[k].files);
                assert_int_equal(strncmp(p.err, told, strlen(told)), 0);
                assert_int_equal(program_lines(p.err), *told ? 1 : 0);
                if (strcmp(p.out, again.out) != 0)
                    fail_msg("%s: another document the second time", line);
                check(line, format, p.out);
                /* these documents contain the names */
                bool names = c != 2 && c != 3 && strcmp(format, "svg") != 0;
                if (names && !strstr(p.out, kinds[k].word))
                    fail_msg("%s: no %s", line, kinds[k].word);
                program_free(&p);
                program_free(&again);
            }
}

TEST(thread_traces_in_every_format)
{
    static const char *const formats[] = {"text", "json", "csv"};
    for (size_t i = 0; i < 3; i++) {
        struct program p;
        char line[256];
        snprintf(line, sizeof line, "$BIN att --format %s tests/data/att", formats[i]);
        program_expect(&p, line, 0);
        check(line, formats[i], p.out);
        program_free(&p);
    }
}

/* --- files that are no profile --- */

TEST(bad_files_are_one_clear_line)
{
    static const struct {
        const char *make, *files;
        int status;
        const char *word;
    } cases[] = {
        {": >$D/empty", "$D/empty", 3, "empty"},
        {"mkdir -p $D/nothing", "$D/nothing", 3, "nothing"},
        {"head -c 30000 tests/data/rocpd/synthetic_schema3.db >$D/cut.db", "$D/cut.db", 3,
         "cut.db"},
        {"sqlite=1; head -c 100 tests/data/rocpd/synthetic_schema3.db >$D/head.db", "$D/head.db", 3,
         "head.db"},
        {"cp $D/other.sqlite $D/o.db", "$D/o.db", 3, "o.db"},
        {"echo 'to be or not to be' >$D/text", "$D/text", 3, "text"},
        {":", "/no/such/file.db", 3, "/no/such/file.db"},
        {"head -c 100000 /dev/urandom >$D/noise", "$D/noise", 3, "noise"},
        {":", "$D/lz4.db", 6, "compressed"},
        {"$BIN record -o $D/s.rooftop --frames 1 -d 0.05 2>/dev/null; true",
         "tests/data/rocpd/synthetic_schema3.db $D/s.rooftop", 3, "s.rooftop"},
        {"echo '{\"traceEvents\":[{\"ph\":\"X\",}' >$D/bad.json", "$D/bad.json", 3, "bad.json"},
    };
    static const char *const commands[] = {"tree", "path", "bricks", "export"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
            struct program p;
            char line[512];
            program_answers(cases[i].make, 0, "", "");
            snprintf(line, sizeof line, "$BIN %s %s", commands[c], cases[i].files);
            program_expect(&p, line, cases[i].status);
            if (program_lines(p.err) != 1 || !strstr(p.err, cases[i].word) || p.out_len)
                fail_msg("%s said: %s", line, p.err);
            program_free(&p);
        }
}

/* root may read every file: then there is nothing to test. */
TEST(unreadable_files_are_told)
{
    program_answers("cp tests/data/rocpd/synthetic_schema3.db $D/secret.db; chmod 0 $D/secret.db; "
                    "if [ -r $D/secret.db ]; then echo secret.db: Permission >&2; exit 3; fi; "
                    "$BIN path $D/secret.db",
                    3, "", "secret.db: Permission");
}

static int make_databases(void **state)
{
    if (begin(state) != 0)
        return -1;
    nsys_sql(nsys_path("other.sqlite"), "CREATE TABLE bookmarks(url TEXT)");
    nsys_sql(nsys_path("lz4.db"),
             "CREATE TABLE rocpd_metadata(id, tag TEXT, value TEXT);"
             "CREATE TABLE rocpd_region(id, start, \"end\");"
             "INSERT INTO rocpd_metadata VALUES(1, 'compression', 'lz4-frame-v1')");
    return 0;
}

/* A file that does not fit into memory is refused before it is read, with what it would need, and
 * what the user can do. */
TEST(a_file_that_does_not_fit_says_what_it_needs)
{
    struct program p;
    nsys_sql(
        nsys_path("large.sqlite"), NSYS_STRINGS, "CREATE TABLE META_DATA_EXPORT(name, value)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId, nameId,"
        " returnValue)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20000)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 * i, 1000 * i + i % 700, " NSYS_T1
        ", i, 4, 0 FROM c");
    program_expect(&p, "$BIN tree --max-memory 1M $D/large.sqlite", 0);
    const char *before = strstr(p.err, "large.sqlite: "), *after;
    assert_non_null(before);
    assert_non_null(strstr(before, " KiB, about 20000 spans, 4.58 MiB of memory (the limit is 1.00 "
                                   "MiB: the shortest become sums)"));
    after = strstr(p.err, " of 20000 spans, the shortest (");
    assert_true(after > before);
    assert_non_null(strstr(p.out, "(short spans, by name)"));
    program_free(&p);
    program_expect(&p, "$BIN tree --max-memory 50M $D/large.sqlite", 0);
    assert_string_equal(p.err, "");
    program_free(&p);
}

/* A thousand bytes before the events, and what they are called, do not matter. */
TEST(events_may_come_late)
{
    for (int length = 10; length <= 1000000; length *= 100) {
        FILE *f = fopen(nsys_path("late.json"), "w");
        assert_non_null(f);
        fprintf(f,
                "{\"metadata\": {\"x\": \"%0*d\"}, \"traceEvents\": [{\"ph\": \"X\", \"cat\": "
                "\"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": 1.0, \"dur\": 5.0, "
                "\"args\": {\"device\": 0, \"stream\": 7}}]}",
                length, 0);
        assert_int_equal(fclose(f), 0);
        program_answers("$BIN kernels --format csv $D/late.json", 0, ",5000,", "");
    }
}

/* Two kernels, of which one is communication by its name: the note beside the case (ux/comm.json)
 * says eight, its file holds two. */
TEST(communication_is_known_by_name)
{
    struct program p;
    program_expect(&p, "$BIN report tests/data/chrome/two_kernels.json", 0);
    program_sees(&p, "2 dispatches of kernels");
    program_sees(&p, "GPU 0                       45.9    45.9     0.0     0.0     8.3        2");
    program_free(&p);
}

TEST_MAIN(make_databases, nsys_tear_down)
