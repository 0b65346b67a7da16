// rooftop optimize on captured dispatches: what is wrong or cheats is refused, what costs less
// wins, and the log says so. The metric is modelled, so verdicts are the same on every machine.
// (Forks: not for TSan.)
#include "support/gpu.h"
#include "support/scene.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA "tests/data/optimize/gpu/"
#define COMPILE                                                                                    \
    "$CLANG -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx942 -nogpulib "     \
    "-nogpuinc -I$KERNELS {source} -o {out}"
// k.hip is made anew; what is proposed: the words behind.
#define BEGIN "cd $D && rm -rf k.hip* && cp $P/" DATA "twice.hip k.hip && "
#define OPTIMIZE                                                                                   \
    "$ROOFTOP optimize k.hip --capture-dir vector_add --no-store --each 2 --build \"" COMPILE      \
    " -O3\" "
#define PROPOSE(words) "--proposer 'command:exec sh $P/" DATA "propose.sh " words "' "

static int begin(void **state)
{
    struct program p;
    if (scene_begin(state))
        return -1;
    scene_run(&p, "printf %%s \"$PWD\"");
    setenv("P", p.out, 1);
    program_free(&p);
    scene_run(&p, "printf %%s \"$PWD/tests/platform/gpu/kernels\"");
    setenv("KERNELS", p.out, 1);
    program_free(&p);
    return 0;
}

// Also makes the captures, once.
static bool skipped(void)
{
    static bool captured;
    const bool cannot = !*scene_clang() || !scene_has_vmem() || gpu_is_real();
    if (cannot)
        print_message("skipped: optimize: it needs a clang for amdgcn, and the emulated gfx942 "
                      "with ROCm 6's runtime\n");
    if (!cannot && !captured) {
        expect(0, NULL,
               "$PLAIN capture --kernel vector_add --post -o $D/vector_add -- $APP vector_add");
        expect(0, NULL,
               "$PLAIN capture --kernel matmul_tiled --post -o $D/matmul_tiled -- $APP matmul");
    }
    captured = true;
    return cannot;
}

static bool has_libclang(void)
{
    struct program p;
    scene_run(&p, "$PLAIN optimize a.c --run '{}' --function f --proposer unroll --dry-run");
    const bool has = p.status == 0;
    program_free(&p);
    if (!has)
        print_message("skipped: built-in proposers: libclang is not installed\n");
    return has;
}

TEST(test_honest_one_wins)
{
    if (skipped())
        return;
    expect(0, "gain by a model: the source costs 1.2",
           BEGIN OPTIMIZE "--apply " PROPOSE("wrong,cheat,honest"));
    expect(0, NULL, "cd $D && ! grep -q volatile k.hip && cmp k.hip.orig $P/" DATA "twice.hip");
    expect(0, "\"target\":\"capture\"", "head -1 $D/k.hip.optimize/log.jsonl");
    // the compiler marks each build, by the name of its output
    expect(
        0,
        "two builds of it differ only in what nothing reads, as the mark of a module; the first ",
        "grep '\"kind\":\"baseline\"' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"guard\":\"output\",\"evidence\":\"",
           "grep '\"number\":1,' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"guard\":\"stale\",\"evidence\":\"",
           "grep '\"number\":2,' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"outcome\":\"faster\"", "grep '\"number\":3,' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"cold\":[0.8", "grep '\"number\":3,' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"metric\":\"modelled\"", "grep '\"number\":3,' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"kind\":\"confirmation\"", "grep '\"number\":3,' $D/k.hip.optimize/log.jsonl");
    expect(0, "\"block\":\t[128, 1, 1]", "cat $D/k.hip.optimize/0003/question.json");
}

TEST(test_built_in_proposers)
{
    if (skipped() || !has_libclang())
        return;
    expect(0, "faster: 0.",
           "cd $D && cp $P/" DATA "loop.hip . && $ROOFTOP optimize loop.hip --capture-dir "
           "vector_add --no-store --each 2 --max-iters 1 --tolerance f32,rel=1e-6 --proposer "
           "unroll --build \"" COMPILE " -O1\"");
    // what promises is asked only where it is named, and says what it promises
    expect(9, "promises that no block is larger than the captured 128 work-items)",
           BEGIN OPTIMIZE "--max-iters 1 --proposer launch-bounds");
    expect(0, NULL,
           "grep -q 'flat_work_group_size(1, 128))) vector_add' $D/k.hip.optimize/0001/k.hip");
    expect(9, "proposer   pragma", BEGIN OPTIMIZE "--dry-run | grep proposer; exit 9");
    expect(1, NULL, BEGIN OPTIMIZE "--dry-run | grep launch-bounds");
}

// Waits up to 90 s until a command of the shell succeeds.
#define UNTIL(command)                                                                             \
    "i=0; until " command " 2>/dev/null; do i=$((i + 1)); [ $i -lt 1800 ] || exit 9; "             \
    "sleep 0.05; done; "

// Pairs that never decide are told as long as they are taken: in progress.json, on the dashboard
// and on the terminal. The run ends by an interrupt.
TEST(test_pairs_are_told)
{
    struct program p;
    if (skipped())
        return;
    program_run(&p, "command -v script");
    const bool terminal = p.status == 0;
    program_free(&p);
    if (!terminal) {
        print_message("skipped: optimize: pairs on a terminal: there is no script(1)\n");
        return;
    }
    expect(0, NULL,
           "cd $D && rm -rf k.hip* && cp $P/" DATA "unsteady.hip k.hip && cat >run.sh <<'END'\n"
           "stty cols 200\nunset CI\nexport TERM=xterm\necho $$ >pid\nexec $ROOFTOP optimize k.hip "
           "--capture-dir vector_add "
           "--no-store --each 300 --for 300 --min-gain 0.0000001%% --confidence 99.9999%% "
           "--build \"" COMPILE " -O3\" " PROPOSE(
               "other") "\nEND\n"
                        "script -qec 'sh run.sh' typescript </dev/null >/dev/null 2>&1 &");
    expect(0, NULL,
           "cd $D; " UNTIL("grep -q '\"doing\":\"pairs\",\"step\":\"candidate\",\"number\":1,"
                           ".*\"low\":[0-9].*\"pairs\":[1-9].*\"metric\":\"modelled\"' "
                           "k.hip.optimize/progress.json"));
    expect(0, NULL,
           "cd $D; " UNTIL("grep -q 'candidate 1 of 20, command: measures pairs: [0-9]* pairs, .* "
                           "between .*, by a model' typescript"));
    expect(0, "running: measures pairs: candidate 1",
           "cd $D && $PLAIN --headless -d 0.2 --view optimize --size 100x30");
    expect(0, NULL,
           "cd $D; kill -TERM \"$(cat pid)\"; " UNTIL(
               "tail -1 k.hip.optimize/log.jsonl | grep -q '\"reason\":\"interrupted\"'"));
}

TEST(test_mistakes)
{
    if (skipped())
        return;
    expect(2, "the capture is of vector_add",
           BEGIN OPTIMIZE "--kernel matmul_tiled " PROPOSE("honest"));
    expect(3, "it has no kernel matmul_tiled",
           BEGIN "$ROOFTOP optimize k.hip --capture-dir matmul_tiled --build \"" COMPILE
                 "\" " PROPOSE("honest"));
    expect(3, "it has no kernel vector_add",
           BEGIN "sed -i s/vector_add/other/ k.hip && " OPTIMIZE PROPOSE("honest"));
    expect(3, "it is no code object",
           BEGIN OPTIMIZE "--build 'cp {source} {out}' " PROPOSE("honest"));
    expect(3, "it does not build", BEGIN OPTIMIZE "--build 'true' " PROPOSE("honest"));
    expect(3, "it does not leave the memory that was captured",
           BEGIN "sed -i 's/a\\[i\\] + b/a[i] - b/' k.hip && " OPTIMIZE PROPOSE("honest"));
    expect(2, "the profile has no kernel 'vector_add'",
           BEGIN OPTIMIZE "--dry-run --evidence $P/tests/data/rocpd/synthetic_schema3.db "
                          "--proposer command:true");
}

// What it is built to may be no code, though the build said that all is well.
TEST(test_candidate_without_code)
{
    if (skipped())
        return;
    expect(
        9, "does not build: build: it is no code object",
        BEGIN
        "$ROOFTOP optimize k.hip --capture-dir vector_add --no-store --max-iters 1 "
        "--allow parse --build \"if grep -q ^TEXT {source}; then cp {source} {out}; else " COMPILE
        "; fi\" " PROPOSE("text"));
}

// In HIP whatever the file is called: what does not build comes back twice, with libclang's words
// or the compiler's.
TEST(test_what_does_not_build_goes_back)
{
    static const char *const ways[][2] = {{"k.hip", ""}, {"k.cu", ""}, {"k.hip", "--allow parse "}};
    if (skipped() || !has_libclang())
        return;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char command[2048];
        snprintf(command, sizeof command,
                 "cd $D && rm -rf k.* && cp $P/" DATA "twice.hip %s && $ROOFTOP optimize %s "
                 "--capture-dir vector_add --no-store --each 2 --max-iters 3 %s--build \"" COMPILE
                 " -O3\" " PROPOSE("broken,broken,honest"),
                 ways[i][0], ways[i][0], ways[i][1]);
        expect(0, "gain by a model: the source costs 1.2", command);
        snprintf(command, sizeof command,
                 "cd $D/%s.optimize && for n in 1 2; do grep '\"number\":'$n, log.jsonl | grep "
                 "'\"outcome\":\"does not build\"'; done && grep -q 'messages.*typo_1' "
                 "0002/question.json && "
                 "grep -q 'messages.*typo_2' 0003/question.json && grep '\"number\":3,' log.jsonl",
                 ways[i][0]);
        expect(0, "\"outcome\":\"faster\"", command);
    }
}

TEST(test_profile_is_told)
{
    if (skipped())
        return;
    expect(0, "told       of vector_add(int *), ",
           BEGIN "LC_ALL=C sed 's/vector_add_kernel/vector_add(int *)/g' "
                 "$P/tests/data/rocpd/babeltrace_test_rocm_database.db >p.db && " OPTIMIZE
                 "--dry-run --evidence p.db --proposer command:true");
}

// A candidate says that it stands in another file, and does not build: that file's line goes
// nowhere.
TEST(test_no_line_of_another_file_goes_out)
{
    if (skipped())
        return;
    expect(
        9, "does not build",
        BEGIN
        "rm -f count asked && cp $P/tests/data/optimize/leaks.sh . && cp k.hip was.hip && printf "
        "'one\\nthe-hidden-word\\n' >secret && " OPTIMIZE
        "--max-iters 2 --allow include,parse --proposer 'command:sh leaks.sh'");
    expect(1, NULL, "grep the-hidden-word $D/asked");
    expect(0, NULL, "grep -q broken_1 $D/asked");
    expect(9, "refused: include: a line with a line marker",
           BEGIN "rm -f count asked && cp k.hip was.hip && " OPTIMIZE
                 "--max-iters 2 --proposer 'command:sh leaks.sh'");
    expect(1, NULL, "grep the-hidden-word $D/asked");
}

TEST(test_interrupted_and_resumed)
{
    if (skipped())
        return;
    expect(130, NULL, "(" BEGIN OPTIMIZE PROPOSE("wrong,stop") "); exit $?");
    expect(0, "\"reason\":\"interrupted\"",
           "cmp $D/k.hip $P/" DATA "twice.hip && tail -1 $D/k.hip.optimize/log.jsonl");
    expect(3, "the target has changed since",
           "cd $D && " OPTIMIZE "--resume --tolerance f32,rel=1e-3 " PROPOSE("wrong,honest"));
    expect(3, "another kind of target",
           "cd $D && $ROOFTOP optimize k.hip --run '{}' --resume " PROPOSE("wrong,honest"));
    expect(0, "gain by a model: the source costs 1.2",
           "cd $D && " OPTIMIZE "--resume " PROPOSE("wrong,honest"));
}

TEST_MAIN(begin, scene_end)
