/* Runs of commands: gathered from samples, written to documents, and compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_gather.h"
#include "engine/value/document.h"
#include "export/live/export_json.h"
#include "export/live/run_json.h"
#include "support/normal.h"
#include "support/test.h"

static uint64_t seed;

static struct snapshot *sample(uint64_t t_ms, uint64_t before_ms)
{
    struct host *h = host_new();
    h->ncpus = 4;
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    s->time_ns = t_ms * 1000000u;
    s->interval_s = (double)(t_ms - before_ms) / 1e3;
    s->target = "./a.out";
    s->target_kind = TARGET_COMMAND;
    s->total.busy = value_ok(50, UNIT_PERCENT);
    s->command.pid = 4711;
    s->command.running = true;
    return s;
}

static void count(struct snapshot *s, const char *set, const char *name, double n)
{
    struct counter *c = snapshot_add_counter(s);
    c->set = set;
    c->name = name;
    c->delta = s->interval_s > 0 ? value_ok(n, UNIT_COUNT) : value_pending(UNIT_COUNT);
    c->rate = s->interval_s > 0 ? value_ok(n / s->interval_s, UNIT_COUNT_PER_S)
                                : value_pending(UNIT_COUNT_PER_S);
}

static void end(struct snapshot *s, double elapsed, double user)
{
    s->command.running = false;
    s->command.elapsed_s = elapsed;
    s->command.usage = (struct command_usage){.known = true,
                                              .user_s = user,
                                              .system_s = 0.25,
                                              .max_rss = 50 << 20,
                                              .max_rss_before = 2 << 20,
                                              .forced = 7};
}

/* Three samples: totals add up, and samples after the end do not belong to the command. */
static void gather(struct run *out, bool several)
{
    struct run_gather *g = run_gather_new(false, NULL);
    uint64_t at[] = {0, 1000, 3000, 4000};
    for (int i = 0; i < 4; i++) {
        if (i == 1 && !several)
            continue;
        struct snapshot *s = sample(at[i], i == 0 ? 0 : i == 2 && !several ? 0 : at[i - 1]);
        count(s, "core", "instructions", i == 1 ? 1e9 : i == 2 && several ? 5e9 : 6e9);
        count(s, "core", "cycles", i == 1 ? 4e9 : i == 2 && several ? 2e9 : 6e9);
        count(s, "software", "page-faults", 9);
        if (i >= 2)
            end(s, 3, 2);
        run_gather_add(g, s);
        assert_int_equal(run_gather_over(g), i >= 2);
        snapshot_unref(s);
    }
    *out = (struct run){.n = 0};
    run_gather_end(g, out);
}

static double value_of(const struct run *r, const char *id)
{
    const struct run_number *x = run_find(r, id);
    if (!x)
        fail_msg("no %s", id);
    return x ? x->within.mean : NAN;
}

TEST(totals_are_those_of_the_run)
{
    for (int several = 0; several < 2; several++) {
        struct run r;
        gather(&r, several);
        assert_true(r.exact);
        assert_true(value_of(&r, "elapsed") == 3);
        assert_true(value_of(&r, "cpu") == 2.25);
        assert_true(value_of(&r, "rss") == 50 << 20);
        assert_true(value_of(&r, "preemptions") == 7);
        assert_true(value_of(&r, "c:core/instructions") == 6e9);
        assert_null(run_find(&r, "c:software/page-faults")); /* resource usage already has it */
        assert_true(fabs(r.others - (0.5 * 4 * 3 - 2.25) / 12) < 1e-9);
        run_free(&r);
    }
}

/* What timeout and a shell say of a program that was ended counts as its end by them. */
TEST(an_end_from_outside_is_told_by_the_status)
{
    static const struct {
        int wait_status;
        bool stopped;
    } rows[] = {{0, false},        {1 << 8, false},   {3 << 8, false},   {125 << 8, false},
                {127 << 8, false}, {128 << 8, false}, {124 << 8, true},  {137 << 8, true},
                {143 << 8, true},  {130 << 8, true},  {255 << 8, false}, {9, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_gather *g = run_gather_new(false, NULL);
        struct run r = {.n = 0};
        struct snapshot *s = sample(1000, 0);
        end(s, 1, 0.5);
        s->command.wait_status = rows[i].wait_status;
        run_gather_add(g, s);
        snapshot_unref(s);
        run_gather_end(g, &r);
        if (r.stopped != rows[i].stopped)
            fail_msg("status %#x: stopped %d", (unsigned)rows[i].wait_status, r.stopped);
        run_free(&r);
    }
}

TEST(our_own_memory_is_not_the_commands)
{
    struct run_gather *g = run_gather_new(false, NULL);
    struct run r = {.n = 0};
    struct snapshot *s = sample(1000, 0);
    end(s, 1, 1);
    s->command.usage.max_rss = s->command.usage.max_rss_before;
    run_gather_add(g, s);
    snapshot_unref(s);
    run_gather_end(g, &r);
    assert_null(run_find(&r, "rss"));
    assert_non_null(run_find(&r, "rss-at-most"));
    run_free(&r);
}

/* --- documents --- */

static void write_file(const char *path, const char *text);

/* Members have no order: jq -S puts "schema" last. */
TEST(a_document_is_recognised_by_its_schema_wherever_it_stands)
{
    char path[] = "/tmp/rooftop-run-XXXXXX", text[20000] = "{\"runs\":[],\"a\":\"";
    const size_t n = strlen(text);
    close(mkstemp(path));
    memset(text + n, 'x', 10000);
    strcpy(text + n + 10000, "\",\"schema\":\"" EXPORT_JSON_SCHEMA "\"}");
    write_file(path, text);
    assert_true(run_json_recognise(path));
    write_file(path, "{\"runs\":[\"" EXPORT_JSON_SCHEMA "\"],\"schema\":\"other\"}");
    assert_false(run_json_recognise(path));
    unlink(path);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

TEST(a_document_gives_the_run_back)
{
    char path[] = "/tmp/rooftop-run-XXXXXX";
    struct error err = ERROR_INIT;
    struct runs back = {.n = 0};
    struct run r;
    close(mkstemp(path));
    gather(&r, true);
    struct run_number *x = run_add(&r, RUN_BRICK, "b:gemm \"1\"", "gemm \"1\"", UNIT_SECONDS, 0.5);
    x->within.n = 12;
    x->within.sd = 0.25;
    x->within.effective = 6;
    x->total = 6;
    cJSON *doc = cJSON_CreateObject(), *list;
    cJSON_AddStringToObject(doc, "schema", EXPORT_JSON_SCHEMA);
    list = cJSON_AddArrayToObject(doc, "runs");
    cJSON_AddItemToArray(list, run_json(&r));
    cJSON_AddItemToArray(list, run_json(&r));
    char *text = json_document(doc, true);
    write_file(path, text);
    assert_true(run_json_recognise(path));
    assert_int_equal(run_json_read(&back, path, &err), 0);
    assert_int_equal(back.n, 2);
    assert_int_equal(back.list[1].n, r.n);
    assert_string_equal(back.list[1].command, "./a.out");
    for (size_t i = 0; i < r.n; i++) {
        const struct run_number *a = &r.numbers[i], *b = &back.list[1].numbers[i];
        assert_string_equal(a->id, b->id);
        assert_string_equal(a->label, b->label);
        assert_int_equal(a->group, b->group);
        assert_int_equal(a->unit, b->unit);
        assert_true(a->within.mean == b->within.mean && a->within.n == b->within.n);
        assert_true(a->within.sd == b->within.sd && a->within.effective == b->within.effective);
        assert_true(isnan(a->total) ? isnan(b->total) : a->total == b->total);
    }
    cJSON_free(text);
    cJSON_Delete(doc);
    runs_free(&back);
    run_free(&r);
    unlink(path);
}

TEST(damage_is_told)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{\"schema\":\"rooftop.snapshot/1\",\"runs\":[{\"numbers\":", "damaged"},
        {"{\"schema\":\"rooftop.snapshot/1\"}", "no run"},
        {"{\"schema\":\"rooftop.snapshot/1\",\"runs\":[3,\"x\",null]}", "no run"},
        {"{\"schema\":\"rooftop.snapshot/1\",\"runs\":{}}\n{\"schema\":\"rooftop.snapshot/1\"}",
         "no run"},
        {"{\"schema\":\"rooftop.snapshot/1\"} x", "damaged"},
    };
    char path[] = "/tmp/rooftop-run-XXXXXX", text[512];
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        struct runs back = {.n = 0};
        write_file(path, cases[i].text);
        assert_true(run_json_read(&back, path, &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (!strstr(error_format(&err, text, sizeof text), cases[i].words))
            fail_msg("%s: %s", cases[i].text, text);
        runs_free(&back);
    }
    struct runs back = {.n = 0};
    struct error err = ERROR_INIT;
    write_file(path, "{\"schema\":\"rooftop.snapshot/1\",\"runs\":[{\"numbers\":[{\"id\":\"cpu\","
                     "\"group\":\"time\",\"unit\":\"s\",\"value\":1e999,\"of\":-4},{\"id\":\"cpu\","
                     "\"group\":\"odd\",\"unit\":\"s\",\"value\":1},{\"id\":\"user\",\"group\":"
                     "\"used\",\"unit\":\"s\",\"value\":2}]}]}");
    assert_int_equal(run_json_read(&back, path, &err), 0);
    assert_int_equal(back.list[0].n, 1); /* a value that makes no sense is replaced */
    runs_free(&back);
    unlink(path);
}

/* --- judging --- */

/* Runs with CPU time 1 s times `work`, with a spread of sd; elapsed time has ten times the
 * spread. */
static void side(struct runs *out, size_t n, double work, double sd)
{
    *out = (struct runs){.n = 0};
    for (size_t i = 0; i < n; i++) {
        struct run *r = runs_add(out);
        r->exact = true;
        r->others = 0;
        run_add(r, RUN_TIME, "elapsed", "elapsed", UNIT_SECONDS,
                2 * (1 + 10 * sd * normal_next(&seed)));
        run_add(r, RUN_TIME, "cpu", "CPU time", UNIT_SECONDS, work * (1 + sd * normal_next(&seed)));
    }
}

/* In how many of 200 comparisons CPU time is said to differ. */
static int found(size_t na, size_t nb, double work, double sd)
{
    int n = 0;
    for (int i = 0; i < 200; i++) {
        struct runs a, b;
        side(&a, na, 1, sd);
        side(&b, nb, work, sd);
        struct comparison *k = compare_runs(&a, &b);
        n += compare_find(k, "cpu")->verdict == COMPARE_MORE;
        n += compare_find(k, "cpu")->verdict == COMPARE_LESS;
        comparison_free(k);
        runs_free(&a);
        runs_free(&b);
    }
    return n;
}

TEST(more_work_is_found_and_the_same_is_not)
{
    seed = 1;
    /* one run on each side: the assumed spread covers one of 1.5 % */
    assert_true(found(1, 1, 1, 0.01) <= 10);
    assert_true(found(1, 1, 1.1, 0.01) >= 190);
    /* several runs: at most 5 % are wrong, and a tenth more work is found if the spread allows
     * it */
    assert_true(found(5, 5, 1, 0.03) <= 16);
    assert_true(found(5, 5, 1.1, 0.02) >= 190);
    assert_true(found(5, 5, 1.03, 0.005) >= 190);
    assert_true(found(10, 10, 1.01, 0.003) >= 190);
    /* one against several */
    assert_true(found(1, 6, 1, 0.02) <= 16);
    assert_true(found(6, 1, 1.1, 0.01) >= 180);
    /* spreads that differ */
    assert_true(found(3, 3, 1, 0.0) == 0);
}

TEST(the_answer_is_of_the_whole_run)
{
    static const struct {
        double elapsed, cpu;
        enum compare_answer is;
        const char *by;
    } cases[] = {
        {1, 1, ANSWER_SAME, NULL},
        {1.5, 1, ANSWER_SLOWER, "elapsed"},
        {0.5, 1.5, ANSWER_FASTER, "elapsed"},
        {1, 1.1, ANSWER_SLOWER, "cpu"},
        {1, 0.8, ANSWER_FASTER, "cpu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct runs s[2] = {{.n = 0}, {.n = 0}};
        for (int k = 0; k < 2; k++) {
            struct run *r = runs_add(&s[k]);
            r->others = 0;
            run_add(r, RUN_TIME, "cpu", "CPU time", UNIT_SECONDS, k ? cases[i].cpu : 1);
            run_add(r, RUN_TIME, "elapsed", "elapsed", UNIT_SECONDS, k ? cases[i].elapsed : 1);
        }
        struct comparison *k = compare_runs(&s[0], &s[1]);
        assert_int_equal(k->answer, cases[i].is);
        if (cases[i].by)
            assert_string_equal(k->by->id, cases[i].by);
        assert_string_equal(k->rows[0].id, "elapsed");
        bool slower = cases[i].is == ANSWER_SLOWER;
        assert_int_equal(compare_slower(k, 0), slower);
        assert_int_equal(compare_slower(k, 5), slower);
        assert_int_equal(compare_slower(k, 20), slower && cases[i].elapsed > 1.2);
        comparison_free(k);
        runs_free(&s[0]);
        runs_free(&s[1]);
    }
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
