/* Every kind of document, written by the program, fits its published schema:
 * docs/documents.schema.json, docs/snapshot.schema.json. documents.py judges, with a validator that
 * is not ours. A kind of which no line here writes a document fails. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rooftop/brick.h"
#include "support/code_made.h"
#include "support/fake_profilers/fake.h"
#include "support/made_capture.h"
#include "support/profile_runs.h"
#include "support/skip.h"
#include "support/test.h"

/* In the shell lines: D is the working folder, T tests/data, C a capture. */
#define CHROME "$T/chrome/"
#define ROCPD  "$T/rocpd/synthetic_schema3.db"
#define FAKE   "ROOFTOP_SELF=$TOP/tests/support/fake_replay/rooftop $BIN replay "

static const struct row {
    const char *command; /* of rooftop, with --format json; NULL: line is all of it */
    const char *line;
} rows[] = {
    {"--headless", "-d 0.05"},
    {"--headless", "--frames 2 -d 0.05 --functions --threads -- sleep 0.1"},
    {"--headless", "-r 2 -- ./prog"},
    {"--headless", "--view syscalls run.json"},
    {"--headless", "--view replay -d 0.05"},
    {"tree", CHROME "two_programs.json"},
    {"tree", CHROME "browser.json"},
    {"tree", "--calls " CHROME "kineto_cuda.json"},
    {"tree", "made.bricks"},
    {"tree", "--calls made.bricks"},
    {"tree", "--calls run.json"},
    {"tree", "--syscalls -- ./prog"},
    {"tree", "--brick-counters cycles,page-faults -- ./prog"},
    {"export", CHROME "kineto_steps.json"},
    {"path", CHROME "two_programs.json"},
    {"path", "--what-if gemm=2 " CHROME "two_programs.json " CHROME "kineto_cuda.json"},
    {"path", "made.bricks"},
    {"path", "run.json"},
    {"path", "--syscalls -- ./prog"},
    {"path", "--brick-counters cycles,page-faults -- ./prog"},
    {"bricks", "made.bricks"},
    {"bricks", CHROME "browser.json"},
    {"bricks", "--syscalls -- ./prog"},
    {"bricks", "--brick-counters cycles,page-faults -- ./prog"},
    {"timeline", CHROME "kineto_hip.json"},
    {"timeline", "--from 1us --to 9us " CHROME "kineto_cuda.json"},
    {"timeline", "--syscalls -- ./prog"},
    {"timeline", "run.json"},
    {"kernels", ROCPD},
    {"kernels", "--group shape " CHROME "kineto_cuda.json"},
    {"kernels", CHROME "kineto_steps.json"},
    {"kernels", CHROME "browser.json"},
    {"report", ROCPD},
    {"report", "--brief " ROCPD},
    {"export", "--brief=json -o made.json " ROCPD},
    {"report", "$T/session/frames-4.rooftop"},
    {"report", "--brief $T/att"},
    {"report", "$T/gpu/hsaco/typed.gfx942.v5.hsaco"},
    {"report", "$C"},
    {"report", "run.json"},
    {"path", "--brief " ROCPD},
    {"report", CHROME "browser.json"},
    {"report", CHROME "kineto_steps.json " CHROME "two_programs.json"},
    {"report", "--range ProfilerStep#10 " CHROME "kineto_steps.json"},
    {"steps", CHROME "kineto_steps.json"},
    {NULL,
     "printf '#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done; shift 2; exec \"$@\"' >ssh; chmod "
     "+x ssh; "
     "ROOFTOP_SSH=./ssh $BIN --host a,b,c,d,e --host-rooftop $BIN --headless --format json -d 0.2"},
    {"ranks", CHROME "kineto_cuda.json " ROCPD},
    {NULL, "$BIN job -o ranks -- true 2>/dev/null; cat ranks/rank-00000/summary.json"},
    {"compare", "$T/job $T/job"},
    {"report", "$T/job"},
    {NULL, "RANK=1 WORLD_SIZE=3 $BIN job -o ranks2 -- false 2>/dev/null; $BIN ranks --format json "
           "ranks2"},
    {"ranks", "$TOP/tests/fuzz/corpus/flight/protocol_2.pickle "
              "$TOP/tests/fuzz/corpus/flight/protocol_4.pickle"},
    {"roofline", ROCPD},
    {"roofline", "--per dispatch " ROCPD},
    {"roofline", CHROME "browser.json"},
    {"roofline", "made.bricks"},
    {"roofline", "-- ./prog"},
    {"compare", ROCPD " " CHROME "kineto_cuda.json"},
    {"compare", "a.json b.json"},
    {"bench", "--runs 1 -- true"},
    {"bench", "--for 0.2 --cpu-time -- true -- cat /dev/null"},
    {"bench", "--for 0.2 --any-status --no-store -- true -- false"},
    {"bench", "--runs 3 --duet --no-store -- true -- true"},
    {NULL, "for i in $(seq 40); do f=h$i.json; v=$((i / 25 "
           "+ 1)).$i && "
           "echo '{\"results\":[{\"command\":\"x\",\"median\":'$v',\"times\":['$v']}]}' >$f && "
           "touch -d \"2026-01-01 $i minutes\" $f; done; $BIN history --import h*.json >&2; "
           "$BIN history --format json"},
    {NULL, "$BIN bench --runs 2 -- true >&2 && $BIN history compare --format json true"},
    {"code", "made.bricks"},
    {"code", "--hash 3d6ad7f40bcca138 made.bricks"},
    {"code-object", "$T/gpu/hsaco/reduce.gfx942.v5.hsaco"},
    {"code-object", "--disassemble $T/gpu/hsaco/reduce.gfx942.v5.hsaco"},
    {"code-object", "--disassemble $T/gpu/hsaco/typed.gfx942.v5.hsaco"},
    {NULL, "PATH=/nowhere; $BIN code-object --disassemble --gpu gfx942 --format json "
           "$T/gpu/hsaco/two.v3.ccob"},
    {"att", "$T/att"},
    {"doctor", ""},
    {"events", "cache"},
    {"events", "nothing-like-that || true"},
    {"usdt", "$BIN"},
    {"lab validate", ""},
    {"lab ports", "-- true"},
    {"lab ports", "./prog:main"},
    {"lab ports", "./prog:main --mcpu nosuch"},
    {"lab ports", "./prog:main -- ./prog"},
    {"lab roofs", "--stored"},
    {"trace", "-f -o out -- sh -c 'cat /nowhere; exit 3' 2>/dev/null; cat out"},
    {"trace", "-k --source -o out -- ./prog; cat out"},
    {"trace", "-k -o out -- sh -c 'head -c 100000 /dev/zero; kill -TERM $$' >/dev/null; cat out"},
    {"trace", "-c -o out -- ./prog; cat out"},
    {"trace", "--function-time -o out -- ./prog; cat out"},
    {"assert", "-o out $T/../../renacer.toml -- sort -n prog.c >/dev/null; cat out"},
    {"assert", "-o out $T/renacer/trueno.toml run.json; cat out"},
    {NULL, "$BIN golden capture sort -- sort -n prog.c >/dev/null && cat golden_traces/sort.json"},
    {NULL, "$BIN golden capture echo -- sh -c 'echo $$' >/dev/null && cat golden_traces/echo.json"},
    {"judge", "--harness saxpy.toml --baseline saxpy.c --candidate slow.c --for 2"},
    {"judge", "--harness saxpy.toml --baseline saxpy.c --candidate wrong.c"},
    {"judge", "--run 'sh {}' --baseline true.sh --candidate true.sh --for 1"},
    {"judge", "--capture-dir $C --baseline captured --candidate saxpy.c"},
    {"capture", "--kernel x -- true"},
    {"replay full-vm", "--capture-dir $C --agent 99"},
    {NULL, FAKE "full-vm --capture-dir $C --json --verify"},
    {NULL, "FAKE_REPLAY=fault " FAKE "full-vm --capture-dir $C --json || true"},
    {NULL, FAKE "compare --capture-dir $C --json captured saxpy.c"},
    {NULL, FAKE "reserve-check --capture-dir $C --json"},
    {NULL, FAKE "edit --capture-dir $C --source true.sh --once --build 'cp {source} {out}' --json"},
    {NULL, FAKE "edit --capture-dir $C --source true.sh --once --build 'exit 4' --json || true"},
    {"reproduce", "--capture-dir $C -o made --source saxpy.c"},
    {"optimize",
     "slow.c --harness saxpy.toml --no-store --each 0.1 --max-iters 2 --proposer 'command:cp "
     "slow.c.optimize/progress.json progress.json; cat saxpy.c'"},
    {NULL, "cat slow.c.optimize/log.jsonl"},
    {NULL, "cat slow.c.optimize/0001/question.json"},
    {NULL, "cat progress.json"},
    {"optimize",
     "slow.c --harness saxpy.toml --no-store --folder broken --each 0.1 --max-iters 2 --tries 9 "
     "--proposer 'command:cat >question; echo rubbish'"},
    {NULL, "cat question"},
    {NULL, "$BIN profile -o profile -- true >&2 && cat profile/profile.json"},
    {NULL, "$BIN profile -o failed -- sh -c 'kill $$' >&2; cat failed/profile.json"},
};

static struct made_capture capture;

/* --- the inputs --- */

/* In a program of its own: everything that librooftop can record. */
static void record_bricks(void)
{
    static const char ptx[] = ".version 8.0\n.entry gemm_tiled {}";
    static const uint32_t grid[3] = {32, 1, 1}, block[3] = {256, 1, 1};
    const uint64_t hash = rooftop_code(ROOFTOP_PTX, "gemm_tiled", "gemm.ptx", ptx, strlen(ptx));
    const rooftop_id brick = rooftop_brick("gemm");
    rooftop_task task = rooftop_task_new("read");
    rooftop_timer t = rooftop_start(rooftop_backend("AVX2", 1e12, 1e11, "data sheet"));
    rooftop_timer layer = rooftop_start(rooftop_layer(0)), poll = rooftop_poll_start(&task);
    rooftop_poll_stop(&task, poll, 1);
    rooftop_budget(brick, 1);
    for (int i = 0; i < 3; i++) {
        rooftop_timer b = rooftop_start(brick);
        rooftop_stop_work(b, 100, 4000, 8000);
    }
    const uint64_t now = 1000000,
                   a = rooftop_span(rooftop_kernel("k", hash, grid, block, 16), now, now + 100, 0,
                                    0, 0),
                   c = rooftop_span(rooftop_transfer(ROOFTOP_DEVICE_TO_HOST, "GPU 0", "host"),
                                    now + 100, now + 200, 0, 4096, 0);
    rooftop_depends(a, c);
    rooftop_span(rooftop_function("f", "f.c", 3), now, now + 50, 0, 0, 0);
    rooftop_stop(layer, 0);
    rooftop_stop(t, 0);
    rooftop_code(ROOFTOP_SPIRV, "elsewhere", "k.spv", NULL, 0);
}

static const char inputs[] =
    "cd $D && cp *.bricks made.bricks && "
    "printf '%s' '#include <rooftop/brick.h>\n"
    "#include <stdio.h>\n"
    "int main(void) {\n"
    "    volatile double x = 1;\n"
    "    for (int pass = 0; pass < 2; pass++) {\n"
    "        rooftop_timer layer = rooftop_start(rooftop_layer(0));\n"
    "        rooftop_timer t = rooftop_start(rooftop_brick(\"gemm\"));\n"
    "        for (int i = 0; i < 300000; i++)\n"
    "            x = x * 1.0000001 + 1e-9;\n"
    "        remove(\"/nowhere\");\n"
    "        rooftop_stop_work(t, 1, 8, 600000);\n"
    "        rooftop_stop(layer, 0);\n"
    "    }\n"
    "    return 0;\n"
    "}\n' >prog.c && "
    "cc -O1 -g -I$TOP/include prog.c $TOP/$BUILD/librooftop.a -pthread $SANITIZER -o prog && "
    "cp $T/judge/saxpy.toml . && cp $T/judge/baseline.c saxpy.c && "
    "sed 's/a \\* x/x/' saxpy.c >wrong.c && sed 's/k < 200;/k < 2000;/' $T/judge/slow.c >slow.c && "
    "echo true >true.sh && "
    /* roofs that were measured on this host, for all that rooftop knows */
    "host() { sed -n \"s/^$1[^:]*: *//p\" /proc/cpuinfo | head -1; } && "
    "cpu=$(host 'model name') && mkdir -p $XDG_STATE_HOME/rooftop && "
    "governor=$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null; true) && "
    "sed \"s/AMD EPYC/${cpu:-$(host 'CPU part')}/; s/0x1000065/$(host microcode)/; "
    "s/\\(governor.*\\)\"\"/\\1\"$governor\"/\" $T/roofs/zen4-2cpus.json "
    ">$XDG_STATE_HOME/rooftop/host_roofs.json && "
    "$BIN trace -f --format json -o run.json -- sh -c 'cat /dev/null | cat' && "
    "for f in a b; do $BIN --headless -r 2 --format json -o $f.json -- ./prog; done";

static int begin(void **state)
{
    char top[4096];
    if (runs_begin(state) != 0 || !getcwd(top, sizeof top))
        return -1;
    setenv("TOP", top, 1);
    setenv("XDG_STATE_HOME", runs_path("state"), 1);
    setenv("T", strcat(top, "/tests/data"), 1);
    if (!getenv("BUILD"))
        setenv("BUILD", "build/release", 1);
#if defined(__SANITIZE_ADDRESS__)
    setenv("SANITIZER", "-fsanitize=address,undefined", 1);
#endif
    size_t size;
    uint8_t *code = code_file("typed.gfx942.v5.hsaco", &size);
    made_capture_make(&capture);
    made_capture_replace(&capture, "kernel.hsaco", code, size);
    made_capture_change(&capture, "dispatch.json", "_Z5scalePfS_fj", "_Z8indirectPFvPfES_");
    free(code);
    setenv("C", capture.dir, 1);
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        const char *dir = getenv("D");
        if (!dir || setenv("ROOFTOP_BRICKS", dir, 1) != 0)
            exit(1);
        record_bricks();
        exit(0);
    }
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static int end(void **state)
{
    made_capture_remove(&capture);
    return runs_end(state);
}

/* --- */

TEST(every_document_fits_its_schema)
{
    struct program p;
    char line[1024];
    unsigned wrong = 0;
    runs_expect(&p,
                "for p in python3 /usr/bin/python3; do $p -c 'import jsonschema' && echo $p && "
                "exit; done; true",
                0);
    p.out[strcspn(p.out, "\n")] = '\0';
    if (!*p.out)
        skip_because("no python3 here has jsonschema (python3-jsonschema)");
    setenv("PYTHON", p.out, 1);
    program_free(&p);
    runs_expect(&p, inputs, 0);
    program_free(&p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        snprintf(line, sizeof line,
                 "cd $D && mkdir -p documents && { %s%s%s %s; } >documents/%02zu.json",
                 r->command ? "$BIN " : "", r->command ? r->command : "",
                 r->command ? " --format json" : "", r->line, i);
        program_run(&p, line);
        /* 5, 6: not allowed or not possible here; 9: the answer is no */
        if (p.status != 0 && p.status != 5 && p.status != 6 && p.status != 9) {
            fprintf(stderr, "%s: exit %d\n%s", line, p.status, p.err);
            wrong++;
        }
        program_free(&p);
    }
    assert_int_equal(wrong, 0);
    runs_expect(&p, "$PYTHON tests/cli/documents.py src $D/documents/*", 0);
    print_message("%s", p.out);
    program_free(&p);
}

int main(int argc, char **argv)
{
    int status;
    if (fake_profilers_main(argc, argv, &status))
        return status;
    return tests_run(begin, end);
}
