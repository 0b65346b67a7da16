/*
 * rooftop optimize judge: what it answers, what it refuses to judge, and that nothing is left of
 * it. Its guards: test_judge_cheats. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/test.h"

#define DATA "tests/data/judge/"
/* The guards that read sources: what they refuse is never called. */
#define UNREAD " --allow parse,signature,elsewhere,static-data,calls,assembly,unroll,wave-width"
#define JUDGE  "$BIN judge --harness " DATA "saxpy.toml --baseline " DATA "baseline.c --candidate "

static const char *text_of(const cJSON *j, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(j, key));
    return text ? text : "";
}

/* Verdicts are decided in test_judge_decide: how many pairs a machine makes in a second is chance.
 * Whatever it does, a factor of 200 is never the opposite, nor nothing. */
static void verdict_is_one_of(const char *line, const char *one, const char *other)
{
    struct program p;
    program_run(&p, line);
    cJSON *j = cJSON_Parse(p.out);
    const char *verdict = j ? text_of(j, "verdict") : "";
    if (strcmp(verdict, one) != 0 && strcmp(verdict, other) != 0)
        fail_msg("%s: exit %d: %s%s", line, p.status, p.out, p.err);
    assert_int_equal(p.status, strcmp(verdict, "faster") == 0 ? 0 : 9);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(j, "timed_calls")) >= 1);
    cJSON_Delete(j);
    program_free(&p);
}

TEST(what_is_faster_is_not_slower)
{
    program_needed();
    verdict_is_one_of("$BIN judge --harness " DATA "saxpy.toml --baseline " DATA
                      "slow.c --candidate " DATA "baseline.c --for 2 --allow review --format json",
                      "faster", "not decided");
    verdict_is_one_of(JUDGE DATA "slow.c --for 2 --format json", "slower", "not decided");
}

/* Code that runs when the object is loaded finds no inputs. (A longer time, as it takes a second
 * pair to find what the first left.) */
TEST(inputs_come_after_loading)
{
    program_needed();
    program_answers(JUDGE DATA "works_when_loaded.c --for 120" UNREAD ",constructors", 9,
                    "wrong in a timed call", "");
}

/* Within low and high no input is 0 or 1: a sum in another order has another last bit. */
TEST(bits_within_a_range_need_not_be_exact)
{
    program_needed();
    program_answers("$BIN judge --harness " DATA "sum.toml --baseline " DATA
                    "sum.c --candidate " DATA "sum_two.c --for 0.1",
                    9, "each answer compared", "");
}

/* A harness that forgives everything is called blind: it accepts nobody. */
TEST(a_blind_check_accepts_nobody)
{
    program_needed();
    program_answers("$BIN judge --harness " DATA "blind.toml --baseline " DATA
                    "baseline.c --candidate " DATA "honest/unrolled_4.c --for 0.1",
                    9, "refused: blind: a function that computes with lower precision would pass",
                    "");
    program_answers("$BIN judge --harness " DATA "blind/absolute.toml --baseline " DATA
                    "baseline.c --candidate " DATA "honest/unrolled_4.c --for 0.1",
                    9, "refused: blind: a function that does nothing would pass", "");
    program_answers("$BIN judge --harness " DATA "blind/find.toml --baseline " DATA
                    "blind/find.c --candidate " DATA "blind/never.c --for 0.1",
                    9, "refused: blind: the baseline's answer was the same for all inputs", "");
}

TEST(allowed_guards_do_not_object)
{
    program_needed();
    program_answers("$BIN judge --harness " DATA "blind.toml --baseline " DATA
                    "baseline.c --candidate " DATA
                    "cheats/by_address.c --for 0.1 --allow same-bits,blind",
                    9, "each answer compared", "");
}

/* A number of each side, or why there is none: which of both depends on the machine. */
TEST(instructions_are_counted_or_not_with_a_reason)
{
    struct program p;
    program_needed();
    program_run(&p, "$BIN judge --harness " DATA "sum.toml --baseline " DATA
                    "sum.c --candidate " DATA "sum_two.c --for 0.1 --format json");
    cJSON *j = cJSON_Parse(p.out);
    const cJSON *counted = cJSON_GetObjectItem(j, "instructions");
    if (!counted)
        fail_msg("exit %d: %s%s", p.status, p.out, p.err);
    if (cJSON_IsNull(counted))
        assert_string_not_equal(text_of(j, "instructions_not_counted"), "");
    else /* 1000 values are added */
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(counted, "baseline")) > 50);
    assert_int_equal(strncmp(text_of(j, "instructions_why"), "the harness says neither", 24), 0);
    cJSON_Delete(j);
    program_free(&p);
}

/* Otherwise Ctrl-C would end only the processes of the sides, which reads like a crash of them. */
TEST(a_signal_ends_it_and_its_folder)
{
    struct program p;
    program_needed();
    /* it may have decided before that, where one of the two is faster by this compiler */
    static const char *const after[] = {"3", "1", "0.3"};
    char line[512];
    for (size_t i = 0; i < 3; i++) {
        snprintf(line, sizeof line,
                 "d=$(mktemp -d) && TMPDIR=$d timeout --preserve-status -s TERM %s " JUDGE DATA
                 "honest/unrolled_4.c --margin 0.0001%% --for 60; s=$?; rmdir $d && exit $s",
                 after[i]);
        program_run(&p, line);
        if (i == 2 || (p.status != 0 && p.status != 9))
            break;
        program_free(&p);
    }
    if (p.status != 128 + 15)
        fail_msg("exit %d\n%s\n%s", p.status, p.out, p.err);
    assert_string_equal(p.out, "");
    assert_non_null(strstr(p.err, "rooftop: interrupted"));
    if (!strstr(p.err, "before any pair"))
        assert_non_null(strstr(p.err, " of the baseline's time"));
    program_free(&p);
}

#define RUN "$BIN judge --run '" DATA "run/check.sh {}' --baseline " DATA "run/"
/* Each run's check must pass, and one that a program passes that does nothing is blind. */
TEST(programs_are_judged)
{
    struct program p;
    program_needed();
    verdict_is_one_of(RUN "slow.sh --candidate " DATA "run/fast.sh --for 2 --format json", "faster",
                      "not decided");
    program_answers(RUN "fast.sh --candidate " DATA "run/wrong.sh", 9,
                    "refused: output: its check fails with status 4: it said: wrong", "");
    /* every shell gets the file's own name */
    program_answers("d=$(mktemp -d) && n=$d/$(printf \"a'b\\033\\nc\") && cp " DATA
                    "run/wrong.sh \"$n\" && " RUN
                    "fast.sh --candidate \"$n\"; s=$?; rm -r $d; exit $s",
                    9, "it said: wrong", "");
    program_answers("$BIN judge --run '{}' --baseline " DATA "run/fast.sh --candidate " DATA
                    "run/fast.sh",
                    9, "refused: blind", "");
    program_answers("$BIN judge --run '{}' --baseline " DATA "run/fast.sh --candidate " DATA
                    "run/much.sh --allow blind",
                    9, "refused: limits: it writes more than 16 MiB", "");
    program_run(&p, RUN "fast.sh --candidate " DATA "run/later.sh --for 0.1 --format json");
    cJSON *j = cJSON_Parse(p.out);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(j, "candidate_ns")) >= 2.9e8);
    assert_string_equal(text_of(j, "compared"), "elapsed_time");
    cJSON_Delete(j);
    program_free(&p);
}

/* What a program waits takes no CPU time. */
TEST(programs_are_judged_by_cpu_time)
{
    struct program p;
    program_needed();
    program_run(&p,
                RUN "fast.sh --candidate " DATA "run/later.sh --for 0.1 --cpu-time --format json");
    cJSON *j = cJSON_Parse(p.out);
    const double ns = cJSON_GetNumberValue(cJSON_GetObjectItem(j, "candidate_ns"));
    if (strcmp(text_of(j, "compared"), "cpu_time") != 0 || !(ns > 0 && ns < 2.9e8))
        fail_msg("exit %d\n%s%s", p.status, p.out, p.err);
    cJSON_Delete(j);
    program_free(&p);
    program_answers(RUN "fast.sh --candidate " DATA "run/later.sh --for 0.1 --cpu-time", 9,
                    "ms of CPU time", "");
}

TEST(mistakes)
{
    static const struct {
        const char *line;
        int status;
        const char *err;
    } cases[] = {
        {"$BIN judge", 2, "--harness is missing"},
        {"$BIN judge --harness x --baseline y", 2, "--candidate is missing"},
        {"$BIN judge --harness x --run 'y {}' --baseline y --candidate z", 2, "exclude each other"},
        {RUN "fast.sh --candidate /nonesuch", 3, "/nonesuch"},
        {RUN "wrong.sh --candidate " DATA "run/fast.sh", 3, "the baseline was refused (output)"},
        {"$BIN judge --run true --baseline " DATA "saxpy.toml --candidate " DATA "saxpy.toml", 2,
         "there is no {}"},
        {"$BIN judge --harness /nonesuch --baseline y --candidate z", 3, "/nonesuch"},
        {JUDGE "/nonesuch.c", 3, "/nonesuch.c"},
        {JUDGE "/dev/null", 3, "it is no regular file"},
        {"d=$(mktemp -d); mkfifo $d/f.so; " JUDGE "$d/f.so; s=$?; rm -r $d; exit $s", 3,
         "it is no regular file"},
        {"f=$(mktemp); " JUDGE "$f; s=$?; rm $f; exit $s", 3, "it cannot be copied, or is empty"},
        {JUDGE DATA "baseline.c --allow all", 2, "there is no guard 'all'"},
        {JUDGE DATA "baseline.c --margin x", 2, "'x' is not understood"},
        {JUDGE DATA "baseline.c --confidence 0.99", 2, "write the sign: 0.99%, or 99%"},
        {JUDGE DATA "baseline.c --cpu-time", 2, "it goes with --run"},
        {"$BIN judge --harness " DATA "saxpy.toml --baseline " DATA
         "cheats/counts_calls.c --candidate " DATA "baseline.c" UNREAD,
         3, "the baseline was refused (state)"},
        {"$BIN judge --harness " DATA "saxpy.toml --baseline " DATA
         "cheats/no_code.c --candidate " DATA "baseline.c",
         3, "the baseline does not build"},
        {JUDGE DATA "baseline.c --build true", 3, "made no {out}"},
        {JUDGE DATA "baseline.c --build 'printf \"one\\ntwo\"; false'", 3, "one\ntwo\n"},
    };
    program_needed();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, "", cases[i].err);
}

/* What the baseline does not take is left out: NaN as a place of a table, lengths of which it
 * writes whole blocks; so is what the harness does not mean. */
TEST(inputs_that_the_baseline_does_not_take_are_left_out)
{
    static const struct {
        const char *body, *keys, *left_out;
    } rows[] = {
        {"y[i] = x[x[i] != x[i] ? 1 << 28 : i] * a;", "",
         "inputs with NaN (the baseline was refused ("},
        {"if (i % 32 == 0) for (long k = i; k < i + 32; k++) y[k] = a * x[k];", "", "n = 1 and "},
        {"y[i] = x[x[i] != x[i] ? 1 << 28 : i] * a;", "special = false", ""},
        {"if (i % 32 == 0) for (long k = i; k < i + 32; k++) y[k] = a * x[k];",
         "other_lengths = false", ""},
    };
    program_needed();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        char line[2048];
        snprintf(
            line, sizeof line,
            "d=$(mktemp -d) && for f in a b; do echo \"int $f; void scale(long n, float a, const "
            "float *x, float *y) { for (long i = 0; i < n; i++) { %s } }\" >$d/$f.c; done && "
            "sed 's/1021/1024/; s/^relative/%s\\n&/' " DATA
            "inputs/special/harness.toml >$d/h.toml && $BIN judge --harness $d/h.toml "
            "--baseline $d/a.c --candidate $d/b.c --for 0.1 --format json" UNREAD
            "; s=$?; rm -r $d; exit $s",
            rows[i].body, rows[i].keys);
        program_run(&p, line);
        cJSON *j = cJSON_Parse(p.out);
        const char *left_out = text_of(j, "inputs_left_out");
        if (!j || strcmp(text_of(j, "verdict"), "refused") == 0 ||
            (*rows[i].left_out ? !strstr(left_out, rows[i].left_out) : *left_out != '\0'))
            fail_msg("%s: exit %d\n%s%s", rows[i].body, p.status, p.out, p.err);
        cJSON_Delete(j);
        program_free(&p);
    }
    /* a value that the harness says must be taken */
    program_answers("d=$(mktemp -d) && sed 's/^relative/other_lengths = true\\n&/; s/value = "
                    "1021/values = [1021, 7]/' " DATA "inputs/special/harness.toml >$d/h.toml && "
                    "echo 'void scale(long n, float a, const float *x, float *y) { for (long "
                    "i = 0; i < 1021; i++) y[i] = a * x[i]; }' >$d/a.c && $BIN judge --harness "
                    "$d/h.toml --baseline $d/a.c --candidate " DATA
                    "inputs/special/honest/twice.c --for 0.1; s=$?; rm -r $d; exit $s",
                    3, "", "n = 7");
}

/* A baseline that hangs on NaN and does not take n = 1 is asked about other lengths, too. */
TEST(one_that_hangs_elsewhere_does_not_end_the_check)
{
    program_needed();
    program_answers(
        "d=$(mktemp -d) && for f in a b; do echo \"void scale(long n, float a, const float *x, "
        "float *y) { if (n == 1) return; for (long i = 0; i < n; i++) { if (x[i] != x[i]) for "
        "(volatile unsigned k = 0;; k++); y[i] = a * x[i] + MORE; } }\" >$d/$f.c; done && sed -i "
        "'s/MORE/0/' $d/a.c && sed -i 's/MORE/(n == 33)/' $d/b.c && $BIN judge --harness " DATA
        "inputs/special/harness.toml --baseline $d/a.c --candidate $d/b.c --for 0.1" UNREAD
        "; s=$?; rm -r $d; exit $s",
        9, "n = 33", "");
}

/* Right at n = 1021, and else for one of four factors. */
TEST(numbers_vary_at_other_lengths)
{
    program_needed();
    program_answers("d=$(mktemp -d) && sed 's/value = 1.5/values = [1.5, 3, 5, 7]/' " DATA
                    "inputs/special/harness.toml >$d/h.toml && echo 'void scale(long n, float a, "
                    "const float *x, float *y) { for (long i = 0; i < n; i++) y[i] = (n == 1021 || "
                    "a == 5 ? a : 1) * x[i]; }' >$d/b.c && $BIN judge --harness $d/h.toml "
                    "--baseline " DATA "inputs/special/baseline.c --candidate $d/b.c --for "
                    "0.1" UNREAD "; s=$?; rm -r $d; exit $s",
                    9, "values of y are wrong", "");
}

/* Processes of calls read no configuration: the user's may be left out on purpose. */
TEST(a_configuration_is_read_once)
{
    program_needed();
    program_answers(
        "d=$(mktemp -d) && mkdir -p $d/.config/rooftop && echo 'no = = config' "
        ">$d/.config/rooftop/config.toml && unset XDG_CONFIG_HOME && HOME=$d " JUDGE DATA
        "inputs/names/cheats/no_home.c --no-config --for 0.1" UNREAD "; s=$?; rm -r $d; exit $s",
        9, "values of y are wrong", "");
}

/* However it is written, and whatever it is called. */
TEST(the_same_code_is_equivalent_at_once)
{
    program_needed();
    program_answers("d=$(mktemp -d) && { echo '/* another text */'; echo; cat " DATA
                    "baseline.c; } >$d/b.c && " JUDGE "$d/b.c --for 600; s=$?; rm -r $d; exit $s",
                    9, "equivalent: both are the same code", "");
}
