/*
 * The loop, with a judge that goes by a number in the text and a build that copies: what is kept,
 * why it ends, what is in the log, and that a run goes on from any cut of its log. (The guards of
 * sources fork: not for TSan.)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/temporary.h"
#include "base/watch.h"
#include "engine/optimize/optimize.h"
#include "engine/value/text_file.h"
#include "support/test.h"

static char dir[64], source[96], folder[96];
static const struct harness harness = {.function = "f"};

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
    snprintf(out->messages, sizeof out->messages, "%s:1: what the compiler says\n1 | elsewhere\n",
             from);
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

static int judge(void *state, const struct target_trial *plan, struct target_judgement *out,
                 struct error *err)
{
    (void)state, (void)err;
    for (int i = 0; plan->on_progress && i < 2; i++) {
        const struct judge_progress p = {.factor = {.5, .25, 1}, .pairs = 9, .confirms = i == 1};
        plan->on_progress(plan->progress_ctx, &p);
    }
    const double a = time_of(plan->baseline), b = time_of(plan->candidate), x = b / a;
    *out = (struct target_judgement){.warm = {x, x, x}, .cold = {x, x, x}, .confirmed = {x, x, x}};
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
static char saw[256], bases[64]; /* the last question; the base of each, a digit */

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
    assert_true(r->base < 10 && asked < sizeof bases);
    bases[asked - 1] = (char)('0' + r->base);
    bases[asked] = '\0';
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

static const struct proposer_ops on_progress = {
    .name = "told", .summary = "", .open = open_told, .ask = ask_told, .close = close_told};

static bool is_wanted(void *ctx)
{
    (void)ctx;
    return !interrupted;
}

/* --- runs --- */

static struct optimize_target target = {.name = "told",
                                        .function = "f",
                                        .object = ".so",
                                        .hash = 1,
                                        .harness = &harness,
                                        .judge = judge};

static struct proposer tellers[1] = {{.ops = &on_progress}};

static struct optimize_plan plan_of(void)
{
    return (struct optimize_plan){.source = source,
                                  .build = "cc",
                                  .target = &target,
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
                                  .allow_words = "parse", /* its texts are no C */
                                  .hands = {.build = build}};
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
    asked = 0;
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

FIXTURE_STATUS(begin)
{
    snprintf(dir, sizeof dir, "/tmp/rooftop-test-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(source, sizeof source, "%s/f.c", dir);
    snprintf(folder, sizeof folder, "%s/run", dir);
    put(source, "time 100\n");
    builds_differ = never_confirmed = interrupted = false;
    judge_says = NULL;
    interrupt_at = asked = 0;
    bases[0] = '\0';
    return 0;
}

FIXTURE(end)
{
    temporary_remove_folder(dir);
}

/* --- what is told while it goes on --- */

static char doings[1024];
static const char *const stage_names[] = {
#define STAGE(id, name, text) name,
#include "engine/optimize/optimize_stages.def"
#undef STAGE
};
static enum optimize_stage stage;

/* Whenever something is told, the file says the same, whole. */
static void told_now(void *ctx, const struct optimize_progress *p)
{
    (void)ctx;
    struct optimize_progress got;
    struct error err = ERROR_INIT;
    char path[128], *text = NULL;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/progress.json", folder);
    assert_int_equal(text_file_read(&text, &n, path, &err), 0);
    assert_int_equal(optimize_progress_parse(&got, text, n, path, &err), 0);
    free(text);
    assert_int_equal(got.stage, p->stage);
    assert_int_equal(got.number, p->number);
    assert_int_equal(got.pairs, p->pairs);
    assert_int_equal(got.pairs, p->stage >= OPTIMIZE_PAIRS ? 9 : 0);
    assert_true(got.left_s > 0 && got.left_s <= 1e6);
    stage = p->stage;
    n = strlen(doings);
    snprintf(doings + n, sizeof doings - n, "%u %s\n", p->number, stage_names[p->stage]);
}

static void builds_now(void *ctx, const char *from, const char *to, struct optimize_build *out)
{
    assert_true(stage == OPTIMIZE_BUILDS || stage == OPTIMIZE_BUILDS_SOURCE);
    build(ctx, from, to, out);
}

/* --- tests --- */

TEST_WITH(what_is_done_now_is_told, begin, end)
{
    static const char *const gain[] = {"BROKEN\n", "time 80\n", NULL};
    char path[128], *text = NULL;
    size_t n = 0;
    struct error err = ERROR_INIT;
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    plan.hands.now = told_now;
    plan.hands.build = builds_now;
    answers = gain;
    doings[0] = '\0';
    run(&plan, &r);
    assert_string_equal(doings, "0 source\n0 checks\n0 pairs\n0 confirms\n1 asks\n1 builds\n"
                                "2 asks\n2 builds\n2 checks\n2 pairs\n2 confirms\n3 asks\n"
                                "2 builds\n2 checks\n2 pairs\n2 confirms\n");
    optimize_free(&r);
    snprintf(path, sizeof path, "%s/progress.json", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/0001/build.txt", folder);
    assert_int_equal(text_file_read(&text, &n, path, &err), 0);
    assert_non_null(strstr(text, "what the compiler says\n1 | elsewhere\n"));
    free(text);
}

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

TEST_WITH(only_what_is_faster_is_kept, begin, end)
{
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    answers = mixed;
    run(&plan, &r);
    outcomes_are(&r.log, mixed_outcomes);
    assert_int_equal(r.stop, OPTIMIZE_STOP_POOL);
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
TEST_WITH(what_does_not_build_is_repaired_twice, begin, end)
{
    static const char *const broken[] = {"BROKEN 1", "BROKEN 2", "BROKEN 3", NULL};
    char on_progress[128];
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    plan.iterations = 3;
    answers = broken;
    run(&plan, &r);
    snprintf(on_progress, sizeof on_progress, "base 0, past 3, %s:1: what the compiler says\n",
             strrchr(source, '/') + 1);
    assert_string_equal(saw, on_progress);
    optimize_free(&r);
    temporary_remove_folder(folder);
    plan.iterations = 4;
    run(&plan, &r);
    assert_string_equal(saw, "base 0, past 4, no repair");
    assert_int_equal(r.stop, OPTIMIZE_STOP_POOL);
    optimize_free(&r);
}

TEST_WITH(it_ends_for_one_reason, begin, end)
{
    static const char *const slow[] = {"time 101", "time 102", "time 103", "time 104", NULL};
    const struct {
        uint32_t iterations, tries;
        double for_s;
        const char *judge_says;
        bool differ;
        uint32_t interrupt_at;
        enum optimize_stop stop;
    } cases[] = {
        {100, 100, 1e6, NULL, false, 0, OPTIMIZE_STOP_POOL},
        {2, 100, 1e6, NULL, false, 0, OPTIMIZE_STOP_ITERATIONS},
        {100, 2, 1e6, NULL, false, 0, OPTIMIZE_STOP_TRIES},
        {100, 100, 0, NULL, false, 0, OPTIMIZE_STOP_TIME},
        {100, 100, 1e6, "blind", false, 0, OPTIMIZE_STOP_BLIND},
        {100, 100, 1e6, "same-bits", false, 0, OPTIMIZE_STOP_UNSTABLE},
        {100, 100, 1e6, NULL, true, 0, OPTIMIZE_STOP_UNSTABLE},
        {100, 100, 1e6, NULL, false, 2, OPTIMIZE_STOP_INTERRUPTED},
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
        if (r.stop != cases[i].stop)
            fail_msg("case %zu: %s, not %s", i, optimize_stop_name(r.stop),
                     optimize_stop_name(cases[i].stop));
        assert_int_equal(r.winner, 0);
        optimize_free(&r);
        temporary_remove_folder(folder);
    }
}

#define STEP(from, to) "--- a/f.c\n+++ b/f.c\n@@ -1 +1 @@\n-time " from "\n+time " to "\n"

/* Every other question is about the best, those in between about the others in turn; the slowest
 * makes room, and what was the best is one of the others. */
TEST_WITH(bases_are_asked_in_turn, begin, end)
{
    static const char *const many[] = {
        "time 99.5\n",  /* 1: a base */
        "time 101\n",   /* 2: a base, behind the first */
        "time 99\n",    /* 3: a base, before the first; the second makes room */
        "time 150\n",   /* 4: slower, none */
        "time 100.5\n", /* 5: as good, but others are faster */
        "time 50\n",    /* 6: the best; the source makes room, as 3 and 1 are faster than it was */
        "time 51.5\n",  /* 7: slower */
        "time 50.5\n",  /* 8: a base, before 3; the first makes room */
        "time 52\n",    "time 53\n", NULL};
    const struct {
        uint32_t population;
        const char *bases;
    } cases[] = {{0, "00000066666"}, {1, "00000066666"}, {3, "0101036168638"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct optimize_result r;
        struct optimize_plan plan = plan_of();
        plan.population = cases[i].population;
        answers = many;
        run(&plan, &r);
        assert_int_equal(r.winner, 6);
        assert_int_equal(r.stop, OPTIMIZE_STOP_POOL);
        if (strcmp(bases, cases[i].bases) != 0)
            fail_msg("population %u: %s", cases[i].population, bases);
        optimize_free(&r);
        temporary_remove_folder(folder);
    }
}

/* What is only faster when it is built the first time is none; nor is what was kept before it. */
TEST_WITH(the_winner_is_confirmed, begin, end)
{
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

/* Two bases; each diff fits only on the text of the base whose turn it is. */
static const char *const steps_of_two[] = {
    "time 99.5\n",          /* the source, and 1 */
    STEP("99.5", "99"),     /* of 1; takes its place */
    STEP("time 100", "97"), /* fits nowhere */
    STEP("99", "90"),       /* of 2: the best; the source makes room */
    STEP("90", "70"),       /* of 4, which stays as the other, before 2 */
    STEP("90", "69.5"),     /* of 4: equivalent to the best, and takes its base's place */
    STEP("70", "71"),       /* of 5: equivalent, but 6 is faster */
    STEP("69.5", "35"),     /* of 6 */
    NULL};
static const char *const two_outcomes[] = {"equivalent", "equivalent", "no answer",
                                           "faster",     "faster",     "equivalent",
                                           "equivalent", "faster",     NULL};

/* A whole run, and what it comes to. */
static const struct course {
    uint32_t population;
    const char *const *answers, *const *outcomes;
    uint32_t winner;
    const char *bases; /* of the candidates */
    bool each_cut;     /* also cuts within lines */
} courses[] = {{1, mixed, mixed_outcomes, 9, "0022222229", true},
               {2, steps_of_two, two_outcomes, 8, "01024456", false}};

static void candidates_are_of(const struct optimize_log *l, const char *wanted)
{
    char was[64] = "";
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].step == OPTIMIZE_CANDIDATE) {
            was[n++] = (char)('0' + l->list[i].base);
            was[n] = '\0';
        }
    assert_string_equal(was, wanted);
}

/* Cuts the log of a whole run, and goes on: the same candidates, the same winner. */
static void goes_on_from(const struct course *c, const char *log, size_t n)
{
    struct optimize_result r;
    struct optimize_log read;
    struct optimize_plan plan = plan_of();
    plan.population = c->population;
    struct error err = ERROR_INIT;
    char path[128];
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(log, 1, n, f);
    fclose(f);
    plan.resume = true;
    run(&plan, &r);
    outcomes_are(&r.log, c->outcomes);
    candidates_are_of(&r.log, c->bases);
    assert_int_equal(r.winner, c->winner);
    optimize_free(&r);
    if (optimize_log_read(&read, path, &err) != 0)
        fail_msg("cut at %zu: %s: %s", n, err.what, err.why);
    outcomes_are(&read, c->outcomes);
    candidates_are_of(&read, c->bases);
    assert_int_equal(read.partial, 0);
    assert_int_equal(read.stop, OPTIMIZE_STOP_POOL);
    assert_int_equal(read.winner, c->winner);
    optimize_log_free(&read);
}

static void course_goes_on(const struct course *c)
{
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    struct error err = ERROR_INIT;
    char path[128], *log = NULL;
    size_t n = 0;
    plan.population = c->population;
    answers = c->answers;
    run(&plan, &r);
    optimize_free(&r);
    snprintf(path, sizeof path, "%s/log.jsonl", folder);
    assert_int_equal(text_file_read(&log, &n, path, &err), 0);
    for (size_t at = 0; at < n;) {
        const size_t line = strcspn(log + at, "\n") + 1;
        goes_on_from(c, log, at);
        if (!c->each_cut) {
            at += line;
            continue;
        }
        goes_on_from(c, log, at + 1);
        goes_on_from(c, log, at + line / 2);
        goes_on_from(c, log, at + line - 1);
        at += line;
    }
    goes_on_from(c, log, n);
    free(log);
    temporary_remove_folder(folder);
}

TEST_WITH(a_run_goes_on_from_any_cut, begin, end)
{
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++)
        course_goes_on(&courses[i]);
}

/* Builds differ in bytes that the target's hash of the code leaves out: so it is said. */
static uint64_t first_line(void *state, const char *path, struct error *err)
{
    (void)state;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(text_file_read(&text, &n, path, err), 0);
    const uint64_t h = 1 + strcspn(text, "\n") + 1000 * (uint64_t)time_of(path);
    free(text);
    return h;
}

TEST_WITH(bytes_that_are_no_code_are_explained, begin, end)
{
    static const char *const good[] = {"time 100\n# other text\n", "time 80\n", NULL};
    static const char said[] = "only in what nothing reads, as the mark of a module; the first "
                               "place is byte ";
    struct optimize_result r;
    struct optimize_plan plan = plan_of();
    answers = good;
    builds_differ = true;
    target.code = first_line;
    run(&plan, &r);
    target.code = NULL;
    assert_int_equal(r.winner, 2);
    assert_int_equal(r.log.n, 4);
    for (size_t i = 0; i < r.log.n; i++)
        if (i != 2 && !strstr(r.log.list[i].evidence, said))
            fail_msg("line %zu: %s", i, r.log.list[i].evidence);
    assert_string_equal(r.log.list[2].evidence, "");
    optimize_free(&r);
}

static void write_over(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
}

/* Every cut is read; what is whole before it is there. */
TEST_WITH(any_cut_of_a_log_is_read, begin, end)
{
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

TEST_WITH(it_does_not_go_on_with_another, begin, end)
{
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
