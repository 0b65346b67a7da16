// What goes wrong with a replay: at every stage the right message and exit status
// (docs/CAPTURE.md), and nothing left behind. A damaged capture is refused before the GPU is
// touched.
#include "support/scene.h"
#include "support/gpu.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// $C is a capture of the third launch.
static int capture_first(void **state)
{
    struct program p;
    if (scene_begin(state))
        return -1;
    scene_run(&p, "$PLAIN capture --kernel increment --dispatch 2 --post -o $D/c -- $APP increment "
                  "-n 3 >&2 && printf %%s $(dirname $(find $D/c -name dispatch.json))");
    const bool ok = p.status == 0 && p.out_len > 0;
    if (!ok)
        print_error("%s%s", p.out, p.err);
    setenv("C", p.out, 1);
    program_free(&p);
    return ok ? 0 : -1;
}

static bool skipped(void)
{
    if (gpu_is_real()) {
        print_message("skipped: faults of a replay: only the emulated GPU has them on demand\n");
        return true;
    }
    if (!scene_has_vmem())
        print_message("skipped: replay: this runtime is older than ROCm 6.0\n");
    return !scene_has_vmem();
}

// Replays with a fault; the process leaves nothing behind, whether it ended well or not.
static void fault(int status, const char *words, const char *settings, const char *options)
{
    expect(status, words,
           "rm -f $D/left; env %s ROOFTOP_EMU_LEAKS=$D/left $ROOFTOP replay %s --capture-dir $C; "
           "S=$?; cat $D/left; tail -1 $D/left | grep -q 'left 0$' || exit 99; exit $S",
           settings, options);
}

TEST(test_addresses)
{
    if (skipped())
        skip();
    fault(0, NULL, "A=", "reserve-check");
    fault(2, NULL, "ROOFTOP_EMU_ADDRESS=relocate", "reserve-check");
    fault(1, NULL, "ROOFTOP_EMU_ADDRESS=refuse", "reserve-check");
    fault(1, NULL, "ROOFTOP_EMU_ADDRESS=relocate", "full-vm");
    fault(1, NULL, "ROOFTOP_EMU_ADDRESS=refuse", "full-vm");
}

TEST(test_memory)
{
    if (skipped())
        skip();
    fault(1, NULL, "ROOFTOP_EMU_FAIL_HANDLE=1+", "full-vm");
    fault(1, NULL, "ROOFTOP_EMU_FAIL_MAP=1", "full-vm");
    fault(1, NULL, "ROOFTOP_EMU_FAIL_ACCESS=1", "full-vm");
    fault(1, NULL, "ROOFTOP_EMU_FAIL_CODE=1+", "full-vm");
    fault(1, NULL, "ROOFTOP_EMU_FAIL_ALLOC=1+", "full-vm");
}

TEST(test_dispatch)
{
    if (skipped())
        skip();
    fault(10, "0xdead000", "ROOFTOP_EMU_PAGE_FAULT=1", "full-vm");
    fault(10, "llegal", "ROOFTOP_EMU_ILLEGAL=1", "full-vm");
    fault(10, "queue", "ROOFTOP_EMU_QUEUE_DIES=1", "full-vm");
    fault(11, NULL, "ROOFTOP_EMU_HANG=1", "full-vm --timeout 1");
    fault(10, "0xdead000", "ROOFTOP_EMU_PAGE_FAULT=3", "full-vm --iterations 5");
    fault(11, NULL, "ROOFTOP_EMU_HANG=3", "full-vm --iterations 5 --timeout 1");
}

TEST(test_missing)
{
    if (!scene_has_vmem() && !gpu_is_real()) {
        expect(6, "ROCm 6.0", "$ROOFTOP replay full-vm --capture-dir $C");
        expect(6, NULL,
               "env -u ROOFTOP_SELF $PLAIN replay full-vm --capture-dir $C"); // without a GPU
        return;
    }
    if (skipped())
        skip();
    fault(6, NULL, "ROOFTOP_EMU_NO_VMEM=1", "full-vm");
    fault(6, "gfx90a", "ROOFTOP_EMU_ISA=gfx90a", "full-vm");
    expect(6, NULL,
           "env -u ROOFTOP_SELF $PLAIN replay full-vm --capture-dir $C"); // without a GPU, with
                                                                          // this system's
}

// The GPU's log stays empty: it was never opened.
static void damaged(const char *damage)
{
    expect(3, NULL,
           "rm -rf $D/d $D/log; cp -r $C $D/d; cd $D/d; %s; ROOFTOP_EMU_LOG=$D/log $ROOFTOP replay "
           "full-vm --capture-dir $D/d; S=$?; [ ! -e $D/log ] || exit 99; exit $S",
           damage);
}
TEST(test_damaged)
{
    damaged("rm capture_complete");
    damaged("rm dispatch.json");
    damaged("truncate -s 10 dispatch.json");
    damaged("truncate -s 10 memory_regions.json");
    damaged("truncate -s 1 kernarg.bin");
    damaged("truncate -s 100 kernel.hsaco");
    damaged("rm memory/*");
    damaged("for f in memory/*; do truncate -s -1 $f; done");
    damaged(
        "for f in memory/*; do printf X | dd of=$f bs=1 seek=20 conv=notrunc 2>/dev/null; done");
    damaged("sed -i 's/\"version\": *1/\"version\": 99/' dispatch.json");
}

// A build that uses the buffer of host calls, which a replay does not have: the fault is reported
// with its explanation, for people and for scripts.
TEST(test_host_calls_explain_their_fault)
{
    const char *replay = "$ROOFTOP replay full-vm --capture-dir $C "
                         "--hsaco $ROOFTOP_GPU_KERNELS/calling_increment.gfx942.O2.hsaco";
    const char *why = "the kernel may use calls to the host: printf, assert and device malloc of "
                      "HIP, which a replay";
    if (skipped())
        skip();
    expect(10, why, "%s", replay);
    expect(10, "a pointer that is 0 leads there", "%s", replay);
    expect(10, why, "%s --json 2>/dev/null", replay);
    expect(10, why, "%s --progress 2>/dev/null", replay);
    expect(10, why,
           "$ROOFTOP replay edit --capture-dir $C --once --source /etc/hostname --build 'cp "
           "'$ROOFTOP_GPU_KERNELS'/calling_increment.gfx942.O2.hsaco {out}' 2>/dev/null");
}

// The dashboard lists it whatever the GPU does, and says that it is emulated.
TEST(test_dashboard)
{
    const char *show =
        "$ROOFTOP --headless --view replay --captures $D/c --format text --size 140x30";
    expect(0, "increment", "%s", show);
    if (gpu_is_real())
        return;
    expect(0, "EMULATED", "%s", show);
    expect(0, "increment", "ROOFTOP_EMU_FAIL_QUEUE=1+ %s", show);
    expect(0, "increment", "ROOFTOP_EMU_ISA=gfx90a %s", show);
    expect(0, "increment", "ROOFTOP_EMU_HANG=x %s", show); // the runtime does not start
}

TEST_MAIN(capture_first, scene_end)
