/* Hints about functions of a profile that have no names. */
#include <string.h>

#include "engine/functions/hot_hint.h"
#include "support/test.h"

enum { START, MAIN, WORK, ANON, VM, KERNEL, MAIN_LOOP, STRIPPED, SYMBOLS };
static struct hot_symbol symbols[SYMBOLS];
static struct hot_node nodes[16];
static struct hot_stacks p;

FIXTURE(setup)
{
    const struct hot_symbol made[SYMBOLS] = {
        [START] = {.name = "__libc_start_call_main", .module = "libc.so.6"},
        [MAIN] = {.name = "main", .module = "java"},
        [WORK] = {.name = "work", .module = "a.out"},
        [ANON] = {.name = "0x7f00", .module = "[anon]", .where = HOT_UNKNOWN},
        [VM] = {.name = "JavaThread::run()", .module = "libjvm.so"},
        [KERNEL] = {.name = "do_syscall_64", .module = "[kernel]", .where = HOT_KERNEL},
        [MAIN_LOOP] = {.name = "main_loop", .module = "a.out"},
        /* a file without symbols is not code of a run-time compiler */
        [STRIPPED] = {.name = "0x1234", .module = "libx.so", .where = HOT_UNKNOWN},
    };
    memcpy(symbols, made, sizeof made);
    p = (struct hot_stacks){
        .callgraph = CALLGRAPH_FP, .symbols = symbols, .nsymbols = SYMBOLS, .nodes = nodes};
}

static int32_t frame(int32_t parent, uint32_t symbol, uint32_t self)
{
    nodes[p.nnodes] = (struct hot_node){parent, symbol, self};
    p.samples += self;
    return (int32_t)p.nnodes++;
}

TEST_WITH(well_built_programs_get_no_hint, setup, NULL)
{
    struct hot_hint h;
    int32_t start = frame(-1, START, 0), root = frame(start, MAIN, 5);
    frame(root, WORK, 90);
    frame(root, STRIPPED, 20);
    frame(-1, KERNEL, 10);
    hot_hint(&p, &h);
    assert_float_equal(h.nameless.v, 0, 1e-9);
    assert_float_equal(h.cut.v, 0, 1e-9);
    assert_string_equal(h.text, "");
}

TEST_WITH(nameless_code_names_the_runtimes_own_way, setup, NULL)
{
    struct hot_hint h;
    int32_t start = frame(-1, START, 0), run = frame(start, VM, 10);
    frame(run, ANON, 30);
    frame(start, WORK, 60);
    hot_hint(&p, &h);
    assert_float_equal(h.nameless.v, 30, 1e-9);
    assert_string_equal(h.runtime, "java");
    assert_non_null(strstr(h.text, "30 % in code compiled at run time"));
    assert_non_null(strstr(h.text, "-XX:+PreserveFramePointer"));
    symbols[VM].module = "libpython3.12.so.1.0";
    hot_hint(&p, &h);
    assert_non_null(strstr(h.text, "python -X perf"));
    symbols[VM].module = "node";
    hot_hint(&p, &h);
    assert_non_null(strstr(h.text, "node --perf-basic-prof"));
    symbols[VM].module = "mystery";
    hot_hint(&p, &h);
    assert_null(h.runtime);
    assert_non_null(strstr(h.text, "/tmp/perf-PID.map"));
}

TEST_WITH(little_is_not_worth_a_line, setup, NULL)
{
    struct hot_hint h;
    int32_t start = frame(-1, START, 0);
    frame(start, ANON, 4);
    frame(-1, WORK, 19);
    frame(start, WORK, 77);
    hot_hint(&p, &h);
    assert_float_equal(h.nameless.v, 4, 1e-9);
    assert_float_equal(h.cut.v, 19, 1e-9);
    assert_string_equal(h.text, "");
}

/* "main_loop" is not a start although it begins like one; everything below a cut root is cut. */
TEST_WITH(stacks_that_end_early_say_how_to_complete_them, setup, NULL)
{
    struct hot_hint h;
    int32_t root = frame(-1, MAIN_LOOP, 10);
    frame(root, WORK, 40);
    frame(frame(-1, START, 0), WORK, 50);
    hot_hint(&p, &h);
    assert_float_equal(h.cut.v, 50, 1e-9);
    assert_non_null(strstr(h.text, "--call-graph dwarf"));
    assert_non_null(strstr(h.text, "-fno-omit-frame-pointer"));
    p.callgraph = CALLGRAPH_DWARF;
    hot_hint(&p, &h);
    assert_null(strstr(h.text, "--call-graph dwarf"));
    assert_non_null(strstr(h.text, "unwind information"));
    p.callgraph = CALLGRAPH_NONE;
    hot_hint(&p, &h);
    assert_int_equal(h.cut.validity, VALUE_MISSING);
    assert_string_equal(h.text, "");
}

TEST_WITH(nothing_sampled, setup, NULL)
{
    struct hot_hint h;
    hot_hint(&p, &h);
    assert_int_equal(h.nameless.validity, VALUE_MISSING);
    hot_hint(NULL, &h);
    assert_string_equal(h.text, "");
}
