/* The exposition formats: what is read, what is refused and where. The last test compares with
 * Debian's prometheus_client. */
#include "exposition/exposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposition/exposition_number.h"
#include "support/program.h"
#include "support/python.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { TEXT_MAX = 1 << 16 };
static char text[TEXT_MAX];
static struct exposition e;
static struct error err;

static void open_text(enum exposition_format format, const char *content)
{
    const size_t n = strlen(content);
    memcpy(text, content, n + 1);
    err = (struct error)ERROR_INIT;
    exposition_open(&e, format, text, n, "page");
}

/* Writes all samples of a text, a line each, in one form. */
static void write_samples(FILE *out)
{
    struct exposition_sample s;
    int rc;
    while ((rc = exposition_next(&e, &s, &err)) == 1) {
        fprintf(out, "%s", s.name);
        for (size_t i = 0; i < s.nlabels; i++)
            fprintf(out, " %s=[%s]", s.labels[i].name, s.labels[i].value);
        fprintf(out, " %.17g", s.value);
        if (!isnan(s.timestamp_s))
            fprintf(out, " @%.17g", s.timestamp_s);
        fprintf(out, "%s type %d\n", s.exemplar ? " exemplar" : "", (int)s.type);
    }
    if (rc < 0)
        fprintf(out, "%s: %s\n", err.what, err.why);
}

static void expect_samples(enum exposition_format format, const char *content, const char *want)
{
    char *got = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&got, &len);
    open_text(format, content);
    write_samples(f);
    fclose(f);
    assert_string_equal(got, want);
    free(got);
}

TEST(samples_of_the_old_format)
{
    expect_samples(EXPOSITION_TEXT,
                   "# HELP http_requests_total The \\\\ number\\nof requests\n"
                   "# TYPE http_requests_total counter\n"
                   "http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n"
                   "http_requests_total { method = \"post\" , code = \"400\" , } 3\n"
                   "\n"
                   "# a comment\n"
                   "msdos{path=\"C:\\\\DIR\\\\F\",e=\"a \\\"b\\\"\\nc\"} 1.458255915e9\r\n"
                   "without_labels 12.47\n"
                   "\t weird{p=\"d:0}\"} +Inf -3982045\n"
                   "nothing NaN\n"
                   "# TYPE rpc histogram\n"
                   "rpc_bucket{le=\"+Inf\"} 144320\n"
                   "rpc_sum 53423\n"
                   "rpc_other -Inf",
                   "http_requests_total method=[post] code=[200] 1027 @1395066363 type 1\n"
                   "http_requests_total method=[post] code=[400] 3 type 1\n"
                   "msdos path=[C:\\DIR\\F] e=[a \"b\"\nc] 1458255915 type 0\n"
                   "without_labels 12.470000000000001 type 0\n"
                   "weird p=[d:0}] inf @-3982.0450000000001 type 0\n"
                   "nothing nan type 0\n"
                   "rpc_bucket le=[+Inf] 144320 type 3\n"
                   "rpc_sum 53423 type 3\n"
                   "rpc_other -inf type 0\n");
}

TEST(samples_of_openmetrics)
{
    expect_samples(EXPOSITION_OPENMETRICS,
                   "# TYPE foo_seconds histogram\n# UNIT foo_seconds seconds\n"
                   "foo_seconds_bucket{le=\"0.5\"} 8 # {trace_id=\"x\",s=\"}\"} 0.67 1.5e9\n"
                   "foo_seconds_count 17 1520879607.789\n"
                   "{\"own.name\",a=\"b\",\"c d\"=\"e\"} 1\n"
                   "# HELP \"typed.name\" A name\n# TYPE \"typed.name\" gauge\n"
                   "{\"typed.name\"} 2\n"
                   "# TYPE \"a \\\"b\\\"\" counter\n{\"a \\\"b\\\"\"} 3\n"
                   "# EOF\n",
                   "foo_seconds_bucket le=[0.5] 8 exemplar type 3\n"
                   "foo_seconds_count 17 @1520879607.789 type 3\n"
                   "own.name a=[b] c d=[e] 1 type 0\n"
                   "typed.name 2 type 2\n"
                   "a \"b\" 3 type 1\n");
}

TEST(family_says_unit_and_help)
{
    struct exposition_sample s;
    open_text(EXPOSITION_OPENMETRICS, "# TYPE a_bytes gauge\n# UNIT a_bytes bytes\n"
                                      "# HELP a_bytes What C:\\d is\na_bytes 1\n# EOF\n");
    assert_int_equal(exposition_next(&e, &s, &err), 1);
    assert_string_equal(s.unit, "bytes");
    assert_string_equal(s.help, "What C:\\d is");
    assert_string_equal(s.family, "a_bytes");
    assert_int_equal(exposition_next(&e, &s, &err), 0);
    assert_int_equal(exposition_next(&e, &s, &err), 0);
}

TEST(damaged_texts_are_refused_with_their_place)
{
    static const struct {
        enum exposition_format format;
        const char *text, *want;
    } rows[] = {
        {EXPOSITION_TEXT, "a 1\nb{x=\"1} 2\n",
         "a 1 type 0\npage, line 2, column 10: a quote is not closed\n"},
        {EXPOSITION_TEXT, "a{x=1} 2",
         "page, line 1, column 5: the value of a label begins with a quote\n"},
        {EXPOSITION_TEXT, "a{x=\"\\d\"} 2",
         "page, line 1, column 6: an escape is \\\\, \\n or \\\"\n"},
        {EXPOSITION_TEXT, "a{x=\"1\" y=\"2\"} 2",
         "page, line 1, column 9: , or } is expected after a label\n"},
        {EXPOSITION_TEXT, "a{x} 2",
         "page, line 1, column 4: = is expected after the name of a label\n"},
        {EXPOSITION_TEXT, "a",
         "page, line 1, column 2: a blank or { is expected after the name of a metric\n"},
        {EXPOSITION_TEXT, "a ", "page, line 1, column 3: a number is expected\n"},
        {EXPOSITION_TEXT, "a 1x", "page, line 1, column 3: this is no number\n"},
        {EXPOSITION_TEXT, "a 1 2 3",
         "page, line 1, column 7: nothing is expected after the numbers of a sample\n"},
        {EXPOSITION_TEXT, "# TYPE a what\na 1",
         "page, line 1, column 10: no type of metrics has this name\n"},
        {EXPOSITION_TEXT, "# TYPE 1 gauge",
         "page, line 1, column 8: the name of a metric is expected\n"},
        {EXPOSITION_TEXT, "<html><body>",
         "page, line 1, column 1: the name of a metric is expected\n"},
        {EXPOSITION_TEXT, "{a=\"b\"} 1", "page, line 1, column 1: the sample has no name\n"},
        {EXPOSITION_OPENMETRICS, "a 1\n",
         "a 1 type 0\npage, line 1, column 1: the text is cut: its end, # EOF, is missing\n"},
        {EXPOSITION_OPENMETRICS, "# EOF\na 1\n",
         "page, line 2, column 1: nothing is expected after # EOF\n"},
        {EXPOSITION_OPENMETRICS, "a 1 # 3\n# EOF\n",
         "page, line 1, column 7: the labels of an exemplar are expected\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_samples(rows[i].format, rows[i].text, rows[i].want);
}

TEST(zero_bytes_and_many_labels_are_refused)
{
    struct exposition_sample s;
    char many[20 * (EXPOSITION_LABELS + 2)] = "a{";
    open_text(EXPOSITION_TEXT, "a 1\n");
    text[1] = 0;
    assert_int_equal(exposition_next(&e, &s, &err), -22);
    assert_string_equal(err.what, "page, line 1, column 2");
    for (int i = 0; i <= EXPOSITION_LABELS; i++)
        sprintf(many + strlen(many), "l%d=\"v\",", i);
    strcat(many, "} 1");
    open_text(EXPOSITION_TEXT, many);
    assert_int_equal(exposition_next(&e, &s, &err), -22);
    assert_string_equal(err.why, "a sample has more than 128 labels");
}

TEST(numbers_are_the_nearest_doubles)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "007",
        "1.",
        ".5",
        "1e22",
        "1e23",
        "9007199254740993",
        "1e-22",
        "3e-5",
        "0.1",
        "1.7976931348623157e308",
        "4.9e-324",
        "123456789012345678901234567890",
        "1.458255915e9",
        "5E+3",
        "-2.50",
        "8.98846567431158e307",
        "0.000000000000000000000000000000000001",
        "1e400",
        "1e-400",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double v = NAN;
        assert_true(exposition_number(texts[i], strlen(texts[i]), &v));
        const double want = strtod(texts[i], NULL);
        assert_memory_equal(&v, &want, sizeof v);
    }
    static const char *const bad[] = {"",      "-",   ".",  "e5", "1e",    "1e+", "0x10",
                                      "1_000", "--1", "in", "+",  "1.2.3", "nanx"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double v;
        assert_false(exposition_number(bad[i], strlen(bad[i]), &v));
    }
}

TEST(another_reader_reads_the_same)
{
    static const char page[] =
        "# HELP node_x A \"help\" with \\\\ and \\n in it\n# TYPE node_x counter\n"
        "node_x_total{a=\"b\\\\c\",d=\"\\\"\\n\"} 1.5e+06 1700000000123\nnode_x_total 3 -5\n"
        "# TYPE h histogram\nh_bucket{le=\"0.1\"} 0\nh_bucket{le=\"+Inf\"} 1e3\nh_sum "
        "0.30000000000000004\n"
        "h_count 1000\nplain{} -0.0\nutf8{x=\"\xc3\xa9\xe2\x82\xac\"} NaN\n"
        "inf{s=\"-\"} -Inf\ninf{s=\"+\"} +Inf\n";
    struct program p;
    python_needed("prometheus_client.parser", "python3-prometheus-client");
    temp_folder_put("page.txt", page);
    program_expect(
        &p,
        "$PY -c '\n"
        "import sys\n"
        "from prometheus_client.parser import text_string_to_metric_families as read\n"
        "for f in read(open(sys.argv[1], encoding=\"utf-8\").read()):\n"
        "    for s in f.samples:\n"
        "        labels = \"\".join(f\" {k}=[{v}]\" for k, v in s.labels.items())\n"
        "        at = f\" @{float(s.timestamp):.17g}\" if s.timestamp is not None else \"\"\n"
        "        print(f\"{s.name}{labels} {s.value:.17g}{at}\")\n"
        "' $D/page.txt",
        0);
    char *got = NULL, *in;
    size_t len = 0;
    FILE *f = open_memstream(&got, &len);
    open_text(EXPOSITION_TEXT, page);
    write_samples(f);
    fclose(f);
    while ((in = strstr(got, " type "))) /* the other reader has it elsewhere */
        memmove(in, in + 7, strlen(in + 7) + 1);
    assert_string_equal(got, p.out);
    free(got);
    program_free(&p);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
