// Captures and replays programs that do more than run a kernel: several queues and threads,
// batches, barriers, host memory, parts of blocks, hundreds of regions, virtual memory, children.
#include "support/scene.h"
#include "support/gpu.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

static void there_and_back(const char *name, const char *kernel, const char *options,
                           const char *work)
{
    expect(0, NULL, "$PLAIN capture --kernel '%s' %s --post -o $D/%s -- $APP %s", kernel, options,
           name, work);
    if (scene_has_vmem())
        expect(
            0, "Verify: equal",
            "test -n \"$(find $D/%s -name dispatch.json)\" || exit 98; for c in $(dirname $(find "
            "$D/%s -name dispatch.json)); do $ROOFTOP replay full-vm --capture-dir $c --iterations "
            "3 --verify || exit; done",
            name, name);
    else
        expect(6, "ROCm 6.0",
               "$ROOFTOP replay full-vm --capture-dir $(dirname $(find $D/%s -name dispatch.json "
               "| head -1))",
               name);
}
#define WORKS(name, ...)                                                                           \
    TEST(test_of_##name)                                                                           \
    {                                                                                              \
        there_and_back(#name, __VA_ARGS__);                                                        \
    }

WORKS(queues, "increment", "--dispatch 7", "queues -c 4 -n 5")
WORKS(threads, "increment", "--dispatch 11", "threads -c 4 -n 5")
WORKS(shared_queue, "increment", "--dispatch 6", "shared_queue -c 4 -n 5")
WORKS(batch, "increment", "--dispatch 20", "batch -n 40")
WORKS(barriers, "increment", "--dispatch 3", "barriers -n 4")
WORKS(destroy, "increment", "--dispatch 5", "destroy -c 6 -n 20")
WORKS(every, "increment", "--every 4", "increment -n 12")
WORKS(host, "vector_add", "", "host")
WORKS(locked, "vector_add", "", "locked")
WORKS(shared_block, "increment", "", "shared_block -c 12")
WORKS(regions, "increment", "", "regions -c 300")
WORKS(list, "pointer_chase", "", "list -c 40")
WORKS(big, "increment", "", "big -m 64")
WORKS(sparse, "increment", "", "sparse -m 256")
WORKS(from_file, "increment", "", "from_file")
WORKS(no_shutdown, "increment", "", "no_shutdown")
WORKS(twice, "increment", "", "twice")
WORKS(fork, "increment", "", "fork -c 2")

// Virtual memory that the program itself mapped.
TEST(test_vmem)
{
    if (!scene_has_vmem()) {
        print_message("skipped: virtual memory: this runtime is older than ROCm 6.0\n");
        skip();
    }
    there_and_back("vmem", "vector_add", "", "vmem");
    there_and_back("vmem_private", "increment", "", "vmem_private");
}

// No kernel matches: the program runs as usual, and a message says that nothing was captured.
TEST(test_no_match)
{
    struct program p;
    scene_run(&p, "$PLAIN capture --kernel no_such_kernel -o $D/none -- $APP increment -n 3");
    assert_non_null(strstr(p.out, "app: increment: right after 3 launches"));
    assert_int_not_equal(p.status, 0);
    assert_int_not_equal(p.err_len, 0);
    program_free(&p);
    expect(1, NULL, "find $D/none -name capture_complete 2>/dev/null | grep -q .");
}

// The program's own exit status and output are the program's.
TEST(test_the_program_is_left_alone)
{
    struct program p;
    if (gpu_is_real()) {
        print_message("skipped: what is left: only the emulated GPU knows\n");
        skip();
    }
    scene_run(&p,
              "F=$D/left; ROOFTOP_EMU_LEAKS=$F $PLAIN capture --kernel increment -o $D/leaks -- "
              "$APP increment -n 3 && cat $F");
    assert_int_equal(p.status, 0);
    assert_non_null(strstr(p.out, "app: increment: right after 3 launches"));
    assert_non_null(strstr(p.out, " left 0\n"));
    program_free(&p);
}

TEST_MAIN(scene_begin, scene_end)
