/* What `lab validate --keep` stores: a series for each stream, path and processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "cli/lab/lab_keep.h"
#include "engine/bench/history.h"
#include "support/compiled.h"
#include "support/test.h"

/* Keeps a compiled balanced run of 1000 words that took this many cycles, on such a processor. */
static void keep_run(const char *cpu, int cycles)
{
    static struct lab_report r;
    char line[256];
    struct error err = ERROR_INIT;
    FILE *f = fopen(compiled_path("proc/cpuinfo"), "w");
    assert_non_null(f);
    fprintf(f, "processor : 0\nmodel name\t: %s\n", cpu);
    fclose(f);
    env_set_root(compiled_dir());
    lab_report_open(&r);
    snprintf(line, sizeof line, "run balanced compiled 1 1 1 %d - - - - - - - - -", cycles);
    assert_true(lab_report_line(&r, line));
    assert_int_equal(lab_keep(&r, compiled_path("lab.db"), &err), 0);
    env_set_root(NULL);
}

/* A host may get another processor, slower by half: no series falls, because each is of one. */
TEST(a_series_is_of_one_processor)
{
    enum { RUNS = 12 };
    static const struct change_rule rule = {.alpha = 0.02, .least = 0.01, .baseline = 5};
    struct bench_history *h = NULL;
    struct history_list list = {0};
    struct error err = ERROR_INIT;
    char note[256];
    compiled_new();
    assert_true(compiled_shell("mkdir proc"));
    for (int i = 0; i < RUNS; i++)
        keep_run("Fast CPU", 1200);
    for (int i = 0; i < RUNS; i++)
        keep_run("Slow CPU", 2400);
    assert_int_equal(bench_history_open(&h, compiled_path("lab.db"), true, note, sizeof note, &err),
                     0);
    assert_int_equal(bench_history_load(h, "lab ", &rule, NULL, &list, &err), 0);
    assert_int_equal(list.n, 2);
    for (size_t i = 0; i < list.n; i++) {
        assert_string_equal(list.list[i].name, i ? "lab balanced, compiled, Slow CPU"
                                                 : "lab balanced, compiled, Fast CPU");
        assert_string_equal(list.list[i].unit, "vTPU ops/cycle");
        assert_int_equal(list.list[i].n, RUNS);
        assert_true(list.list[i].points[RUNS - 1].value == (i ? 1.25 : 2.5));
        assert_false(history_alarmed(&list.list[i]));
    }
    bench_history_list_free(&list);
    bench_history_close(h);
    compiled_free();
}
