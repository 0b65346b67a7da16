/* progress.json: what is written is read again, whole or not at all; what others write is refused.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/optimize/optimize_progress.h"
#include "engine/value/text_file.h"
#include "support/test.h"

static char folder[] = "/tmp/rooftop-progress-XXXXXX", file[64], next[64];

static const struct optimize_progress some = {.stage = OPTIMIZE_PAIRS,
                                              .step = OPTIMIZE_CANDIDATE,
                                              .number = 7,
                                              .base = 3,
                                              .proposer = "unroll",
                                              .factor = {.9, .8, 1.25},
                                              .pairs = 1234,
                                              .left_s = 59.5,
                                              .iterations = 20,
                                              .without_gain = 2,
                                              .tries = 8};

static int parse(struct optimize_progress *p, const char *text, size_t n)
{
    struct error err = ERROR_INIT;
    const int rc = optimize_progress_parse(p, text, n, "f", &err);
    if (rc != 0)
        assert_true(rc == -EINVAL && err.kind == ERROR_INPUT && *err.why);
    return rc;
}

static char *read_back(size_t *n)
{
    char *text = NULL;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read(&text, n, file, &err), 0);
    return text;
}

static void same_number(double a, double b)
{
    assert_true(isnan(a) ? isnan(b) : a == b);
}

static void expect_same(const struct optimize_progress *a, const struct optimize_progress *b)
{
    assert_int_equal(a->stage, b->stage);
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->base, b->base);
    assert_string_equal(a->proposer, b->proposer);
    same_number(a->factor.estimate, b->factor.estimate);
    same_number(a->factor.low, b->factor.low);
    same_number(a->factor.high, b->factor.high);
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->modelled, b->modelled);
    same_number(a->left_s, b->left_s);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->without_gain, b->without_gain);
    assert_int_equal(a->tries, b->tries);
}

static void expect_round_trip(const struct optimize_progress *p)
{
    struct optimize_progress got;
    size_t n = 0;
    optimize_progress_write(folder, p);
    char *text = read_back(&n);
    assert_int_equal(parse(&got, text, n), 0);
    expect_same(p, &got);
    free(text);
}

TEST(what_is_written_is_read)
{
    for (int stage = 0; stage < OPTIMIZE_STAGES; stage++) {
        for (int step = 0; step < OPTIMIZE_STEPS; step++) {
            struct optimize_progress p = some;
            p.stage = (enum optimize_stage)stage;
            p.step = (enum optimize_step)step;
            expect_round_trip(&p);
        }
        assert_true(*optimize_stage_text((enum optimize_stage)stage));
    }
    struct optimize_progress p = some;
    p.modelled = true;
    expect_round_trip(&p);
    p = some;
    p.pairs = 0; /* then "metric" is null */
    expect_round_trip(&p);
    p.factor = (struct interval){NAN, NAN, NAN};
    p.left_s = NAN;
    p.number = UINT32_MAX - 1;
    snprintf(p.proposer, sizeof p.proposer, "%s", "a \"b\\");
    expect_round_trip(&p);
}

/* An interval of few pairs has no ends; JSON has no infinity. */
TEST(what_is_not_finite_is_not_known)
{
    struct optimize_progress p = some, got;
    size_t n = 0;
    p.factor = (struct interval){.9, -INFINITY, INFINITY};
    optimize_progress_write(folder, &p);
    char *text = read_back(&n);
    assert_int_equal(parse(&got, text, n), 0);
    p.factor = (struct interval){.9, NAN, NAN};
    expect_same(&p, &got);
    free(text);
}

/* A reader that has opened the file before reads what was whole then. */
TEST(it_is_replaced_whole)
{
    struct optimize_progress p = some, got;
    char text[4096];
    struct stat st;
    optimize_progress_write(folder, &p);
    FILE *f = fopen(file, "re");
    assert_non_null(f);
    p.number = 8;
    optimize_progress_write(folder, &p);
    const size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_int_equal(parse(&got, text, n), 0);
    assert_int_equal(got.number, 7);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_not_equal(access(next, F_OK), 0);
    expect_round_trip(&p);
}

/* Neither the file that is next nor a link in its place may lead elsewhere, and nothing is said. */
TEST(what_cannot_be_written_is_left)
{
    char victim[64];
    struct stat st;
    snprintf(victim, sizeof victim, "%.40s/victim", folder);
    optimize_progress_remove(folder);
    assert_int_equal(symlink(victim, next), 0);
    optimize_progress_write(folder, &some);
    assert_int_not_equal(lstat(victim, &st), 0);
    assert_int_not_equal(lstat(file, &st), 0);
    assert_int_equal(unlink(next), 0);
    optimize_progress_write("/nonexistent/folder", &some);
    optimize_progress_remove("/nonexistent/folder");
    optimize_progress_remove(folder);
}

TEST(a_part_is_refused)
{
    struct optimize_progress got;
    size_t n = 0;
    optimize_progress_write(folder, &some);
    char *text = read_back(&n);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(parse(&got, text, i), -EINVAL);
    assert_int_equal(parse(&got, text, n), 0);
    free(text);
}

#define HEAD                                                                                       \
    "{\"schema\":\"rooftop.optimize-progress/1\",\"doing\":\"pairs\",\"step\":\"candidate\""

TEST(what_is_none_is_refused)
{
    static const char *const cases[] = {
        "",
        "null",
        "[]",
        "{}",
        "7",
        "{\"schema\":\"rooftop.optimize-progress/2\",\"doing\":\"pairs\",\"step\":\"candidate\"}",
        "{\"schema\":\"rooftop.optimize-progress/1\",\"doing\":\"naps\",\"step\":\"candidate\"}",
        "{\"schema\":\"rooftop.optimize-progress/1\",\"doing\":\"pairs\",\"step\":\"\"}",
        "{\"schema\":\"rooftop.optimize-progress/1\",\"doing\":\"pairs\"}",
        HEAD ",\"number\":-1}",
        HEAD ",\"number\":4294967296}",
        HEAD ",\"number\":\"7\"}",
        HEAD ",\"pairs\":1.5}",
        HEAD ",\"proposer\":7}",
        HEAD ",\"metric\":\"time}",
        HEAD "} {}",
    };
    struct optimize_progress got;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (parse(&got, cases[i], strlen(cases[i])) != -EINVAL)
            fail_msg("taken: %s", cases[i]);
}

/* What a later version adds is skipped; what is missing, or no number, is not known. */
TEST(what_is_missing_is_not_known)
{
    static const char text[] = HEAD ",\"later\":{\"a\":[1,2]},\"low\":\"x\",\"left_s\":null}";
    struct optimize_progress got;
    assert_int_equal(parse(&got, text, strlen(text)), 0);
    assert_true(isnan(got.factor.low) && isnan(got.factor.estimate) && isnan(got.left_s));
    assert_int_equal(got.number, 0);
    assert_string_equal(got.proposer, "");
}

/* A long word is cut, a huge file is read or refused in its own time, depth has an end. */
TEST(what_is_huge_does_no_harm)
{
    enum { N = 4 << 20 };
    struct optimize_progress got;
    char *text = malloc(N + 256);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "%s", HEAD ",\"proposer\":\"");
    memset(text + n, 'x', N);
    n += N;
    n += (size_t)sprintf(text + n, "\"}");
    if (parse(&got, text, n) == 0)
        assert_int_equal(strlen(got.proposer), sizeof got.proposer - 1);
    n = (size_t)sprintf(text, "%s", HEAD ",\"later\":");
    memset(text + n, '[', N);
    assert_int_equal(parse(&got, text, n + N), -EINVAL);
    free(text);
}

FIXTURE_STATUS(make_folder)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%.40s/progress.json", folder);
    snprintf(next, sizeof next, "%.40s/progress.json.next", folder);
    return 0;
}

FIXTURE_STATUS(remove_folder)
{
    optimize_progress_remove(folder);
    return rmdir(folder);
}

TEST_MAIN(make_folder, remove_folder)
