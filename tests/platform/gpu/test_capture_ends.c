// What becomes of a capture when its program does not live to see the end of it: killed,
// interrupted, ended by a fault; and when the disk has room for memory before the kernel but not
// after it. What is whole on disk is told as captured, what is not by its folder.
#include "base/error.h"
#include "engine/capture/capture.h"
#include "support/gpu.h"
#include "support/scene.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool skipped(void)
{
    if (gpu_is_real())
        print_message("skipped: programs that end: only the emulated GPU fails on demand\n");
    return gpu_is_real();
}

// It can be opened, holds memory before the kernel, and none after it.
static void expect_before_only(const char *folder)
{
    char path[512];
    struct capture *c = NULL;
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/%s", getenv("D"), folder);
    if (capture_open(&c, path, &err) != 0 || capture_verify(c, NULL, NULL, &err) != 0)
        gpu_fail(__FILE__, __LINE__, "%s: %s: %s", path, err.what, err.why);
    assert_false(c->has_after);
    capture_free(c);
}

TEST(test_killed_while_its_kernel_runs)
{
    if (skipped())
        skip();
    expect(137, "captured ",
           END_ONCE "ROOFTOP_EMU_HANG=2 $PLAIN capture --kernel increment --dispatch 1 --post "
                    "--timeout 100 -o $D/killed -- " APP_TOLD "increment -n 3",
           "$D/killed/*/capture_complete", "KILL", "pid");
    expect_before_only("killed");
    expect(0, "\"captured\":\ttrue",
           "rm -r $D/killed; (" END_ONCE
           "ROOFTOP_EMU_HANG=2 $PLAIN capture --kernel increment --format json --timeout 100 "
           "--dispatch 1 -o $D/killed -- " APP_TOLD "increment -n 3) 2>/dev/null; true",
           "$D/killed/*/capture_complete", "KILL", "pid");
}

// As ^C does: every process in the foreground gets the signal.
TEST(test_interrupted_while_its_kernel_runs)
{
    if (skipped())
        skip();
    expect(130, "captured ",
           END_ONCE "ROOFTOP_EMU_HANG=2 setsid -w sh -c 'echo -$$ >$D/group; exec $PLAIN capture "
                    "--kernel increment --dispatch 1 --timeout 100 -o $D/interrupted -- $APP "
                    "increment -n 3'",
           "$D/interrupted/*/capture_complete", "INT", "group");
    expect_before_only("interrupted");
}

TEST(test_fault_that_ends_the_program)
{
    if (skipped())
        skip();
    expect(134, "captured ",
           "ROOFTOP_EMU_PAGE_FAULT=2 $PLAIN capture --kernel increment --dispatch 1 --post "
           "-o $D/fatal -- $APP increment -n 3 -u 1");
    expect_before_only("fatal");
}

// The same without rooftop, which would report it.
TEST(test_fault_of_a_program_captured_by_hand)
{
    if (skipped())
        skip();
    expect(134, "rooftop gpu capture: captured: ",
           "HSA_TOOLS_LIB=$(dirname $PLAIN)/librooftop-capture.so ROOFTOP_CAPTURE_KERNEL=increment "
           "ROOFTOP_CAPTURE_DISPATCH=1 ROOFTOP_CAPTURE_POST=1 ROOFTOP_CAPTURE_OUTPUT=$D/by_hand "
           "ROOFTOP_EMU_PAGE_FAULT=2 $APP increment -n 3 -u 1");
    expect_before_only("by_hand");
}

// A program that handles faults itself continues and is told at once what happened. (The time
// limit here is shorter than a wait would be.)
TEST(test_fault_that_the_program_handles)
{
    if (skipped())
        skip();
    expect(1, "the kernel failed: a memory fault at 0xdead000",
           "ROOFTOP_EMU_PAGE_FAULT=2 timeout 60 $PLAIN capture --kernel increment --dispatch 1 "
           "--post --timeout 1000 -o $D/handled -- $APP increment -n 3");
    expect_before_only("handled");
    expect(1, "ILLEGAL_INSTRUCTION",
           "ROOFTOP_EMU_ILLEGAL=2 timeout 60 $PLAIN capture --kernel increment --dispatch 1 "
           "--post --timeout 1000 -o $D/illegal -- $APP increment -n 3");
    expect_before_only("illegal");
}

// Killed while memory is read: nothing is complete, and the message says where the parts are.
TEST(test_killed_while_memory_is_read)
{
    if (skipped())
        skip();
    expect(137, "/unfinished/increment.0",
           END_ONCE "ROOFTOP_EMU_HANG_COPY=1+ $PLAIN capture --kernel increment --timeout 100 "
                    "-o $D/unfinished -- " APP_TOLD "increment -n 3",
           "$D/unfinished/*/kernel.hsaco", "KILL", "pid");
    expect(0, NULL, "! ls $D/unfinished/*/capture_complete 2>/dev/null");
}

// 8 MiB of numbers before the kernel fit, 8 more after it do not.
TEST(test_no_room_for_memory_after)
{
    struct program p;
    program_run(&p, "unshare -rm true");
    const bool own = p.status == 0;
    program_free(&p);
    if (!own) {
        print_message("skipped: a full disk: user namespaces are not allowed here\n");
        skip();
    }
    // what is there is kept, without the half of what came after
    expect(7, "memory after the kernel is missing: after",
           "mkdir $D/room $D/kept; unshare -rm sh -c 'mount -t tmpfs -o size=12m t $D/room && "
           "$PLAIN capture --kernel increment --post -o $D/room -- $APP big -m 8; s=$?; "
           "cp -r $D/room/* $D/kept; exit $s'");
    expect_before_only("kept");
    expect(0, NULL, "! ls $D/kept/*/after 2>/dev/null");
}

TEST_MAIN(scene_begin, scene_end)
