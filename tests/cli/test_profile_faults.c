/* rooftop gpu profile when something goes wrong: a pass, the command, the disk, a signal. (Forks:
 * not for TSan.) */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fake_profilers/fake.h"
#include "support/profile_runs.h"
#include "support/pty.h"
#include "support/trace_look.h"
#include "support/test.h"

TEST(counters_that_do_not_fit_are_not_joined)
{
    struct trace t;
    struct program p;
    runs_line("cd $D && FAKE_FAULTS='counters-1:fewer' $BIN profile -o fewer -- true", 0,
              "complete");
    look_open(&t, runs_path("fewer"));
    assert_int_equal(t.nnotes, 1);
    runs_word(t.notes[0], "counters-1: counters of 1 kernel left out: 'axpy(float*)' ran 0 times "
                          "in a queue, 1 in the base profile; by themselves: rooftop /");
    trace_free(&t);
    runs_expect(&p, "$BIN path $D/fewer", 0);
    runs_word(p.err, "left out");
    program_free(&p);
    runs_line("cd $D && FAKE_FAULTS='counters-1:shapes' $BIN profile -o shapes -- true", 0,
              "complete");
    look_open(&t, runs_path("shapes"));
    runs_word(t.notes[0], "other shapes");
    runs_assert_joined(&t, "SQ_INSTS_VALU_ADD_F16", "gemm(float*, float*)");
    runs_assert_joined(&t, "SQ_INSTS_VALU_ADD_F64", NULL); /* a counter of pass 2 */
    trace_free(&t);
}

/* The runtime may number queues differently in each run; then the order of dispatches on the GPU
 * counts. */
TEST(other_queue_numbers_are_no_matter)
{
    struct trace t;
    runs_line("cd $D && FAKE_FAULTS='counters-1:other-queues' $BIN profile -o queues -- true", 0,
              "comp");
    look_open(&t, runs_path("queues"));
    assert_int_equal(t.nnotes, 0);
    runs_assert_joined(&t, "SQ_INSTS_VALU_ADD_F16", NULL);
    trace_free(&t);
}

TEST(a_pass_that_fails_takes_only_its_counters)
{
    static const char *const faults[] = {"fail", "killed", "nothing", "truncated"};
    static const char *const words[] = {"ended with status 2 and left no result",
                                        "killed by signal 9", "left no result", "4 of 4 passes"};
    for (size_t i = 0; i < 4; i++) {
        char line[256];
        struct trace t;
        snprintf(line, sizeof line,
                 "cd $D && FAKE_FAULTS='counters-2:%s' $BIN profile --replace -o bad -- true",
                 faults[i]);
        runs_line(line, i < 3 ? 6 : 0, words[i]);
        look_open(&t, runs_path("bad"));
        runs_assert_joined(&t, "SQ_INSTS_VALU_ADD_F16", NULL);
        runs_assert_joined(&t, "SQ_LDS_BANK_CONFLICT", NULL);
        assert_true(
            isnan(look_counter(&t, trace_dispatch_at(&t, 0).node, "SQ_INSTS_VALU_ADD_F64")));
        assert_true(t.nnotes > 0);
        runs_word(t.notes[t.nnotes - 1], "counters-2: no counters: ");
        trace_free(&t);
        if (i == 0) /* the next one is of another run */
            runs_line("[ -e $D/bad/profile.json ] && echo kept >&2", 0, "kept");
    }
}

TEST(without_a_base_profile_there_is_nothing)
{
    runs_line("cd $D && FAKE_FAULTS='base:nothing' $BIN profile -o n1 -- true", 6,
              "nothing to open");
    runs_line("cd $D && FAKE_FAULTS='base:nothing' $BIN profile -o n2 -- sh -c 'exit 5'", 5,
              "nothing to open");
    runs_line("cd $D && FAKE_FAULTS='base:fail' $BIN profile -o n3 -- true", 2, "left no result");
    runs_line("cd $D && FAKE_FAULTS='base:truncated' $BIN profile -o n4 -- true", 3, "n4/base/");
    runs_line("$BIN path $D/n1", 3, "left no result");
}

TEST(the_commands_status_is_passed_on)
{
    struct gpu_run r;
    runs_line("cd $D && $BIN profile -o s1 -- sh -c 'exit 3'", 3,
              "the command ended with status 3");
    runs_read(&r, "s1");
    assert_int_equal(r.state, RUN_COMPLETE);
    assert_int_equal(WEXITSTATUS(r.passes[0].wait_status), 3);
    gpu_run_free(&r);
    runs_line("cd $D && $BIN profile -o s2 -- sh -c 'kill -SEGV $$'", 139, "killed by signal 11");
    runs_read(&r, "s2");
    assert_int_equal(r.npasses, 1); /* the next pass would be killed too */
    assert_int_equal(r.state, RUN_FAILED);
    gpu_run_free(&r);
    runs_line("$BIN profile -o $D/s3 -- /no/such/command", 127, "command not found");
    runs_line("$BIN profile -o $D/s3 -- /etc/passwd", 126, "Permission denied");
    runs_line("[ ! -e $D/s3 ] && echo none >&2", 0, "none");
}

/* The command, the profiler and rooftop get the signal; what was written is kept and marked as
 * incomplete. */
TEST(an_interrupt_keeps_what_is_there)
{
    struct gpu_run r;
    struct trace t;
    runs_line(
        "cd $D && rm -f go; $BIN profile -o int -- sh -c 'echo >>go; [ $(wc -l <go) = 1 ] || exec "
        "sleep 30' & pid=$!; for i in $(seq 3000); do [ $(cat $D/go 2>/dev/null | wc -l) = 2 ] && "
        "break; sleep 0.01; done; kill -TERM $pid; wait $pid; echo status $? >&2",
        0, "status 143");
    runs_read(&r, "int");
    assert_int_equal(r.state, RUN_INTERRUPTED);
    assert_int_equal(r.passes[0].state, RUN_COMPLETE);
    assert_int_equal(r.passes[1].state, RUN_INTERRUPTED);
    assert_int_equal(r.passes[2].state, RUN_PLANNED);
    gpu_run_free(&r);
    look_open(&t, runs_path("int"));
    assert_true(t.nnotes > 0);
    runs_word(t.notes[0], "interrupted, not complete");
    trace_free(&t);
}

/* ^C in a terminal reaches all of its programs at once. */
TEST(ctrl_c_ends_the_passes)
{
    const char *const argv[] = {program_rooftop(), "profile", "-o", runs_path("ctrl"), "--",
                                "sleep",           "30",      NULL};
    struct pty t;
    struct gpu_run r;
    program_needed();
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv}), 0);
    assert_true(pty_until_text(&t, "pass 1 of 1, base"));
    while (access(runs_path("ctrl/profile.json"), F_OK) != 0)
        pty_pump(&t, 10);
    pty_settle(&t);
    pty_keys(&t, "\003");
    assert_true(pty_until_state(&t, PTY_GONE));
    assert_true(WIFSIGNALED(t.status));
    assert_int_equal(WTERMSIG(t.status), SIGINT);
    pty_end(&t);
    runs_read(&r, "ctrl");
    assert_int_equal(r.state, RUN_INTERRUPTED);
    assert_int_equal(r.npasses, 1);
    gpu_run_free(&r);
}

TEST(a_full_disk_is_told)
{
    runs_line(
        "(ulimit -f 0; trap '' XFSZ; $BIN profile --counters none -o $D/full -- true) 2>&1 | cat "
        ">&2;"
        " exit ${PIPESTATUS[0]}",
        7, "profile.json");
}

/* Manifests that were not written by rooftop. */
TEST(bad_manifests_are_refused)
{
    static const char *const texts[] = {
        "{",
        "[]",
        "{\"schema\":\"rooftop.run/2\"}",
        "{\"schema\":\"rooftop.run/1\"}",
        "{\"schema\":\"rooftop.run/1\",\"state\":\"complete\"}",
        "{\"schema\":\"rooftop.run/1\",\"state\":\"complete\",\"passes\":[{\"kind\":\"x\"}]}",
        "{\"schema\":\"rooftop.run/"
        "1\",\"state\":\"complete\",\"passes\":[{\"kind\":\"base\",\"state\":"
        "\"complete\",\"files\":[\"../../etc/x.db\"]}]}",
        "{\"schema\":\"rooftop.run/"
        "1\",\"state\":\"complete\",\"passes\":[{\"kind\":\"base\",\"state\":"
        "\"complete\",\"files\":[\"/etc/x.db\"]}]}",
        "{\"schema\":\"rooftop.run/"
        "1\",\"state\":\"complete\",\"passes\":[{\"kind\":\"base\",\"state\":"
        "\"complete\",\"files\":[7]}]}",
        "{\"schema\":\"rooftop.run/"
        "1\",\"state\":\"complete\",\"passes\":[{\"kind\":\"base\",\"state\":"
        "\"complete\",\"files\":[\"gone.db\"]}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct program p;
        runs_line("mkdir -p $D/m && echo made >&2", 0, "made");
        FILE *f = fopen(runs_path("m/profile.json"), "w");
        assert_non_null(f);
        fputs(texts[i], f);
        fclose(f);
        runs_expect(&p, "$BIN path $D/m", 3);
        assert_int_equal(program_lines(p.err), 1);
        program_free(&p);
    }
}

int main(int argc, char **argv)
{
    int status;
    if (fake_profilers_main(argc, argv, &status))
        return status;
    return tests_run(runs_begin, runs_end);
}
