/*
 * The loop, with a judge that goes by a number in the text and a build that copies: what is kept,
 * why it ends, what is in the log, and that a run goes on from any cut of its log. (The guards of
 * sources fork: not for TSan.)
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/optimize/optimize.h"
#include "engine/reproduce/copy_tree.h"
#include "engine/value/text_file.h"

static char dir[64], source[96], folder[96];
static const struct harness harness = {.function = "f"};
static bool allow[JUDGE_GUARDS];

/* --- what stands for compiler and judge --- */

static int builds;
static bool builds_differ;

static void build(void *ctx, const char *from, const char *to, struct optimize_build *out)
{
    (void)ctx;
    char *text = NULL;
    size_t n = 0;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read(&text, &n, from, &err), 0);
    out->ok = !strstr(text, "BROKEN");
    snprintf(out->status, sizeof out->status, "exit %d", !out->ok);
    snprintf(out->messages, sizeof out->messages, "what the compiler says");
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    if (builds_differ)
        fprintf(f, "%d", builds++);
    fclose(f);
    free(text);
}

/* "time 80": how long it takes. */
static double time_of(const char *path)
{
    char *text = NULL;
    size_t n = 0;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read(&text, &n, path, &err), 0);
    const char *at = strstr(text, "time ");
    const double t = at ? atof(at + 5) : NAN;
    free(text);
    return t;
}

static const char *judge_says; /* "refused", "blind": of the source against itself */
static bool never_confirmed;   /* what is built anew */

static int judge(const struct judge_plan *plan, struct judge_result *out, struct error *err)
{
    (void)err;
    const double a = time_of(plan->baseline), b = time_of(plan->candidate), x = b / a;
    *out = (struct judge_result){.warm = {x, x, x}, .cold = {x, x, x}, .confirmed = {x, x, x}};
    out->verdict = isnan(x)                                              ? JUDGE_REFUSED
                   : never_confirmed && strstr(plan->candidate, "again") ? JUDGE_EQUIVALENT
                   : x < 1 - plan->margin                                ? JUDGE_FASTER
                   : x > 1 + plan->margin                                ? JUDGE_SLOWER
                                                                         : JUDGE_EQUIVALENT;
    if (isnan(x))
        judge_refuse(&out->refusal, GUARD_OUTPUT, "it has no time");
    if (judge_says && x == 1) {
        out->verdict = JUDGE_REFUSED;
        judge_refuse(&out->refusal, judge_guard_named(judge_says), "so it is told");
    }
    return 0;
}

/* --- what stands for a proposer --- */

static const char *const *answers; /* the answer to the number-th question; NULL ends them */
static uint32_t asked, interrupt_at;
static bool interrupted;
static char saw[256];

static int open_told(void **state, const char *argument, struct error *err)
{
    (void)argument, (void)err;
    *state = NULL;
    return 0;
}

static int ask_told(void *state, const struct proposal_request *r, struct proposal_answer *out,
                    struct error *err)
{
    (void)state;
    uint32_t last = 0;
    while (answers[last])
        last++;
    asked++;
    if (r->number == interrupt_at)
        interrupted = true;
    snprintf(saw, sizeof saw, "base %u, past %zu, %s", r->base, r->npast,
             r->broken ? r->messages : "no repair");
    if (r->number > last)
        return 0;
    const char *answer = answers[r->number - 1];
    if (strcmp(answer, "FAILS") == 0)
        return error_set(err, ERROR_TARGET, EIO, NULL, "told", "it failed");
    out->kind = strncmp(answer, "--- ", 4) == 0 ? PROPOSAL_DIFF : PROPOSAL_FILE;
    out->text = xstrdup(answer);
    out->n = strlen(answer);
    return 0;
}

static void close_told(void *state)
{
    (void)state;
}

static const struct proposer_ops told = {
    .name = "told", .summary = "", .open = open_told, .ask = ask_told, .close = close_told};

static bool is_wanted(void *ctx)
{
    (void)ctx;
    return !interrupted;
}

/* --- runs --- */

static struct proposer tellers[1] = {{.ops = &told}};

static struct optimize_plan plan_of(void)
{
    return (struct optimize_plan){.source = source,
                                  .build = "cc",
                                  .harness = &harness,
                                  .harness_hash = 1,
                                  .folder = folder,
                                  .proposers = tellers,
                                  .nproposers = 1,
                                  .iterations = 100,
                                  .tries = 100,
                                  .for_s = 1e6,
                                  .each_s = 1,
                                  .answer_s = 1,
                                  .min_gain = 0.02,
                                  .confidence = 0.99,
                                  .allow = allow,
                                  .allow_words = "parse", /* its texts are no C */
                                  .hands = {.build = build, .judge = judge}};
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void run(const struct optimize_plan *plan, struct optimize_result *out)
{
    static const struct watch watch = {is_wanted, NULL};
    struct error err = ERROR_INIT;
    const struct watch *before = watch_set(&watch);
    const int rc = optimize_run(plan, out, &err);
    watch_set(before);
    if (rc != 0)
        fail_msg("%s: %s", err.what, err.why);
}

/* The i-th candidate's outcome is as said. */
static void outcomes_are(const struct optimize_log *l, const char *const *wanted)
{
    size_t i = 0;
    for (size_t k = 0; k < l->n; k++) {
        if (l->list[k].step != OPTIMIZE_CANDIDATE)
            continue;
        assert_non_null(wanted[i]);
        assert_int_equal(l->list[k].number, i + 1);
        if (strcmp(optimize_outcome_name(l->list[k].outcome), wanted[i]) != 0)
            fail_msg("candidate %zu: %s, not %s: %s", i + 1,
                     optimize_outcome_name(l->list[k].outcome), wanted[i], l->list[k].evidence);
        i++;
    }
    assert_null(wanted[i]);
}

static int begin(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/rooftop-test-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(source, sizeof source, "%s/f.c", dir);
    snprintf(folder, sizeof folder, "%s/run", dir);
    put(source, "time 100\n");
    builds_differ = never_confirmed = interrupted = false;
    judge_says = NULL;
    interrupt_at = asked = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    copy_remove(dir);
    return 0;
}

/* --- tests --- */

static const char *const mixed[] = {"time 120\n",
                                    "time 90\n",
                                    "BROKEN\n",
                                    "BROKEN still\n",
                                    "time 88.5\n",
                                    "FAILS",
                                    "time 90\n",
                                    "nonsense\n",
                                    "--- a/f.c\n+++ b/f.c\n@@ -1 +1 @@\n-time 90\n+time 50\n",
                                    "--- a/f.c\n+++ b/f.c\n@@ -1 +1 @@\n-time 90\n+time 40\n",
                                    NULL};
static const char *const mixed_outcomes[] = {
    "slower",      "faster",  "does not build", "does not build", "equivalent", "no answer",
    "seen before", "refused", "faster",         "no answer",      NULL};

static void only_what_is_faster_is_kept(void **state)
{
    (void)state;
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    answers = mixed;
    run(&plan, &r);
    outcomes_are(&r.log, mixed_outcomes);
    assert_int_equal(r.end, OPTIMIZE_END_POOL);
    assert_int_equal(r.winner, 9);
    assert_true(fabs(r.factor - 2) < 1e-9);
    assert_string_equal(r.text, "time 50\n");
    assert_string_equal(r.original, "time 100\n");
    assert_string_equal(saw, "base 9, past 11, no repair");
    const struct optimize_record *last = &r.log.list[r.log.n - 1];
    assert_int_equal(last->step, OPTIMIZE_CONFIRMATION);
    assert_int_equal(last->number, 9);
    optimize_free(&r);
    char *text = NULL;
    size_t n = 0;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read(&text, &n, source, &err), 0);
    assert_string_equal(text, "time 100\n"); /* nobody changed it */
    free(text);
}

/* The third broken answer is not repaired any more: its successor is another question. */
static void what_does_not_build_is_repaired_twice(void **state)
{
    (void)state;
    static const char *const broken[] = {"BROKEN 1", "BROKEN 2", "BROKEN 3", NULL};
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    plan.iterations = 3;
    answers = broken;
    run(&plan, &r);
    assert_string_equal(saw, "base 0, past 3, what the compiler says");
    optimize_free(&r);
    copy_remove(folder);
    plan.iterations = 4;
    run(&plan, &r);
    assert_string_equal(saw, "base 0, past 4, no repair");
    assert_int_equal(r.end, OPTIMIZE_END_POOL);
    optimize_free(&r);
}

static void it_ends_for_one_reason(void **state)
{
    (void)state;
    static const char *const slow[] = {"time 101", "time 102", "time 103", "time 104", NULL};
    const struct {
        uint32_t iterations, tries;
        double for_s;
        const char *judge_says;
        bool differ;
        uint32_t interrupt_at;
        enum optimize_end end;
    } cases[] = {
        {100, 100, 1e6, NULL, false, 0, OPTIMIZE_END_POOL},
        {2, 100, 1e6, NULL, false, 0, OPTIMIZE_END_ITERATIONS},
        {100, 2, 1e6, NULL, false, 0, OPTIMIZE_END_TRIES},
        {100, 100, 0, NULL, false, 0, OPTIMIZE_END_TIME},
        {100, 100, 1e6, "blind", false, 0, OPTIMIZE_END_BLIND},
        {100, 100, 1e6, "same-bits", false, 0, OPTIMIZE_END_UNSTABLE},
        {100, 100, 1e6, NULL, true, 0, OPTIMIZE_END_UNSTABLE},
        {100, 100, 1e6, NULL, false, 2, OPTIMIZE_END_INTERRUPTED},
    };
    answers = slow;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct optimize_result r;
        struct optimize_plan plan = plan_of();
        plan.iterations = cases[i].iterations;
        plan.tries = cases[i].tries;
        plan.for_s = cases[i].for_s;
        judge_says = cases[i].judge_says;
        builds_differ = cases[i].differ;
        interrupt_at = cases[i].interrupt_at;
        run(&plan, &r);
        interrupted = false;
        if (r.end != cases[i].end)
            fail_msg("case %zu: %s, not %s", i, optimize_end_name(r.end),
                     optimize_end_name(cases[i].end));
        assert_int_equal(r.winner, 0);
        optimize_free(&r);
        copy_remove(folder);
    }
}

/* What is only faster when it is built the first time is none; nor is what was kept before it. */
static void the_winner_is_confirmed(void **state)
{
    (void)state;
    static const char *const good[] = {"time 80", "time 60", NULL};
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    answers = good;
    never_confirmed = true;
    run(&plan, &r);
    assert_int_equal(r.winner, 0);
    assert_null(r.text);
    assert_int_equal(r.log.n, 1 + 2 + 2);
    assert_int_equal(r.log.list[3].number, 2);
    assert_int_equal(r.log.list[4].number, 1);
    optimize_free(&r);
}

/* Cuts the log of a whole run, and goes on: the same candidates, the same winner. */
static void goes_on_from(const char *log, size_t n)
{
    struct optimize_result r;
    struct optimize_log read;
    struct optimize_plan plan = plan_of();
    struct error err = ERROR_INIT;
    char path[128];
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(log, 1, n, f);
    fclose(f);
    plan.resume = true;
    run(&plan, &r);
    outcomes_are(&r.log, mixed_outcomes);
    assert_int_equal(r.winner, 9);
    optimize_free(&r);
    if (optimize_log_read(&read, path, &err) != 0)
        fail_msg("cut at %zu: %s: %s", n, err.what, err.why);
    outcomes_are(&read, mixed_outcomes);
    assert_int_equal(read.partial, 0);
    assert_int_equal(read.end, OPTIMIZE_END_POOL);
    assert_int_equal(read.winner, 9);
    optimize_log_free(&read);
}

static void a_run_goes_on_from_any_cut(void **state)
{
    (void)state;
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    struct error err = ERROR_INIT;
    char path[128], *log = NULL;
    size_t n = 0;
    answers = mixed;
    run(&plan, &r);
    optimize_free(&r);
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    assert_int_equal(text_file_read(&log, &n, path, &err), 0);
    for (size_t at = 0; at < n;) {
        const size_t line = strcspn(log + at, "\n") + 1;
        goes_on_from(log, at);
        goes_on_from(log, at + 1);
        goes_on_from(log, at + line / 2);
        goes_on_from(log, at + line - 1);
        at += line;
    }
    goes_on_from(log, n);
    free(log);
}

static void write_over(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
}

/* Every cut is read; what is whole before it is there. */
static void any_cut_of_a_log_is_read(void **state)
{
    (void)state;
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    struct error err = ERROR_INIT;
    struct optimize_log l;
    char path[128], *log = NULL;
    size_t n = 0;
    answers = mixed;
    run(&plan, &r);
    optimize_free(&r);
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    assert_int_equal(text_file_read(&log, &n, path, &err), 0);
    for (size_t cut = 0; cut <= n; cut++) {
        assert_int_equal(optimize_log_parse(&l, log, cut, "log", &err), 0);
        assert_int_equal(l.whole + l.partial, cut);
        assert_true(l.partial == 0 || log[cut - 1] != '\n');
        optimize_log_free(&l);
    }
    char *second = strchr(log, '\n') + 1, *third = strchr(second, '\n') + 1;
    write_over(third, "{\"schema\":5,"); /* an error that says which line it is in */
    assert_int_not_equal(optimize_log_parse(&l, log, n, "log", &err), 0);
    assert_string_equal(err.what, "log, line 3");
    optimize_log_free(&l);
    write_over(second, "{}\n");
    assert_int_not_equal(optimize_log_parse(&l, log, n, "log", &err), 0);
    assert_string_equal(err.what, "log, line 2");
    assert_non_null(strstr(err.why, "no line of a log"));
    optimize_log_free(&l);
    log[5] = '!';
    assert_int_not_equal(optimize_log_parse(&l, log, n, "log", &err), 0);
    assert_string_equal(err.what, "log, line 1");
    optimize_log_free(&l);
    free(log);
}

static void it_does_not_go_on_with_another(void **state)
{
    (void)state;
    static const char *const good[] = {"time 80", NULL};
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    struct error err = ERROR_INIT;
    char path[128];
    answers = good;
    run(&plan, &r);
    optimize_free(&r);
    assert_int_equal(optimize_run(&plan, &r, &err), -EEXIST); /* it is not overwritten */
    optimize_free(&r);
    plan.resume = true;
    plan.min_gain = 0.05;
    assert_int_equal(optimize_run(&plan, &r, &err), -EINVAL);
    assert_non_null(strstr(err.why, "--min-gain"));
    optimize_free(&r);
    plan.min_gain = 0.02;
    snprintf(path, sizeof path, "%s/0001/f.c", folder);
    put(path, "time 1");
    assert_int_equal(optimize_run(&plan, &r, &err), -EINVAL);
    assert_non_null(strstr(err.why, "candidate 1"));
    optimize_free(&r);
    put(source, "time 99\n");
    assert_int_equal(optimize_run(&plan, &r, &err), -EINVAL);
    assert_non_null(strstr(err.why, "source has changed"));
    optimize_free(&r);
}

static void it_is_applied_only_to_what_was_read(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    char backup[OPTIMIZE_PATH], link[128], *text = NULL;
    struct stat st;
    size_t n = 0;
    assert_int_equal(chmod(source, 0640), 0);
    assert_int_equal(optimize_apply(source, "time 99\n", 8, "new\n", 4, backup, &err), -EBUSY);
    assert_int_equal(text_file_read(&text, &n, source, &err), 0);
    assert_string_equal(text, "time 100\n");
    free(text);
    snprintf(link, sizeof link, "%s/link.c", dir);
    assert_int_equal(symlink("f.c", link), 0);
    err = (struct error)ERROR_INIT;
    assert_int_equal(optimize_apply(link, "time 100\n", 9, "new\n", 4, backup, &err), 0);
    assert_int_equal(text_file_read(&text, &n, backup, &err), 0);
    assert_string_equal(text, "time 100\n");
    free(text);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(source, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(optimize_apply(source, "new\n", 4, "newer\n", 6, backup, &err), 0);
    assert_non_null(strstr(backup, "f.c.orig.1"));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(only_what_is_faster_is_kept),    CASE(what_does_not_build_is_repaired_twice),
        CASE(it_ends_for_one_reason),         CASE(the_winner_is_confirmed),
        CASE(a_run_goes_on_from_any_cut),     CASE(any_cut_of_a_log_is_read),
        CASE(it_does_not_go_on_with_another), CASE(it_is_applied_only_to_what_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
