/* rooftop profile, run as a user runs it, over stand-ins for the profilers
 * (support/fake_profilers): the passes, what is made of them, and what may go wrong. (Forks: not
 * for TSan.) */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "engine/gpu_run.h"
#include "support/fake_profilers/fake.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/trace_look.h"

static char folder[] = "/tmp/rooftop-cli-profile-XXXXXX";

static int begin(void **state)
{
    (void)state;
    char tools[64], nvidia[64], path[8192], full[4096];
    const char *program = program_rooftop(), *before = getenv("PATH");
    if (!before || !mkdtemp(folder))
        return -1;
    setenv("D", folder, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    if (program && realpath(program, full))
        setenv("BIN", full, 1);
    if (realpath("tests/data/att", full))
        setenv("FAKE_ATT", full, 1);
    snprintf(tools, sizeof tools, "%s/tools", folder);
    snprintf(nvidia, sizeof nvidia, "%s/nvidia", folder);
    if (mkdir(tools, 0777) != 0 || mkdir(nvidia, 0777) != 0)
        return -1;
    fake_profilers_link(tools, "rocprofv3");
    fake_profilers_link(nvidia, "nsys");
    snprintf(path, sizeof path, "%s:%s", tools, before);
    setenv("PLAIN_PATH", before, 1);
    setenv("PATH", path, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void expect(struct program *p, const char *line, int status)
{
    if (!program_rooftop()) {
        print_message("skipped: rooftop was not built\n");
        skip();
    }
    program_run(p, line);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%s\n%s", line, p->status, status, p->out, p->err);
}

static void expect_word(const char *text, const char *word)
{
    if (!strstr(text, word))
        fail_msg("no \"%s\" in:\n%s", word, text);
}

/* Runs it, expects a status and words on stderr. */
static void run(const char *line, int status, const char *word)
{
    struct program p;
    expect(&p, line, status);
    expect_word(p.err, word);
    program_free(&p);
}

static const char *in(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void read_run(struct gpu_run *r, const char *name)
{
    struct error err = ERROR_INIT;
    if (gpu_run_read(r, in(name), &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

/* Every dispatch has its own times, and the counters of the n-th of its kernel in its queue. */
static void assert_joined(const struct trace *t, const char *counter, const char *but)
{
    static const char *const names[] = {"", "axpy(float*)", "gemm(float*, float*)"};
    assert_int_equal(t->ndispatches, FAKE_DISPATCHES);
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        const struct trace_dispatch *d = &t->dispatches[i];
        const struct fake_dispatch *f = &fake_dispatches[d->id - 1];
        assert_int_equal(t->calls->start[d->node], 1000000 + f->start);
        assert_int_equal(t->calls->duration[d->node], f->end - f->start);
        double v = look_counter(t, d->node, counter);
        if (but && strcmp(names[f->kernel], but) == 0)
            assert_true(isnan(v));
        else if (v != fake_counter(counter, (int)d->id - 1))
            fail_msg("dispatch %d: %f", (int)d->id, v);
    }
}

static void all_passes_make_one_profile(void **state)
{
    (void)state;
    struct gpu_run r;
    struct trace t;
    run("cd $D && FAKE_LOG=$D/log $BIN profile -o all -- sh -c 'echo ran >>runs'", 0,
        "complete: 4 of 4 passes");
    run("cd $D && [ $(wc -l <runs) = 4 ] && [ $(wc -l <log) = 4 ] || cat log >&2; echo ok >&2", 0,
        "ok");
    read_run(&r, "all");
    assert_int_equal(r.state, RUN_COMPLETE);
    assert_int_equal(r.npasses, 4);
    assert_string_equal(r.gpu, "gfx942");
    assert_string_equal(r.tool, "rocprofv3");
    assert_string_equal(r.tool_version, "1.0.0, ROCm 7.0.2");
    assert_string_equal(r.argv[2], "echo ran >>runs");
    for (uint32_t i = 0; i < r.npasses; i++) {
        assert_int_equal(r.passes[i].kind, i ? RUN_COUNTERS : RUN_BASE);
        assert_int_equal(r.passes[i].state, RUN_COMPLETE);
        assert_int_equal(r.passes[i].wait_status, 0);
        assert_int_equal(r.passes[i].nfiles, 1);
        assert_int_equal(r.passes[i].ncounters > 0, i > 0);
    }
    gpu_run_free(&r);
    look_open(&t, in("all"));
    assert_int_equal(t.nnotes, 0);
    assert_joined(&t, "SQ_INSTS_VALU_FMA_F32", NULL);
    assert_joined(&t, "TCC_EA0_WRREQ_64B", NULL);
    assert_joined(&t, "SQ_LDS_BANK_CONFLICT", NULL);
    trace_free(&t);
    look_open(&t, in("all/profile.json"));
    assert_joined(&t, "GRBM_GUI_ACTIVE", NULL);
    trace_free(&t);
}

static void a_dry_run_prints_what_a_run_runs(void **state)
{
    (void)state;
    struct program p, q;
    expect(&p, "cd $D && $BIN profile --dry-run --gpu gfx942 -o dry --att gemm -- ./a.out 'b c'",
           0);
    expect(&q, "cd $D && $BIN profile --dry-run --gpu gfx942 -o dry --att gemm -- ./a.out 'b c'",
           0);
    assert_string_equal(p.out, q.out);
    expect_word(p.out, "/rocprofv3 --kernel-trace --hip-trace --hsa-trace --memory-copy-trace "
                       "--marker-trace --output-format rocpd --output-directory ");
    expect_word(p.out, "/dry/base -- ./a.out 'b c'\n");
    expect_word(p.out, "/dry/counters-3.txt: pmc: SQ_");
    expect_word(p.out, " --att --kernel-include-regex gemm --output-directory ");
    program_free(&p);
    program_free(&q);
    run("[ ! -e $D/dry ] && echo no >&2", 0, "no");
    expect(&p, "PATH=$PLAIN_PATH $BIN profile --dry-run -o $D/dry -- ./a.out", 0);
    expect_word(p.out, "planned for the GPU that the base profile tells");
    program_free(&p);
    expect(&p, "PATH=$D/nvidia:$PATH $BIN profile --dry-run --tool nsys -o $D/dry -- ./a.out", 0);
    expect_word(p.out, "/nsys profile --trace=cuda,nvtx,osrt --force-overwrite=true --output ");
    expect_word(p.out, "/nsys export --type sqlite --force-overwrite=true --output ");
    program_free(&p);
}

static void reports_are_those_of_the_commands(void **state)
{
    (void)state;
    struct program p, q;
    expect(&p, "cd $D && $BIN profile -o rep --format json -- echo hello", 0);
    expect_word(p.err, "hello\n"); /* the document alone is on stdout */
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    assert_string_equal(cJSON_GetObjectItem(j, "schema")->valuestring, "rooftop.path/1");
    cJSON_Delete(j);
    expect(&q, "cd $D && $BIN path --format json rep", 0);
    assert_string_equal(p.out, q.out);
    program_free(&p);
    program_free(&q);
    expect(&p, "cd $D && $BIN profile -o rep --replace --report tree --counters none -- true", 0);
    expect_word(p.out, "gemm(float*, float*)");
    program_free(&p);
    expect(&p,
           "cd $D && $BIN profile -o rep --replace --headless --view path --counters none"
           " --size 100x30 -- true",
           0);
    expect_word(p.out, "gemm(float*, float*)");
    program_free(&p);
    expect(&p, "cd $D && $BIN rep --headless --view tree --size 120x30", 0);
    expect_word(p.out, "axpy(float*)");
    program_free(&p);
}

static void counters_that_do_not_fit_are_not_joined(void **state)
{
    (void)state;
    struct trace t;
    struct program p;
    run("cd $D && FAKE_FAULTS='counters-1:fewer' $BIN profile -o fewer -- true", 0, "complete");
    look_open(&t, in("fewer"));
    assert_int_equal(t.nnotes, 1);
    expect_word(t.notes[0], "counters-1: counters of 1 kernel left out: 'axpy(float*)' ran 0 times "
                            "in a queue, 1 in the base profile; by themselves: rooftop /");
    trace_free(&t);
    expect(&p, "$BIN path $D/fewer", 0);
    expect_word(p.err, "left out");
    program_free(&p);
    run("cd $D && FAKE_FAULTS='counters-1:shapes' $BIN profile -o shapes -- true", 0, "complete");
    look_open(&t, in("shapes"));
    expect_word(t.notes[0], "other shapes");
    assert_joined(&t, "SQ_INSTS_VALU_ADD_F16", "gemm(float*, float*)");
    assert_joined(&t, "SQ_INSTS_VALU_ADD_F64", NULL); /* of pass 2 */
    trace_free(&t);
}

/* Numbers of queues are the runtime's: then it is the order on the GPU that counts. */
static void other_queue_numbers_are_no_matter(void **state)
{
    (void)state;
    struct trace t;
    run("cd $D && FAKE_FAULTS='counters-1:other-queues' $BIN profile -o queues -- true", 0, "comp");
    look_open(&t, in("queues"));
    assert_int_equal(t.nnotes, 0);
    assert_joined(&t, "SQ_INSTS_VALU_ADD_F16", NULL);
    trace_free(&t);
}

static void a_pass_that_fails_takes_only_its_counters(void **state)
{
    (void)state;
    static const char *const faults[] = {"fail", "killed", "nothing", "truncated"};
    static const char *const words[] = {"ended with status 2 and left no result",
                                        "killed by signal 9", "left no result", "4 of 4 passes"};
    for (size_t i = 0; i < 4; i++) {
        char line[256];
        struct trace t;
        snprintf(line, sizeof line,
                 "cd $D && FAKE_FAULTS='counters-2:%s' $BIN profile --replace -o bad -- true",
                 faults[i]);
        run(line, i < 3 ? 6 : 0, words[i]);
        look_open(&t, in("bad"));
        assert_joined(&t, "SQ_INSTS_VALU_ADD_F16", NULL);
        assert_joined(&t, "SQ_LDS_BANK_CONFLICT", NULL);
        assert_true(isnan(look_counter(&t, t.dispatches[0].node, "SQ_INSTS_VALU_ADD_F64")));
        assert_true(t.nnotes > 0);
        expect_word(t.notes[t.nnotes - 1], "counters-2: no counters: ");
        trace_free(&t);
        if (i == 0) /* the next is another run */
            run("[ -e $D/bad/profile.json ] && echo kept >&2", 0, "kept");
    }
}

static void without_a_base_profile_there_is_nothing(void **state)
{
    (void)state;
    run("cd $D && FAKE_FAULTS='base:nothing' $BIN profile -o n1 -- true", 6, "nothing to open");
    run("cd $D && FAKE_FAULTS='base:nothing' $BIN profile -o n2 -- sh -c 'exit 5'", 5,
        "nothing to open");
    run("cd $D && FAKE_FAULTS='base:fail' $BIN profile -o n3 -- true", 2, "left no result");
    run("cd $D && FAKE_FAULTS='base:truncated' $BIN profile -o n4 -- true", 3, "n4/base/");
    run("$BIN path $D/n1", 3, "left no result");
}

static void the_commands_status_is_passed_on(void **state)
{
    (void)state;
    struct gpu_run r;
    run("cd $D && $BIN profile -o s1 -- sh -c 'exit 3'", 3, "the command ended with status 3");
    read_run(&r, "s1");
    assert_int_equal(r.state, RUN_COMPLETE);
    assert_int_equal(WEXITSTATUS(r.passes[0].wait_status), 3);
    gpu_run_free(&r);
    run("cd $D && $BIN profile -o s2 -- sh -c 'kill -SEGV $$'", 139, "killed by signal 11");
    read_run(&r, "s2");
    assert_int_equal(r.npasses, 1); /* it would be killed again */
    assert_int_equal(r.state, RUN_FAILED);
    gpu_run_free(&r);
    run("$BIN profile -o $D/s3 -- /no/such/command", 127, "command not found");
    run("$BIN profile -o $D/s3 -- /etc/passwd", 126, "Permission denied");
    run("[ ! -e $D/s3 ] && echo none >&2", 0, "none");
}

/* The command, the profiler and rooftop get it; what was written stays, marked. */
static void an_interrupt_keeps_what_is_there(void **state)
{
    (void)state;
    struct gpu_run r;
    struct trace t;
    run("cd $D && rm -f go; $BIN profile -o int -- sh -c 'echo >>go; [ $(wc -l <go) = 1 ] || exec "
        "sleep 30' & pid=$!; for i in $(seq 3000); do [ $(cat $D/go 2>/dev/null | wc -l) = 2 ] && "
        "break; sleep 0.01; done; sleep 0.2; kill -TERM $pid; wait $pid; echo status $? >&2",
        0, "status 143");
    read_run(&r, "int");
    assert_int_equal(r.state, RUN_INTERRUPTED);
    assert_int_equal(r.passes[0].state, RUN_COMPLETE);
    assert_int_equal(r.passes[1].state, RUN_INTERRUPTED);
    assert_int_equal(r.passes[2].state, RUN_PLANNED);
    gpu_run_free(&r);
    look_open(&t, in("int"));
    assert_true(t.nnotes > 0);
    expect_word(t.notes[0], "interrupted, not complete");
    trace_free(&t);
}

/* ^C of a terminal reaches all of its programs at once. */
static void ctrl_c_ends_the_passes(void **state)
{
    (void)state;
    const char *const argv[] = {getenv("BIN"), "profile", "-o", in("ctrl"),
                                "--",          "sleep",   "30", NULL};
    struct pty t;
    struct gpu_run r;
    if (!program_rooftop())
        skip();
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv}), 0);
    assert_true(pty_until_text(&t, "pass 1 of 1, base"));
    while (access(in("ctrl/profile.json"), F_OK) != 0)
        pty_pump(&t, 10);
    pty_settle(&t);
    pty_keys(&t, "\003");
    assert_true(pty_until_state(&t, PTY_GONE));
    assert_true(WIFSIGNALED(t.status));
    assert_int_equal(WTERMSIG(t.status), SIGINT);
    pty_end(&t);
    read_run(&r, "ctrl");
    assert_int_equal(r.state, RUN_INTERRUPTED);
    assert_int_equal(r.npasses, 1);
    gpu_run_free(&r);
}

/* On a terminal the result opens at once. */
static void on_a_terminal_the_dashboard_opens(void **state)
{
    (void)state;
    const char *const argv[] = {getenv("BIN"), "profile", "-o", in("tty"), "--", "true", NULL};
    struct pty t;
    if (!program_rooftop())
        skip();
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv, .cols = 120, .rows = 40}), 0);
    assert_true(pty_until_text(&t, "gemm(float*"));
    pty_keys(&t, "q");
    assert_true(pty_until_state(&t, PTY_GONE));
    assert_true(WIFEXITED(t.status) && WEXITSTATUS(t.status) == 0);
    pty_end(&t);
}

static void folders_are_not_overwritten(void **state)
{
    (void)state;
    run("mkdir $D/mine && echo x >$D/mine/file; $BIN profile -o $D/mine -- true", 7,
        "already there");
    run("$BIN profile --replace -o $D/mine -- true", 7, "no folder that rooftop profile made");
    run("cat $D/mine/file >&2", 0, "x");
    run("$BIN profile --counters none -o $D/again -- true", 0, "complete: 1 of 1");
    run("$BIN profile --counters none -o $D/again -- true", 7, "--replace");
    run("ln -s $D/mine $D/again/link; $BIN profile --counters none --replace -o $D/again -- true",
        0, "complete: 1 of 1");
    run("cat $D/mine/file >&2", 0, "x"); /* links are not followed */
    run("$BIN profile -o $D/no/such/place -- true", 7, "No such file");
    run("$BIN profile -o $D/100% -- true", 2, "100%");
}

static void bad_lists_are_told_before_anything_runs(void **state)
{
    (void)state;
    run("$BIN profile -o $D/b --counters SQ_WAVE -- true", 2, "did you mean SQ_WAVES?");
    run("$BIN profile -o $D/b --counters FETCH_SIZE -- true", 2, "FETCH_SIZE");
    run("$BIN profile -o $D/b --att '(' -- true", 2, "no regular expression");
    run("$BIN profile -o $D/b --gpu gfx803 -- true", 2, "gfx803");
    run("$BIN profile -o $D/b --tool perf -- true", 2, "perf");
    run("PATH=$D/nvidia:$PATH $BIN profile -o $D/b --tool nsys --counters roofline -- true", 2,
        "--counters");
    run("$BIN profile -o $D/b", 2, "no command");
    run("$BIN profile x", 2, "no command");
    run("[ ! -e $D/b ] && echo none >&2", 0, "none");
    /* of another GPU than the one found: the profile is kept, without them */
    run("$BIN profile -o $D/b --counters TCC_EA_RDREQ -- true", 0, "no counter of gfx942");
    run("FAKE_GPU=gfx803 $BIN profile -o $D/b2 -- true", 0, "'gfx803' has is not known");
}

static void without_a_profiler_it_is_said_which(void **state)
{
    (void)state;
    struct program p;
    expect(&p, "ROCM_PATH= CUDA_HOME= PATH=$PLAIN_PATH $BIN profile -o $D/t -- true", 6);
    assert_int_equal(program_lines(p.err), 1);
    expect_word(p.err, "ROCm 6.2");
    expect_word(p.err, "PATH");
    program_free(&p);
    run("PATH=$PLAIN_PATH $BIN profile --tool rocprofv3 -o $D/t -- true", 6,
        "rocprofv3: not found");
    run("PATH=$PLAIN_PATH $BIN profile --tool nsys -o $D/t -- true", 6, "nsys: not found");
    run("mkdir -p $D/rocm/bin; ln -sf $D/tools/rocprofv3 $D/rocm/bin; PATH=$PLAIN_PATH "
        "ROCM_PATH=$D/rocm $BIN profile --counters none -o $D/t -- true",
        0, "complete: 1 of 1");
}

static void rocm_6_writes_csv(void **state)
{
    (void)state;
    struct trace t;
    run("cd $D && FAKE_ROCM=6.4.1 FAKE_LOG=$D/log6 $BIN profile -o six --counters occupancy -- "
        "true",
        0, "complete: 2 of 2 passes");
    run("grep -c -- '--output-format csv' $D/log6 >&2", 0, "2");
    look_open(&t, in("six"));
    assert_int_equal(t.nnotes, 0);
    assert_joined(&t, "SQ_WAVES", NULL);
    trace_free(&t);
}

static void nsys_is_exported_and_opened(void **state)
{
    (void)state;
    struct program p;
    run("cd $D && PATH=$D/nvidia:$PATH $BIN profile --tool nsys -o ns -- sh -c 'exit 4'", 4,
        "complete: 2 of 2 passes");
    expect(&p, "$BIN tree $D/ns", 0);
    expect_word(p.out, "add_one");
    program_free(&p);
    /* the only one there is */
    run("cd $D && PATH=$D/nvidia:$PLAIN_PATH $BIN profile -o ns4 -- true", 0, "2 of 2 passes");
    run("cd $D && FAKE_FAULTS='export:fail' PATH=$D/nvidia:$PATH $BIN profile --tool nsys -o ns2 "
        "-- true",
        6, "nsys export --type sqlite");
    run("cd $D && FAKE_FAULTS='base:nothing' PATH=$D/nvidia:$PATH $BIN profile --tool nsys -o ns3 "
        "-- true",
        6, "nothing to open");
}

static void a_thread_trace_stands_beside(void **state)
{
    (void)state;
    struct program p;
    run("cd $D && $BIN profile -o att --counters none --att 'gemm' -- true", 0, "/att");
    expect(&p, "$BIN att $D/att/att", 0);
    assert_true(p.out_len > 100);
    program_free(&p);
    run("cd $D && FAKE_FAULTS='att:nothing' $BIN profile -o att2 --counters none --att x -- true",
        6, "no decoded trace");
    expect(&p, "$BIN path $D/att", 0);
    assert_string_equal(p.err, "");
    program_free(&p);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    run("(ulimit -f 0; trap '' XFSZ; $BIN profile --counters none -o $D/full -- true) 2>&1 | cat "
        ">&2;"
        " exit ${PIPESTATUS[0]}",
        7, "profile.json");
}

/* Manifests that someone else wrote. */
static void bad_manifests_are_refused(void **state)
{
    (void)state;
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
        char command[64];
        snprintf(command, sizeof command, "mkdir -p %.40s/m", folder);
        assert_int_equal(system(command), 0);
        FILE *f = fopen(in("m/profile.json"), "w");
        fputs(texts[i], f);
        fclose(f);
        expect(&p, "$BIN path $D/m", 3);
        assert_int_equal(program_lines(p.err), 1);
        program_free(&p);
    }
}

int main(int argc, char **argv)
{
    int status;
    if (fake_profilers_main(argc, argv, &status))
        return status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_passes_make_one_profile),
        cmocka_unit_test(a_dry_run_prints_what_a_run_runs),
        cmocka_unit_test(reports_are_those_of_the_commands),
        cmocka_unit_test(counters_that_do_not_fit_are_not_joined),
        cmocka_unit_test(other_queue_numbers_are_no_matter),
        cmocka_unit_test(a_pass_that_fails_takes_only_its_counters),
        cmocka_unit_test(without_a_base_profile_there_is_nothing),
        cmocka_unit_test(the_commands_status_is_passed_on),
        cmocka_unit_test(an_interrupt_keeps_what_is_there),
        cmocka_unit_test(ctrl_c_ends_the_passes),
        cmocka_unit_test(on_a_terminal_the_dashboard_opens),
        cmocka_unit_test(folders_are_not_overwritten),
        cmocka_unit_test(bad_lists_are_told_before_anything_runs),
        cmocka_unit_test(without_a_profiler_it_is_said_which),
        cmocka_unit_test(rocm_6_writes_csv),
        cmocka_unit_test(nsys_is_exported_and_opened),
        cmocka_unit_test(a_thread_trace_stands_beside),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(bad_manifests_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
