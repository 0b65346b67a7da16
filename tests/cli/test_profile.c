/* rooftop gpu profile, run as a user runs it, with stand-ins for the profilers: its passes and what
 * it makes of them. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/fake_profilers/fake.h"
#include "support/profile_runs.h"
#include "support/pty.h"
#include "support/trace_look.h"
#include "support/test.h"

TEST(all_passes_make_one_profile)
{
    struct gpu_run r;
    struct trace t;
    runs_line("cd $D && FAKE_LOG=$D/log $BIN profile -o all -- sh -c 'echo ran >>runs'", 0,
              "complete: 4 of 4 passes");
    runs_line(
        "cd $D && [ $(wc -l <runs) = 4 ] && [ $(wc -l <log) = 4 ] || cat log >&2; echo ok >&2", 0,
        "ok");
    runs_read(&r, "all");
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
    look_open(&t, runs_path("all"));
    assert_int_equal(t.nnotes, 0);
    runs_assert_joined(&t, "SQ_INSTS_VALU_FMA_F32", NULL);
    runs_assert_joined(&t, "TCC_EA0_WRREQ_64B", NULL);
    runs_assert_joined(&t, "SQ_LDS_BANK_CONFLICT", NULL);
    trace_free(&t);
    look_open(&t, runs_path("all/profile.json"));
    runs_assert_joined(&t, "GRBM_GUI_ACTIVE", NULL);
    trace_free(&t);
}

/* Standard output has the answer alone; the program's words go to standard error. */
TEST(a_short_answer_says_what_was_written)
{
    struct program p;
    runs_expect(&p, "cd $D && $BIN gpu profile --brief=json -o short -- sh -c 'echo words'", 0);
    cJSON *doc = cJSON_Parse(p.out);
    const cJSON *wrote = cJSON_GetObjectItem(doc, "wrote"),
                *rows = cJSON_GetObjectItem(doc, "rows");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(wrote, "path")), "short");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(wrote, "bytes")));
    assert_int_equal(cJSON_GetArraySize(rows), 4);
    cJSON_Delete(doc);
    program_free(&p);
    runs_expect(&p, "cd $D && $BIN gpu profile --brief --report path -o path -- true", 0);
    runs_word(p.out, "next: rooftop report");
    assert_null(strstr(p.out, "wrote"));
    program_free(&p);
}

TEST(a_dry_run_prints_what_a_run_runs)
{
    struct program p, q;
    runs_expect(
        &p, "cd $D && $BIN profile --dry-run --gpu gfx942 -o dry --att gemm -- ./a.out 'b c'", 0);
    runs_expect(
        &q, "cd $D && $BIN profile --dry-run --gpu gfx942 -o dry --att gemm -- ./a.out 'b c'", 0);
    assert_string_equal(p.out, q.out);
    runs_word(p.out, "/rocprofv3 --kernel-trace --hip-trace --hsa-trace --memory-copy-trace "
                     "--marker-trace --output-format rocpd --output-directory ");
    runs_word(p.out, "/dry/base -- ./a.out 'b c'\n");
    runs_word(p.out, "/dry/counters-3.txt: pmc: SQ_");
    runs_word(p.out, " --att --kernel-include-regex gemm --output-directory ");
    program_free(&p);
    program_free(&q);
    runs_line("[ ! -e $D/dry ] && echo no >&2", 0, "no");
    runs_expect(&p, "PATH=$PLAIN_PATH $BIN profile --dry-run -o $D/dry -- ./a.out", 0);
    runs_word(p.out, "planned for the GPU in the base profile");
    program_free(&p);
    runs_expect(&p, "PATH=$D/nvidia:$PATH $BIN profile --dry-run --tool nsys -o $D/dry -- ./a.out",
                0);
    runs_word(p.out, "/nsys profile --trace=cuda,nvtx,osrt --force-overwrite=true --output ");
    runs_word(p.out, "/nsys export --type sqlite --force-overwrite=true --output ");
    program_free(&p);
}

TEST(reports_are_those_of_the_commands)
{
    struct program p, q;
    runs_expect(&p, "cd $D && $BIN profile -o rep --format json -- echo hello", 0);
    runs_word(p.err, "hello\n"); /* stdout has only the document */
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    assert_string_equal(cJSON_GetObjectItem(j, "schema")->valuestring, "rooftop.path/1");
    cJSON_Delete(j);
    runs_expect(&q, "cd $D && $BIN path --format json rep", 0);
    assert_string_equal(p.out, q.out);
    program_free(&p);
    program_free(&q);
    runs_expect(&p, "cd $D && $BIN profile -o rep --replace --report tree --counters none -- true",
                0);
    runs_word(p.out, "gemm  grid ");
    program_free(&p);
    runs_expect(&p,
                "cd $D && $BIN profile -o rep --replace --headless --view path --counters none"
                " --size 100x30 -- true",
                0);
    runs_word(p.out, "gemm(float*, float*)");
    program_free(&p);
    runs_expect(&p,
                "cd $D && $BIN profile -o rep --replace --view path --format svg --counters none"
                " -- true",
                0);
    assert_int_equal(strncmp(p.out, "<svg", 4), 0);
    program_free(&p);
    runs_expect(
        &p, "cd $D && $BIN profile -o rep --replace --report export --counters none -- true", 0);
    runs_word(p.out, "\"traceEvents\"");
    program_free(&p);
    runs_expect(&p, "cd $D && $BIN ./rep --headless --view tree --size 120x30", 0);
    runs_word(p.out, "axpy");
    program_free(&p);
}

/* On a terminal the result is opened at once. */
TEST(on_a_terminal_the_dashboard_opens)
{
    const char *const argv[] = {
        program_rooftop(), "profile", "-o", runs_path("tty"), "--", "true", NULL};
    struct pty t;
    program_needed();
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv, .cols = 120, .rows = 40}), 0);
    assert_true(pty_until_text(&t, "gemm"));
    pty_keys(&t, "q");
    assert_true(pty_until_state(&t, PTY_GONE));
    assert_true(WIFEXITED(t.status) && WEXITSTATUS(t.status) == 0);
    pty_end(&t);
}

TEST(folders_are_not_overwritten)
{
    runs_line("mkdir $D/mine && echo x >$D/mine/file; $BIN profile -o $D/mine -- true", 7,
              "already there");
    runs_line("$BIN profile --replace -o $D/mine -- true", 7,
              "no folder that rooftop gpu profile made");
    runs_line("cat $D/mine/file >&2", 0, "x");
    runs_line("$BIN profile --counters none -o $D/again -- true", 0, "complete: 1 of 1");
    runs_line("$BIN profile --counters none -o $D/again -- true", 7, "--replace");
    runs_line(
        "ln -s $D/mine $D/again/link; $BIN profile --counters none --replace -o $D/again -- true",
        0, "complete: 1 of 1");
    runs_line("cat $D/mine/file >&2", 0, "x"); /* links are not followed */
    runs_line("$BIN profile -o $D/no/such/place -- true", 7, "No such file");
    runs_line("$BIN profile -o $D/100% -- true", 2, "100%");
}

TEST(bad_lists_are_told_before_anything_runs)
{
    runs_line("$BIN profile -o $D/b --counters SQ_WAVE -- true", 2, "did you mean SQ_WAVES?");
    runs_line("$BIN profile -o $D/b --counters FETCH_SIZE -- true", 2, "FETCH_SIZE");
    runs_line("$BIN profile -o $D/b --att '(' -- true", 2, "no regular expression");
    runs_line("$BIN profile -o $D/b --gpu gfx803 -- true", 2, "gfx803");
    runs_line("$BIN profile -o $D/b --tool perf -- true", 2, "perf");
    runs_line("PATH=$D/nvidia:$PATH $BIN profile -o $D/b --tool nsys --counters roofline -- true",
              2, "--counters");
    runs_line("$BIN profile -o $D/b", 2, "no command");
    runs_line("$BIN profile x", 2, "no command");
    runs_line("$BIN profile -o $D/b --report bricks --format dot -- true", 2, "text json csv");
    runs_line("$BIN profile -o $D/b --format folded -- true", 2, "not written as folded");
    runs_line("[ ! -e $D/b ] && echo none >&2", 0, "none");
    /* a counter of another GPU than the one found: the profile is kept without counters */
    runs_line("$BIN profile -o $D/b --counters TCC_EA_RDREQ -- true", 0, "no counter of gfx942");
    runs_line("FAKE_GPU=gfx803 $BIN profile -o $D/b2 -- true", 0, "'gfx803' are not known");
}

TEST(without_a_profiler_it_is_said_which)
{
    struct program p;
    runs_expect(&p, "ROCM_PATH= CUDA_HOME= PATH=$PLAIN_PATH $BIN profile -o $D/t -- true", 6);
    assert_int_equal(program_lines(p.err), 1);
    runs_word(p.err, "ROCm 6.2");
    runs_word(p.err, "PATH");
    program_free(&p);
    runs_expect(&p, "$BIN doctor --format json", 0);
    runs_word(p.out, "/tools/rocprofv3");
    runs_word(p.out, "CUDA_HOME, /usr/local/cuda"); /* nsys is not installed */
    program_free(&p);
    runs_line("PATH=$PLAIN_PATH $BIN profile --tool rocprofv3 -o $D/t -- true", 6,
              "rocprofv3: not found");
    runs_line("PATH=$PLAIN_PATH $BIN profile --tool nsys -o $D/t -- true", 6, "nsys: not found");
    runs_line("mkdir -p $D/rocm/bin; ln -sf $D/tools/rocprofv3 $D/rocm/bin; PATH=$PLAIN_PATH "
              "ROCM_PATH=$D/rocm $BIN profile --counters none -o $D/t -- true",
              0, "complete: 1 of 1");
}

TEST(rocm_6_writes_csv)
{
    struct trace t;
    runs_line(
        "cd $D && FAKE_ROCM=6.4.1 FAKE_LOG=$D/log6 $BIN profile -o six --counters occupancy -- "
        "true",
        0, "complete: 2 of 2 passes");
    runs_line("grep -c -- '--output-format csv' $D/log6 >&2", 0, "2");
    look_open(&t, runs_path("six"));
    assert_int_equal(t.nnotes, 0);
    runs_assert_joined(&t, "SQ_WAVES", NULL);
    trace_free(&t);
}

TEST(nsys_is_exported_and_opened)
{
    struct program p;
    runs_line("cd $D && PATH=$D/nvidia:$PATH $BIN profile --tool nsys -o ns -- sh -c 'exit 4'", 4,
              "complete: 2 of 2 passes");
    runs_expect(&p, "$BIN tree $D/ns", 0);
    runs_word(p.out, "add_one");
    program_free(&p);
    /* nsys is the only profiler there */
    runs_line("cd $D && PATH=$D/nvidia:$PLAIN_PATH $BIN profile -o ns4 -- true", 0,
              "2 of 2 passes");
    runs_line(
        "cd $D && FAKE_FAULTS='export:fail' PATH=$D/nvidia:$PATH $BIN profile --tool nsys -o ns2 "
        "-- true",
        6, "nsys export --type sqlite");
    runs_line(
        "cd $D && FAKE_FAULTS='base:nothing' PATH=$D/nvidia:$PATH $BIN profile --tool nsys -o ns3 "
        "-- true",
        6, "nothing to open");
}

TEST(a_thread_trace_stands_beside)
{
    struct program p;
    runs_line("cd $D && $BIN profile -o att --counters none --att 'gemm' -- true", 0,
              "complete: 2 of 2");
    runs_expect(&p, "$BIN att $D/att/att", 0);
    assert_true(p.out_len > 100);
    program_free(&p);
    runs_expect(&p, "$BIN $D/att --headless --view att --size 120x30", 0);
    runs_word(p.out, "v_");
    program_free(&p);
    runs_expect(&p, "$BIN $D/att --headless --view tree --size 120x30", 0);
    runs_word(p.out, "gemm");
    program_free(&p);
    runs_line(
        "cd $D && FAKE_FAULTS='att:nothing' $BIN profile -o att2 --counters none --att x -- true",
        6, "no decoded trace");
    runs_expect(&p, "$BIN path $D/att", 0);
    assert_string_equal(p.err, "");
    program_free(&p);
}

int main(int argc, char **argv)
{
    int status;
    if (fake_profilers_main(argc, argv, &status))
        return status;
    return tests_run(runs_begin, runs_end);
}
