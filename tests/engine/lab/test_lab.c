/* The lab's report: lines of the child, the numbers made of them, the gates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lab/lab.h"
#include "support/test.h"

/* A compiled balanced run: 3000 ops; numbers as in enum lab_number. */
static struct lab_report report_of(const char *numbers)
{
    char line[512];
    struct lab_report r;
    lab_report_open(&r);
    snprintf(line, sizeof line, "run balanced compiled %s", numbers);
    assert_true(lab_report_line(&r, line));
    return r;
}

static enum lab_verdict verdict(const char *numbers, enum lab_gate gate)
{
    struct lab_report r = report_of(numbers);
    struct lab_gate_result gates[LAB_GATES];
    lab_gates(&r, gates);
    return gates[gate].verdict;
}

TEST(counted_numbers_stay_apart)
{
    /* time, median, clock, cycles, instructions, macro-ops, branches, mispredicts, L1 accesses, L1
     * misses, cost, low, high */
    struct lab_report r = report_of("1e-6 2e-6 3e9 1200 6000 6600 100 1 4000 40 0.01 0.005 0.02");
    const struct lab_row *row = lab_report_find(&r, "balanced", LAB_COMPILED);
    assert_false(row->calibrated);
    assert_true(row->fill.v == 3 && row->model.v == 3 && row->model.flags == VALUE_MODELLED);
    assert_true(row->ops_per_cycle.v == 2.5 && row->ipc.v == 5 && row->macro_ops.v == 5.5);
    assert_true(row->l1_hit.v == 99 && row->mispredict.v == 1 && row->cycles_per_word.v == 1.2);
    assert_true(row->deviation.v > 16.6 && row->deviation.v < 16.7);
    assert_true(row->cost.v == 1 && row->cost_low.v == 0.5 && row->cost_high.v == 2);
    assert_null(lab_report_find(&r, "balanced", LAB_INTERPRETER));
}

/* A view keeps the report when the child that measured it is freed. */
TEST(a_copy_says_why_by_its_own_texts)
{
    struct lab_report *r = calloc(1, sizeof *r), copy;
    assert_non_null(r);
    lab_report_open(r);
    assert_true(lab_report_line(r, "counters no PMU"));
    assert_true(lab_report_line(r, "run balanced compiled 5e-7 6e-7 2e9 - - - - - - - - - -"));
    lab_report_copy(&copy, r);
    memset(r, 'x', sizeof *r);
    free(r);
    assert_string_equal(lab_report_find(&copy, "balanced", LAB_COMPILED)->ipc.why, "no PMU");
}

TEST(without_a_pmu_cycles_are_calibrated_and_the_rest_has_its_reason)
{
    struct lab_report r;
    lab_report_open(&r);
    assert_true(lab_report_line(&r, "counters no PMU"));
    assert_true(lab_report_line(&r, "l1 not known"));
    assert_true(lab_report_line(&r, "run balanced compiled 5e-7 6e-7 2e9 - - - - - - - - - -"));
    const struct lab_row *row = lab_report_find(&r, "balanced", LAB_COMPILED);
    assert_true(row->calibrated && row->ops_per_cycle.v == 3);
    assert_int_equal(row->ipc.validity, VALUE_MISSING);
    assert_string_equal(row->ipc.why, "no PMU");
    assert_string_equal(row->l1_hit.why, "no PMU");
    assert_string_equal(row->cost.why, "no PMU");
    struct lab_gate_result gates[LAB_GATES];
    lab_gates(&r, gates);
    assert_int_equal(gates[LAB_GATE_OPS].verdict, LAB_PASS);
    assert_int_equal(gates[LAB_GATE_L1].verdict, LAB_NA);
    assert_string_equal(gates[LAB_GATE_MISPREDICT].value.why, "no PMU");
    assert_false(lab_fails(&r));
}

TEST(gates_stand_where_the_seed_put_them)
{
    assert_int_equal(verdict("1 1 1 1200 - - - - - - - - -", LAB_GATE_OPS), LAB_PASS); /* 2.5 */
    assert_int_equal(verdict("1 1 1 1201 - - - - - - - - -", LAB_GATE_OPS), LAB_FAIL);
    assert_int_equal(verdict("1 1 1 1100 - - - - - - - - -", LAB_GATE_DEVIATION),
                     LAB_PASS); /* 9.1 % */
    assert_int_equal(verdict("1 1 1 1120 - - - - - - - - -", LAB_GATE_DEVIATION), LAB_WARN);
    assert_int_equal(verdict("1 1 1 1340 - - - - - - - - -", LAB_GATE_DEVIATION), LAB_FAIL);
    assert_int_equal(verdict("1 1 1 1 1 1 100 1 100 9 - - -", LAB_GATE_L1), LAB_PASS);
    assert_int_equal(verdict("1 1 1 1 1 1 100 1 100 10 - - -", LAB_GATE_L1), LAB_FAIL);
    assert_int_equal(verdict("1 1 1 1 1 1 100 1 100 9 - - -", LAB_GATE_MISPREDICT), LAB_PASS);
    assert_int_equal(verdict("1 1 1 1 1 1 100 2 100 9 - - -", LAB_GATE_MISPREDICT), LAB_FAIL);
}

/* What others reached is in the gate and, with its date, in the document's table. */
TEST(the_gate_says_what_was_reached_and_the_document_where)
{
    struct lab_report r = report_of("1 1 1 1200 - - - - - - - - -");
    struct lab_gate_result gates[LAB_GATES];
    char text[1 << 16] = "", value[32];
    FILE *f = fopen("docs/VALIDATION.md", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    lab_gates(&r, gates);
    assert_string_equal(gates[LAB_GATE_L1].target, "over 90 %");
    assert_string_equal(gates[LAB_GATE_MISPREDICT].target, "under 2 %");
    assert_string_equal(gates[LAB_GATE_DEVIATION].target, "10 %, warns to 25 %");
    assert_int_equal(strncmp(gates[LAB_GATE_OPS].target, "at least 2.5 (reached: ", 23), 0);
    for (const struct lab_reached *m = lab_reached; m->machine; m++) {
        bool listed = false;
        snprintf(value, sizeof value, "%.2f", m->ops_per_cycle);
        assert_non_null(strstr(gates[LAB_GATE_OPS].target, value));
        for (char *line = text; line && !listed; line = strchr(line + 1, '\n')) {
            const char *date = strstr(line + 1, m->date),
                       *found = date ? strstr(date, value) : NULL;
            listed = found && !memchr(line + 1, '\n', (size_t)(found - line - 1));
        }
        assert_true(listed);
    }
}

static unsigned random_state;

/* 0 to below n, the same on every machine. */
static unsigned draw(unsigned n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % n;
}

/*
 * Made-up slices: three candidates, the middle one 3 % faster than the last and 40 % than the
 * first. Other programs take the CPU in bursts of any length, and each slice varies by up to 1 %.
 */
TEST(the_fastest_is_found_under_any_load)
{
    enum { ROUNDS = 40 };
    static const double own[] = {1.4, 1.0, 1.03};
    double times[3 * ROUNDS], fast[3];
    for (unsigned busy = 0; busy <= 30; busy += 10) { /* percent of slices that begin a burst */
        for (unsigned seed = 0; seed < 200; seed++) {
            random_state = seed;
            for (unsigned i = 0, left = 0; i < 3 * ROUNDS; i++) { /* in the order of time */
                const bool hit = left > 0 || draw(100) < busy;
                left = left ? left - 1 : hit ? draw(8) : 0;
                const double longer = hit ? 1.2 + 0.1 * draw(50) : 1;
                times[i % 3 * ROUNDS + i / 3] = own[i % 3] * longer * (1 + 0.0001 * draw(100));
            }
            assert_int_equal(lab_fastest(times, 3, ROUNDS, fast), 1);
        }
    }
}

/* A clock that falls to half in the middle is the same for all that take turns. */
TEST(a_clock_that_changes_hits_all_alike)
{
    enum { ROUNDS = 40 };
    double times[2 * ROUNDS], fast[2];
    for (int i = 0; i < 2 * ROUNDS; i++)
        times[i % 2 * ROUNDS + i / 2] = (i % 2 ? 1.0 : 1.02) * (i < ROUNDS ? 1 : 2);
    assert_int_equal(lab_fastest(times, 2, ROUNDS, fast), 1);
    assert_true(fast[1] == 1.0 && fast[0] == 1.02);
    assert_true(isnan(lab_quantile(times, 0, 0.5)));
}

/* The balanced stream gathers an element in each of its 1000 words; sparse touches no memory. */
TEST(cycles_are_divided_by_the_elements_too)
{
    struct lab_report r = report_of("1 1 1 1250 - - - - - - - - -");
    assert_true(lab_report_find(&r, "balanced", LAB_COMPILED)->cycles_per_element.v == 1.25);
    assert_true(lab_report_line(&r, "run sparse compiled 1 1 1 1250 - - - - - - - - -"));
    assert_string_equal(lab_report_find(&r, "sparse", LAB_COMPILED)->cycles_per_element.why,
                        "the stream touches no memory");
}

TEST(slots_belong_to_the_run_before)
{
    struct lab_report r;
    lab_report_open(&r);
    assert_false(lab_report_line(&r, "topdown balanced compiled 60 5 5 30"));
    assert_true(lab_report_line(&r, "run balanced compiled 1 1 1 1200 - - - - - - - - -"));
    const struct lab_row *row = lab_report_find(&r, "balanced", LAB_COMPILED);
    assert_string_equal(row->topdown[LAB_BAD].why,
                        "the CPU counts no event for it, or it was refused");
    assert_false(lab_report_line(&r, "topdown balanced interpreter 60 5 5 30"));
    assert_false(lab_report_line(&r, "topdown balanced compiled 60 5 5"));
    assert_false(lab_report_line(&r, "topdown balanced compiled 60 5 5 30 1"));
    assert_true(lab_report_line(&r, "topdown balanced compiled 60 5 - 30"));
    assert_true(row->topdown[LAB_RETIRING].v == 60 && row->topdown[LAB_FRONTEND].v == 5);
    assert_true(row->topdown[LAB_BACKEND].v == 30);
    assert_int_equal(row->topdown[LAB_BAD].validity, VALUE_MISSING);
    assert_true(lab_report_line(&r, "slots the CPU counts none"));
    assert_true(lab_report_line(&r, "run sparse compiled 1 1 1 1200 - - - - - - - - -"));
    assert_string_equal(lab_report_find(&r, "sparse", LAB_COMPILED)->topdown[LAB_BACKEND].why,
                        "the CPU counts none");
}

TEST(what_the_child_cannot_have_written_is_refused)
{
    static const char *const bad[] = {
        "",
        "run",
        "run balanced",
        "run nothing compiled 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "run balanced sideways 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "run balanced compiled 1 1 1 1 1 1 1 1 1 1 1 1",
        "run balanced compiled 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "run balanced compiled 1 1 1 1 1 1 x 1 1 1 1 1 1",
        "run balanced compiled 1 1 1 1 1 1 inf 1 1 1 1 1 1",
        "completely",
    };
    struct lab_report r, empty;
    lab_report_open(&r);
    lab_report_open(&empty);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(lab_report_line(&r, bad[i]));
    assert_memory_equal(&r, &empty, sizeof r);
    for (int i = 0; i < LAB_ROWS_MAX + 5; i++)
        assert_int_equal(lab_report_line(&r, "run sparse compiled 0 0 0 0 0 0 0 0 0 0 0 0 0"),
                         i < LAB_ROWS_MAX);
    assert_int_equal(r.rows[0].ops_per_cycle.validity, VALUE_MISSING); /* no cycles */
    lab_report_line(&r, "complete");
    assert_true(r.complete);
}
