/* rooftop lab validate, as a user runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/temp_folder.h"
#include "vtpu/compile.h"
#include "vtpu/stream.h"
#include "support/test.h"

/* How many kinds of templates this processor runs. */
static size_t targets(void)
{
    size_t n = 0;
    for (int t = 0; t < VTPU_TARGETS; t++)
        n += vtpu_target_runs((enum vtpu_target)t);
    return n;
}

static size_t paths(void)
{
    return targets() ? 2 : 1;
}

/* Runs it; the status is 9 exactly where a gate says FAIL. */
static void run_lab(struct program *p, const char *shell)
{
    if (!program_rooftop())
        program_expect(p, shell, 0); /* skips */
    program_run(p, shell);
    assert_true(p->status == 0 || p->status == 9);
}

TEST(the_short_answer_is_the_gates)
{
    struct program p;
    run_lab(&p, "$BIN lab validate --brief");
    program_sees(&p, " of 4 gates fail, ");
    program_sees(&p, "\n- balanced ops/cycle: ");
    assert_true(program_lines(p.out) <= 20);
    program_free(&p);
}

TEST(the_table_has_each_workload_on_each_path_and_the_gates)
{
    struct program p;
    run_lab(&p, "$BIN lab validate");
    for (size_t k = 0; k < vtpu_nworkloads; k++)
        program_sees(&p, vtpu_workloads[k].name);
    program_sees(&p, "interpreter");
    program_sees(&p, "gates\n");
    program_sees(&p, "at least 2.5");
    assert_int_equal(strstr(p.out, "  FAIL  ") != NULL, p.status == 9);
    assert_string_equal(p.err, "");
    program_free(&p);
}

/* What can be compiled for is measured, and the fastest is taken; or the one that is asked for. */
TEST(templates_are_chosen_by_measuring)
{
    struct program p;
    double most = 0;
    if (!targets())
        skip();
    run_lab(&p, "$BIN lab validate --format json");
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    const cJSON *one, *best = NULL, *list = cJSON_GetObjectItem(doc, "compile_candidates");
    cJSON_ArrayForEach(one, list)
    {
        const double ops = cJSON_GetObjectItem(one, "balanced_ops_per_cycle")->valuedouble;
        best = ops > most ? one : best;
        most = ops > most ? ops : most;
    }
    assert_non_null(best);
    assert_string_equal(cJSON_GetObjectItem(doc, "compiled_for")->valuestring,
                        cJSON_GetObjectItem(best, "name")->valuestring);
    cJSON_Delete(doc);
    program_free(&p);
    for (int t = 0; t < VTPU_TARGETS; t++) {
        const char *name = vtpu_target_name((enum vtpu_target)t);
        char command[128], wanted[64];
        snprintf(command, sizeof command, "PATH=/nowhere $BIN lab validate --templates '%s'", name);
        snprintf(wanted, sizeof wanted, "compiled     %s\n", name);
        if (!vtpu_target_runs((enum vtpu_target)t)) {
            program_expect(&p, command, 6);
        } else {
            run_lab(&p, command);
            program_sees(&p, wanted);
            program_sees(&p, "  llvm-mca     n/a: llvm-mca: it is not installed");
        }
        program_free(&p);
    }
    program_answers("$BIN lab validate --templates sse9", 2, "", "");
}

static const cJSON *member(const cJSON *j, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);
    assert_non_null(v);
    return v;
}

/* Five numbers, each by itself; what is not measured is null and has a reason. */
TEST(json_has_five_numbers_apart)
{
    static const char *const keys[] = {"slot_fill", "model_ops_per_cycle", "ops_per_cycle", "ipc",
                                       "macro_ops_per_cycle"};
    struct program p;
    const cJSON *run;
    run_lab(&p, "$BIN lab validate --format json");
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(member(doc, "schema")->valuestring, "rooftop.lab/1");
    assert_int_equal(cJSON_GetArraySize(member(doc, "runs")), (int)(vtpu_nworkloads * paths()));
    assert_int_equal(cJSON_GetArraySize(member(doc, "gates")), 4);
    cJSON_ArrayForEach(run, member(doc, "runs"))
    {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const cJSON *v = member(run, keys[i]);
            if (cJSON_IsNull(member(v, "value")))
                assert_true(strlen(member(v, "why")->valuestring) > 3);
            else
                assert_true(member(v, "value")->valuedouble > 0);
        }
        assert_true(member(run, "pass_median_s")->valuedouble >=
                    member(run, "pass_s")->valuedouble);
    }
    const cJSON *loop = member(doc, "predicted_loop"), *why = member(loop, "why");
    if (cJSON_IsNull(why)) {
        assert_true(member(loop, "ops_per_cycle")->valuedouble > 0.1);
        assert_true(member(loop, "ops_per_cycle")->valuedouble < 20);
        assert_true(strlen(member(loop, "bound_by")->valuestring) > 3);
    } else {
        assert_true(strlen(why->valuestring) > 3 || paths() == 1);
    }
    cJSON_Delete(doc);
    program_free(&p);
}

/* Only the stream that the gates judge has the unit for which the history has limits. */
TEST(csv_has_a_line_for_each_run_and_the_history_keeps_them)
{
    char dir[] = "/tmp/rooftop-lab-XXXXXX";
    struct program p;
    assert_non_null(mkdtemp(dir));
    setenv("DIR", dir, 1);
    run_lab(&p, "$BIN lab validate --format csv --db $DIR/lab.db");
    assert_int_equal(program_lines(p.out), 1 + vtpu_nworkloads * paths());
    program_sees(&p, "\nbalanced,interpreter,");
    assert_int_equal(program_lines(p.err), 1);
    assert_non_null(strstr(p.err, "lab.db; show it: rooftop compare history --db /"));
    program_free(&p);
    /* no series is held to the 2.5 of other machines */
    program_expect(&p, "$BIN history --db $DIR/lab.db --format csv | grep -c ',ops/cycle,'", 1);
    assert_string_equal(p.out, "0\n");
    program_free(&p);
    program_expect(&p, "$BIN history --db $DIR/lab.db sparse", 0);
    program_sees(&p, "lab sparse, interpreter, ");
    program_sees(&p, " vTPU ops/cycle");
    program_free(&p);
    /* kept also where it cannot be printed */
    program_run(&p, "$BIN lab validate --db $DIR/full.db >/dev/full");
    assert_int_equal(p.status, 7);
    program_free(&p);
    program_answers("$BIN history --db $DIR/full.db sparse", 0, "lab sparse, interpreter, ", "");
    program_answers("rm -r $DIR", 0, "", "");
}

TEST(a_child_that_ends_early_is_an_error_with_its_reason)
{
    struct program p;
    program_expect(&p, "ROOFTOP_SELF=/bin/true $BIN lab validate", 1);
    assert_string_equal(p.out, "");
    assert_non_null(strstr(p.err, "the process that measures ended early (0 runs)"));
    program_free(&p);
    program_answers("printf '#!/bin/sh\\nkill -SEGV $$\\n' >${TMPDIR:-/tmp}/self-$$ && chmod +x "
                    "${TMPDIR:-/tmp}/self-$$ && "
                    "ROOFTOP_SELF=${TMPDIR:-/tmp}/self-$$ $BIN lab validate; s=$?; rm -f "
                    "${TMPDIR:-/tmp}/self-$$; exit $s",
                    1, "", "ended by signal 11");
}

/* The child hands over some of what a real one measured, and then the signal comes. */
TEST_WITH(a_signal_ends_it_with_what_was_measured, temp_folder_make, temp_folder_remove)
{
    struct program p;
    setenv("D", temp_folder, 1);
    program_expect(&p, "$BIN lab validate --measure >$D/all", 0);
    program_free(&p);
    temp_folder_put("self", "#!/bin/sh\ngrep -v '^run' $D/all | grep -v '^complete'\n"
                            "grep '^run' $D/all | head -n $N\nkill -$S $PPID\nexec sleep 60\n");
    program_expect(&p, "chmod +x $D/self; N=3 S=INT ROOFTOP_SELF=$D/self $BIN lab validate", 130);
    program_sees(&p, "not complete: it ended after 3 of its runs\n");
    program_sees(&p, vtpu_workloads[0].name);
    assert_string_equal(p.err, "rooftop: interrupted: 3 streams were measured until then; nothing "
                               "is kept\n");
    program_free(&p);
    program_expect(&p,
                   "N=1 S=TERM ROOFTOP_SELF=$D/self $BIN lab validate --format json --keep --db "
                   "$D/x.db",
                   143);
    program_sees(&p, "\"complete\":\tfalse");
    program_free(&p);
    program_answers("$BIN history --db $D/x.db --format csv | grep -c balanced", 1, "0\n", "");
    program_expect(&p, "N=0 S=INT ROOFTOP_SELF=$D/self $BIN lab validate", 130);
    assert_string_equal(p.out, "");
    assert_string_equal(p.err, "rooftop: interrupted: 0 streams were measured until then\n");
    program_free(&p);
}
