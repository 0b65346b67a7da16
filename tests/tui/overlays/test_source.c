/* The source of kernels and functions beside the tree, from a file that librooftop wrote.
 * Not for TSan: one thread records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <poll.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/code_made.h"
#include "support/stage.h"
#include "support/test.h"

static const char ptx[] = ".visible .entry saxpy(\n"
                          "\t.param .u64 x /* in */\n"
                          ")\n"
                          "{ // body\n"
                          "\tld.param.u64 %rd1, [x];\n"
                          "\tret;\n"
                          "}\n";

static struct stage s;

/* The kernel of this program, which is disassembled. */
__attribute__((noinline)) int host_kernel(int x);
int host_kernel(int x)
{
    return x * 3 + 1;
}

static void span(rooftop_id id)
{
    rooftop_stop(rooftop_start(id), 1);
}

static void record(void)
{
    uint32_t one[3] = {1, 1, 1};
    rooftop_timer pass = rooftop_start(rooftop_function("record", __FILE__, __LINE__));
    span(rooftop_kernel("saxpy", rooftop_code(ROOFTOP_PTX, "saxpy", "k.ptx", ptx, strlen(ptx)), one,
                        one, 0));
    span(rooftop_kernel("host_kernel",
                        rooftop_code(ROOFTOP_HOST_CODE, "host_kernel", "gone.c", NULL, 0), one, one,
                        0));
    span(rooftop_kernel("spirv", rooftop_code(ROOFTOP_SPIRV, "spirv", NULL, "\x03\x02\x23\x07", 4),
                        one, one, 0));
    span(rooftop_kernel("unregistered", 77, one, one, 0));
    span(ROOFTOP_RMS_NORM);
    rooftop_stop(pass, 0);
    assert_int_equal(host_kernel(1), 4);
}

FIXTURE(begin)
{
    brick_folder_begin();
    record();
}

FIXTURE(end)
{
    brick_folder_end();
}

FIXTURE(set_up)
{
    struct error err = ERROR_INIT;
    struct programs p = {0};
    struct snapshot *snap = snapshot_new(NULL);
    struct bricks *b = snapshot_alloc(snap, sizeof *b);
    assert_int_equal(programs_add_file(&p, rooftop_path(), &err), 0);
    programs_poll(&p);
    bricks_fill(b, &snap->arena, &p, 1, NULL);
    snap->bricks = b;
    snap->target = "test";
    programs_close(&p);
    stage_open(&s, "vm", 100, 40, 1);
    app_update(s.a, snap);
    snapshot_unref(snap);
    stage_key(&s, '3');
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

static void open_source(const char *name)
{
    stage_key(&s, '/');
    stage_type(&s, name);
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'v');
}

static void wait_for_code(void)
{
    for (int i = 0; i < 600 && !s.a->code.code; i++) {
        struct pollfd p = {app_job_fd(s.a), POLLIN, 0};
        poll(&p, 1, 100);
        app_job_done(s.a);
    }
    stage_look(&s);
}

TEST_WITH(a_registered_text, set_up, tear_down)
{
    open_source("saxpy");
    assert_true(stage_sees(&s, "saxpy  k.ptx"));
    assert_true(stage_sees(&s, ".visible .entry saxpy("));
    assert_true(stage_sees(&s, "ld.param.u64 %rd1, [x];"));
    assert_false(stage_sees(&s, "v instructions")); /* PTX has no machine code */
    stage_key(&s, KEY_ESCAPE);
    assert_true(stage_sees(&s, "RmsNorm"));
}

TEST_WITH(a_functions_file_at_its_line, set_up, tear_down)
{
    open_source("record");
    assert_true(stage_sees(&s, "tests/tui/overlays/test_source.c"));
    assert_true(stage_sees(&s, "rooftop_function(\"record\", __FILE__, __LINE__)"));
    assert_true(stage_sees(&s, "v instructions"));
}

TEST_WITH(host_code_goes_on_to_its_instructions, set_up, tear_down)
{
    needs_disassembler("/proc/self/exe");
    open_source("host_kernel");
    assert_true(stage_sees(&s, "disassembling")); /* its file does not exist here */
    wait_for_code();
    assert_true(stage_sees(&s, "host_kernel  instructions by"));
    assert_true(stage_sees(&s, "ret"));
    stage_key(&s, 'v');
    assert_true(stage_sees(&s, "gone.c: "));
    assert_true(stage_sees(&s, "v instructions"));
}

TEST_WITH(what_is_missing_is_said, set_up, tear_down)
{
    open_source("spirv");
    assert_true(stage_sees(&s, "SPIR-V of 4 bytes"));
    stage_key(&s, KEY_ESCAPE);
    open_source("unregistered");
    assert_true(stage_sees(&s, "registered no code"));
    stage_key(&s, KEY_ESCAPE);
    open_source("RmsNorm");
    assert_true(stage_sees(&s, "told no source"));
}

TEST_WITH(closing_while_it_is_read_is_safe, set_up, tear_down)
{
    for (int i = 0; i < 30; i++) {
        needs_disassembler("/proc/self/exe");
        open_source("host_kernel");
        stage_key(&s, 'v');
        stage_key(&s, i % 2 ? 'v' : KEY_ESCAPE);
        stage_key(&s, KEY_ESCAPE);
    }
    needs_disassembler("/proc/self/exe");
    open_source("host_kernel");
    wait_for_code();
    assert_true(s.a->code.code != NULL);
}

TEST_MAIN(begin, end)
