/*
 * rooftop judge against a corpus: each cheat of tests/data/judge/cheats is refused by the guard and
 * with the words that its first line names, no honest candidate is refused. (Forks: not for TSan.)
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "support/program.h"
#include "support/skip.h"

#define DATA "tests/data/judge/"
/* The guards that read sources: what they refuse is never called. */
#define UNREAD " --allow parse,signature,elsewhere,static-data,calls,assembly,unroll,wave-width"
#define JUDGE  "$BIN judge --harness " DATA "saxpy.toml --baseline " DATA "baseline.c --candidate "

static bool is_source(const char *name)
{
    const size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, ".c") == 0;
}

/* Calls fn for each file; returns how many there were. */
static size_t each_case(const char *folder, void (*fn)(const char *path))
{
    DIR *d = opendir(folder);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char path[512];
        if (!is_source(e->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        fn(path);
        n++;
    }
    closedir(d);
    return n;
}

static cJSON *verdict_on(const char *path, const char *options, int *status)
{
    struct program p;
    char line[1024];
    snprintf(line, sizeof line, JUDGE "%s --for 0.1 --format json%s", path, options);
    program_run(&p, line);
    cJSON *j = cJSON_Parse(p.out);
    if (!j)
        fail_msg("%s: exit %d: %s", path, p.status, p.err);
    *status = p.status;
    program_free(&p);
    return j;
}

static const char *text_of(const cJSON *j, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(j, key));
    return text ? text : "";
}

/* The first line: GUARD: WORDS. */
static void cheat_is_refused(const char *path)
{
    char line[256] = "", guard[64] = "", words[128] = "";
    int status;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    if (!fgets(line, sizeof line, f) || sscanf(line, "/* %63[a-z-]: %127[^\n]", guard, words) < 1)
        fail_msg("%s: its first line names no guard", path);
    fclose(f);
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__)
    if (strcmp(guard, "clock") == 0)
        return; /* other CPUs cannot hide their clock, and the sanitizer needs it */
#endif
#if !defined(__x86_64__)
    if (strstr(path, "x32_call") || strstr(path, "i386_call") || strstr(path, "flushes_denormals"))
        return; /* they are of x86-64 */
#endif
#if defined(__SANITIZE_ADDRESS__)
    if (strcmp(words, "prctl") == 0 || strstr(path, "fixed_memory") || strstr(path, "all_memory") ||
        strstr(path, "wishes_place") || strstr(path, "forgets_pages"))
        return; /* what the sanitizer does itself is allowed */
    if (strstr(path, "answers_early") || strstr(path, "shortens_batch"))
        return; /* the stack is another */
#endif
    cJSON *j = verdict_on(path, strstr(path, "/source/") ? "" : UNREAD, &status);
    if (*text_of(j, "sources_not_looked_at") && strstr(path, "/source/"))
        skip_because("%s", text_of(j, "sources_not_looked_at"));
    if (strcmp(text_of(j, "verdict"), "refused") != 0 || status != 9 ||
        strcmp(text_of(j, "guard"), guard) != 0 || !strstr(text_of(j, "evidence"), words))
        fail_msg("%s: %s %s: %s, not refused by %s: %s", path, text_of(j, "verdict"),
                 text_of(j, "guard"), text_of(j, "evidence"), guard, words);
    cJSON_Delete(j);
}

static void honest_is_heard(const char *path)
{
    int status;
    cJSON *j = verdict_on(path, "", &status);
    if (strcmp(text_of(j, "verdict"), "refused") == 0)
        fail_msg("%s was refused: %s: %s", path, text_of(j, "guard"), text_of(j, "evidence"));
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(j, "checked_calls")) == 30);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(j, "timed_calls")) >= 1);
    cJSON_Delete(j);
}

static void need_rooftop(void)
{
    if (!program_rooftop())
        skip_because("rooftop was not built");
}

static void cheats_are_refused(void **state)
{
    (void)state;
    need_rooftop();
    assert_true(each_case(DATA "cheats", cheat_is_refused) >= 40);
}

/* By their sources, before they are called. */
static void cheats_are_seen_in_sources(void **state)
{
    (void)state;
    need_rooftop();
    assert_true(each_case(DATA "cheats/source", cheat_is_refused) >= 20);
}

static void honest_ones_are_not(void **state)
{
    (void)state;
    need_rooftop();
    assert_true(each_case(DATA "honest", honest_is_heard) >= 20);
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

static void what_is_faster_is_not_slower(void **state)
{
    (void)state;
    need_rooftop();
    verdict_is_one_of("$BIN judge --harness " DATA "saxpy.toml --baseline " DATA
                      "slow.c --candidate " DATA "baseline.c --for 2 --allow review --format json",
                      "faster", "not decided");
    verdict_is_one_of(JUDGE DATA "slow.c --for 2 --format json", "slower", "not decided");
}

/* Code that runs when the object is loaded finds no inputs. (A longer time, as it takes a second
 * pair to find what the first left.) */
static void inputs_come_after_loading(void **state)
{
    (void)state;
    need_rooftop();
    program_answers(JUDGE DATA "works_when_loaded.c --for 5" UNREAD, 9, "wrong in a timed call",
                    "");
}

/* Within low and high no input is 0 or 1: a sum in another order has another last bit. */
static void bits_within_a_range_need_not_be_exact(void **state)
{
    (void)state;
    need_rooftop();
    program_answers("$BIN judge --harness " DATA "sum.toml --baseline " DATA
                    "sum.c --candidate " DATA "sum_two.c --for 0.1",
                    9, "each answer compared", "");
}

/* A harness that forgives everything is called blind: it accepts nobody. */
static void a_blind_check_accepts_nobody(void **state)
{
    (void)state;
    need_rooftop();
    program_answers("$BIN judge --harness " DATA "blind.toml --baseline " DATA
                    "baseline.c --candidate " DATA "honest/unrolled_4.c --for 0.1",
                    9, "refused: blind: a function that computes with lower precision would pass",
                    "");
}

static void allowed_guards_do_not_object(void **state)
{
    (void)state;
    need_rooftop();
    program_answers("$BIN judge --harness " DATA "blind.toml --baseline " DATA
                    "baseline.c --candidate " DATA
                    "cheats/by_address.c --for 0.1 --allow same-bits,blind",
                    9, "each answer compared", "");
}

/* Otherwise Ctrl-C would end only the processes of the sides, which reads like a crash of them. */
static void a_signal_ends_it_and_its_folder(void **state)
{
    struct program p;
    (void)state;
    need_rooftop();
    program_run(&p, "d=$(mktemp -d) && TMPDIR=$d timeout --preserve-status -s TERM 3 " JUDGE DATA
                    "baseline.c --margin 0.0001% --for 60; s=$?; rmdir $d && exit $s");
    if (p.status != 128 + 15)
        fail_msg("exit %d\n%s\n%s", p.status, p.out, p.err);
    assert_string_equal(p.out, "");
    program_free(&p);
}

#define RUN "$BIN judge --run '" DATA "run/check.sh {}' --baseline " DATA "run/"
/* Each run's check must pass, and one that a program passes that does nothing is blind. */
static void programs_are_judged(void **state)
{
    struct program p;
    (void)state;
    need_rooftop();
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
    cJSON_Delete(j);
    program_free(&p);
}

static void mistakes(void **state)
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
        {"$BIN judge --harness " DATA "saxpy.toml --baseline " DATA
         "cheats/counts_calls.c --candidate " DATA "baseline.c" UNREAD,
         3, "the baseline was refused (state)"},
        {"$BIN judge --harness " DATA "saxpy.toml --baseline " DATA
         "cheats/no_code.c --candidate " DATA "baseline.c",
         3, "the baseline does not build"},
        {JUDGE DATA "baseline.c --build true", 3, "made no {out}"},
        {JUDGE DATA "baseline.c --build 'printf \"one\\ntwo\"; false'", 3, "one\ntwo\n"},
    };
    (void)state;
    need_rooftop();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, "", cases[i].err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheats_are_refused),
        cmocka_unit_test(cheats_are_seen_in_sources),
        cmocka_unit_test(honest_ones_are_not),
        cmocka_unit_test(what_is_faster_is_not_slower),
        cmocka_unit_test(inputs_come_after_loading),
        cmocka_unit_test(bits_within_a_range_need_not_be_exact),
        cmocka_unit_test(a_blind_check_accepts_nobody),
        cmocka_unit_test(allowed_guards_do_not_object),
        cmocka_unit_test(a_signal_ends_it_and_its_folder),
        cmocka_unit_test(programs_are_judged),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
