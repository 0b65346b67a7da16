// A tools library under the genuine runtime: it is loaded, its intercept queue sees every packet,
// the kernels still run.
#include "support/run_kernel.h"
#include "support/test.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 640, TIMES = 20 };

struct tool_counts { // as in tool.c
    int loaded, unloaded, queues;
    uint64_t packets, dispatches;
    uint32_t core_size, amd_size;
};

static struct gpu gpu;

FIXTURE_STATUS(set_tool)
{
    const char *tool = getenv("ROOFTOP_GPU_TOOL");
    if (!tool)
        return -1;
    setenv("HSA_TOOLS_LIB", tool, 1);
    setenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1", 1);
    return 0;
}

TEST(test_every_packet_is_seen)
{
    static uint32_t p[N];
    struct arguments arguments = {0};
    gpu_open(&gpu);
    void *tool = dlopen(getenv("ROOFTOP_GPU_TOOL"), RTLD_NOW);
    assert_non_null(tool);
    const struct tool_counts *counts = dlsym(tool, "tool_counts");
    assert_non_null(counts);
    assert_int_equal(counts->loaded, 1);
    assert_int_equal(counts->queues, 1);
    assert_true(counts->core_size >= 1000 && counts->amd_size >= 400);
    void *d = gpu_upload(&gpu, p, sizeof p);
    ARGUMENT(&arguments, void *, d);
    ARGUMENT(&arguments, uint32_t, N);
    ARGUMENT(&arguments, uint32_t, 1);
    const uint64_t before = counts->dispatches;
    for (int k = 0; k < TIMES; k++)
        run_kernel(&gpu, &(struct launch){"vector", "increment", 2, {N, 1, 1}, {64, 1, 1}, 0},
                   &arguments);
    assert_int_equal(counts->dispatches - before, TIMES); // and none of the runtime's own copies
    gpu_download(p, d, sizeof p);
    uint32_t wanted = 0;
    for (int k = 0; k < TIMES; k++)
        wanted = wanted * 3 + 1;
    for (int i = 0; i < N; i++)
        assert_int_equal(p[i], wanted);
    gpu_free(d);
    gpu_close(&gpu);
    assert_int_equal(counts->unloaded, 1);
    dlclose(tool);
}

TEST_MAIN(set_tool, NULL)
