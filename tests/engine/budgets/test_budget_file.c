/* Files of budgets: the published ones of other projects, and invalid ones, with the place of the
 * mistake. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/budgets/budgets.h"
#include "support/test.h"

static struct budget_file load(const char *name)
{
    char path[128], message[800];
    snprintf(path, sizeof path, "tests/data/renacer/%s.toml", name);
    struct budget_file f;
    struct error err = ERROR_INIT;
    if (budget_file_load(&f, path, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    return f;
}

static const struct budget *named(const struct budget_file *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->list[i].name, name) == 0)
            return &f->list[i];
    fail_msg("no budget is called %s", name);
    return f->list;
}

TEST(test_the_first_schema)
{
    struct budget_file f = load("renacer");
    assert_int_equal(f.n, 11);
    const struct budget *b = named(&f, "api_max_latency");
    assert_string_equal(budget_name_of(b->kind), "critical_path");
    assert_true(fabs(b->most - 0.1) < 1e-12); /* seconds */
    assert_string_equal(b->pattern, "api_.*");
    assert_false(b->warns || b->disabled);
    b = named(&f, "no_pcie_bottleneck");
    assert_string_equal(b->rule->id, "pcie");
    assert_true(b->threshold == 0.85);
    b = named(&f, "max_rss");
    assert_string_equal(b->choice, "rss");
    assert_true(b->warns);
    assert_true(named(&f, "experimental_check")->disabled);
    budget_file_free(&f);
}

TEST(test_the_second_schema)
{
    struct budget_file f = load("trueno");
    /* five programs with two limits each, five assertions, two rules */
    assert_int_equal(f.n, 19);
    const struct budget *b = named(&f, "matrix_operations max_time_ms");
    assert_string_equal(b->applies_to, "matrix_operations");
    assert_true(fabs(b->most - 0.002) < 1e-12);
    assert_true(named(&f, "matrix_operations max_syscalls")->most == 200);
    b = named(&f, "minimal_io_overhead");
    assert_string_equal(b->names, "write");
    assert_true(b->most == 35);
    assert_string_equal(named(&f, "gpu_transfer_overhead")->applies_to, "gpu_*");
    b = named(&f, "pcie_bottleneck");
    assert_string_equal(b->names, "write read");
    assert_true(b->most == 50);
    assert_true(b->warns); /* a warning: [ci] fails on errors only */
    assert_false(named(&f, "memory_thrashing")->warns);
    assert_true(named(&f, "time_regression")->most == 10);
    assert_true(named(&f, "syscall_regression")->most == 15);
    assert_true(budget_needs_golden(named(&f, "time_regression")));
    assert_false(budget_needs_golden(named(&f, "memory_thrashing")));
    assert_string_equal(f.golden_folder, "golden_traces");
    budget_file_free(&f);
}

TEST(test_other_projects)
{
    static const struct {
        const char *name;
        size_t n;
    } files[] = {{"repartir", 6}, {"trueno-db", 6}, {"reprorusted-python-cli", 6}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct budget_file f = load(files[i].name);
        assert_int_equal(f.n, files[i].n);
        assert_true(f.nnotes > 0); /* [otlp] and others have no effect */
        budget_file_free(&f);
    }
}

static void refuse(const char *text, const char *place, const char *message)
{
    struct budget_file f;
    struct error err = ERROR_INIT;
    char all[1000];
    int rc = budget_file_parse(&f, "f.toml", text, strlen(text), &err);
    if (rc == 0)
        fail_msg("accepted: %s", text);
    error_format(&err, all, sizeof all);
    assert_int_equal(err.kind, ERROR_INPUT);
    if (strcmp(err.what, place) != 0 || !strstr(all, message))
        fail_msg("\"%s: %s\" is not in \"%s\"", place, message, all);
}

TEST(test_what_is_refused)
{
    refuse("[[assertion]]\nname = \"a\"\nmax_duration_ms = 5\n", "f.toml:1:1",
           "this assertion has no type; types are: critical_path, anti_pattern");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"critcal_path\"\n", "f.toml:3:8",
           "did you mean critical_path?");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"critical_path\"\n", "f.toml:1:1",
           "needs max_duration_ms");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"critical_path\"\nmax_duration_ms = -1\n",
           "f.toml:4:19", "must lie between 0 and");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"critical_path\"\nmax_duration_ms = \"5\"\n",
           "f.toml:4:19", "is not a number");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"span_count\"\nmax_spans = 1.5\n", "f.toml:4:13",
           "must be a whole number");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"span_count\"\nmax_spans = 1\nmax_span = 2\n",
           "f.toml:5:12", "has no max_span; did you mean max_spans?");
    refuse("[[assertion]]\ntype = \"span_count\"\nmax_spans = 1\n", "f.toml:1:1",
           "this assertion has no name");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"anti_pattern\"\npattern = \"god_proces\"\n",
           "f.toml:4:11", "did you mean god_process?");
    refuse(
        "[[assertion]]\nname = \"a\"\ntype = \"anti_pattern\"\npattern = \"pcie\"\nthreshold = 7",
        "f.toml:5:13", "must lie between 0 and 1");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"memory_usage\"\nmax_bytes = 1\n"
           "tracking_mode = \"heap\"\n",
           "f.toml:5:17", "is none of allocations|rss");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"span_count\"\nmax_spans = 1\n"
           "span_name_pattern = \"(\"\n",
           "f.toml:5:21", "extended regular expression");
    refuse(
        "[[assertions]]\nname = \"a\"\ncheck = \"syscall_count\"\nsyscall = \"wriet\"\nmax_count "
        "= 1\n",
        "f.toml:4:11", "no system call is called wriet");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"custom\"\n"
           "expression = \"trace.spans.iter().all(|s| s.duration_ms < 50)\"\n",
           "f.toml:4:14", "expression, column");
    refuse("[[assertion]]\nname = \"a\"\ntype = \"custom\"\nexpression = \"calls\"\n",
           "f.toml:4:14", "a comparison is missing");
    refuse("[[assertion]\n", "f.toml:1:13", "");
    refuse("[budget]\na = 1\n", "f.toml:1:1", "no table is called budget");
    refuse("a = 1\n", "f.toml:1:5", "stands in no table");
    refuse("[performance.budgets]\nx = { max_tim_ms = 2 }\n", "f.toml:2:20", "has no max_tim_ms");
}

TEST(test_an_empty_file_has_no_budgets)
{
    struct budget_file f;
    assert_int_equal(budget_file_parse(&f, "f.toml", "", 0, NULL), 0);
    assert_int_equal(f.n, 0);
    budget_file_free(&f);
    struct error err = ERROR_INIT;
    assert_true(budget_file_load(&f, "/nonexistent/f.toml", &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
}
