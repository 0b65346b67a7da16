// Captures each kernel at each level of optimisation and replays it in a new process: memory
// afterwards equals that of the program. One of them a hundred times.
#include "support/scene.h"
#include "support/gpu.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

static const char *const KERNELS[][2] = {
    // kind of work, its kernel
    {"vector_add", "vector_add"},
    {"saxpy", "saxpy"},
    {"daxpy", "daxpy"},
    {"reduce", "reduce_sum"},
    {"matmul", "matmul_tiled"},
    {"histogram", "histogram"},
    {"stencil", "stencil7"},
    {"divide", "int_divide"},
    {"half", "half_axpy"},
    {"scratch", "scratch_sort"},
    {"spilled", "spilled"},
    {"increment", "increment"},
    {"list", "pointer_chase"},
    {"variables", "module_variable"},
    {"dynamic_lds", "reverse_group"},
};
enum { COUNT = sizeof KERNELS / sizeof *KERNELS };

static bool skipped(void)
{
    if (!scene_has_vmem())
        print_message("skipped: replay: this runtime is older than ROCm 6.0\n");
    return !scene_has_vmem();
}

static void at_level(int level)
{
    for (unsigned k = 0; k < COUNT; k++) {
        const char *work = KERNELS[k][0];
        expect(0, NULL, "$PLAIN capture --kernel '^%s$' --post -o $D/%s%d -- $APP %s -O %d",
               KERNELS[k][1], work, level, work, level);
        expect(0, "Verify: equal",
               "$ROOFTOP replay full-vm --capture-dir $D/%s%d --iterations 3 --verify", work,
               level);
    }
}
TEST(test_every_kernel_O1)
{
    skipped() ? skip() : at_level(1);
}
TEST(test_every_kernel_O2)
{
    skipped() ? skip() : at_level(2);
}
TEST(test_every_kernel_O3)
{
    skipped() ? skip() : at_level(3);
}

// A launch in the middle: what it finds depends on those before.
TEST(test_in_place_a_hundred_times)
{
    if (skipped())
        skip();
    expect(0, NULL,
           "$PLAIN capture --kernel increment --dispatch 4 --post -o $D/middle -- $APP "
           "increment -n 9");
    for (int k = 0; k < 100; k++)
        expect(0, "Verify: equal", "$ROOFTOP replay full-vm --capture-dir $D/middle --verify");
    expect(0, "Verify: equal",
           "$ROOFTOP replay full-vm --capture-dir $D/middle --iterations 100 --verify");
    expect(0, "Mode: stateful",
           "$ROOFTOP replay full-vm --capture-dir $D/middle --iterations 100 --no-recopy --verify");
}

TEST(test_variants)
{
    if (skipped())
        skip();
    if (gpu_is_real()) {
        print_message("skipped: other builds of a kernel: those of the emulated GPU's kind\n");
        skip();
    }
    expect(0, NULL, "$PLAIN capture --kernel saxpy --post -o $D/variants -- $APP saxpy");
    expect(
        0, NULL,
        "$ROOFTOP replay compare --capture-dir $D/variants --iterations 5 "
        "$ROOFTOP_GPU_KERNELS/vector.gfx942.O1.hsaco $ROOFTOP_GPU_KERNELS/vector.gfx942.O3.hsaco");
    expect(0, NULL,
           "$ROOFTOP replay full-vm --capture-dir $D/variants --verify --hsaco "
           "$ROOFTOP_GPU_KERNELS/vector.gfx942.O1.hsaco");
    expect(6, NULL,
           "$ROOFTOP replay full-vm --capture-dir $D/variants --hsaco "
           "$ROOFTOP_GPU_KERNELS/vector.gfx90a.O1.hsaco"); // for another GPU
    expect(1, NULL,
           "$ROOFTOP replay full-vm --capture-dir $D/variants --hsaco "
           "$ROOFTOP_GPU_KERNELS/matmul.gfx942.O1.hsaco"); // has no such kernel
}

TEST_MAIN(scene_begin, scene_end)
