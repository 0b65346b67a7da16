// Failures, real ones or requested by ROOFTOP_EMU_*, as a program sees them through the genuine
// runtime.
#include "support/child.h"
#include "support/run_kernel.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 256 };
static const struct extent3 ONE = {1, 1, 1};

static struct gpu gpu;
static struct module module;

// Kernel `name` of memory.hip on two arguments. Whether it completed in time.
static bool poke(const char *name, const void *address, double seconds)
{
    struct arguments arguments = {0};
    const struct kernel kernel = gpu_kernel(&gpu, &module, name);
    ARGUMENT(&arguments, const void *, address);
    ARGUMENT(&arguments, uint32_t, 77);
    return gpu_run(&gpu, &kernel, &arguments, ONE, ONE, 0, seconds);
}

static void open_with_module(void)
{
    gpu_open(&gpu);
    gpu_load(&gpu, &module, "memory", 2);
}

static void wait_for_queue_error(void)
{
    for (int k = 0; k < 5000 && !gpu.queue_error; k++)
        usleep(1000);
}

static void host_memory(void)
{
    void *page = NULL;
    open_with_module();
    assert_int_equal(posix_memalign(&page, 4096, 4096), 0);
    assert_false(poke("poke", page, 0.3)); // the CPU may write there, the GPU not
    assert_int_equal(gpu.fault_address, (uintptr_t)page);
}
TEST(test_host_memory_faults)
{
    in_child(host_memory, NULL, NULL);
}

static void null_pointer(void)
{
    open_with_module();
    gpu.fault_address = 1;
    assert_false(poke("poke", NULL, 0.3));
    assert_int_equal(gpu.fault_address, 0);
}
TEST(test_null_pointer_faults)
{
    in_child(null_pointer, NULL, NULL);
}

static void illegal_instruction(void)
{
    open_with_module();
    void *d = gpu_allocate(&gpu, 4096);
    assert_false(poke("illegal", d, 0.3));
    wait_for_queue_error();
    assert_int_equal(gpu.queue_error, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
}
TEST(test_illegal_instruction)
{
    in_child(illegal_instruction, NULL, NULL);
}

// The second dispatch goes wrong, the first does not.
static void second_goes_wrong(void)
{
    open_with_module();
    void *d = gpu_allocate(&gpu, 4096);
    assert_true(poke("poke", d, MOST_SECONDS));
    assert_false(poke("poke", d, 0.3));
}
static void second_hangs(void)
{
    second_goes_wrong();
    assert_int_equal(gpu.queue_error, 0);
    assert_int_equal(gpu.fault_address, 0);
}
TEST(test_dispatch_that_never_completes)
{
    in_child(second_hangs, "ROOFTOP_EMU_HANG", "2");
}

// A queue whose dispatch hangs can be destroyed, and the next one works.
static void after_a_hang(void)
{
    second_goes_wrong();
    HSA(hsa_queue_destroy(gpu.queue));
    HSA(hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &gpu.queue));
    assert_true(poke("poke", gpu_allocate(&gpu, 4096), MOST_SECONDS));
}
TEST(test_new_queue_after_a_hang)
{
    in_child(after_a_hang, "ROOFTOP_EMU_HANG", "2");
}

static void second_faults(void)
{
    second_goes_wrong();
    assert_int_equal(gpu.fault_address, 0xdead000);
}
TEST(test_injected_page_fault)
{
    in_child(second_faults, "ROOFTOP_EMU_PAGE_FAULT", "2");
}

static void second_is_illegal(void)
{
    second_goes_wrong();
    wait_for_queue_error();
    assert_int_equal(gpu.queue_error, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
}
TEST(test_injected_illegal_instruction)
{
    in_child(second_is_illegal, "ROOFTOP_EMU_ILLEGAL", "2");
}

static void second_kills_the_queue(void)
{
    second_goes_wrong();
    wait_for_queue_error();
    assert_int_equal(gpu.queue_error, HSA_STATUS_ERROR_EXCEPTION);
}
TEST(test_queue_that_dies)
{
    in_child(second_kills_the_queue, "ROOFTOP_EMU_QUEUE_DIES", "2");
}

// Device memory is allocated in blocks: at some point none is left, and the call fails.
static void allocation_fails(void)
{
    void *memory = NULL;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    gpu_open(&gpu);
    for (int k = 0; k < 20 && status == HSA_STATUS_SUCCESS; k++)
        status = hsa_amd_memory_pool_allocate(gpu.vram, 8 << 20, 0, &memory);
    assert_int_equal(status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}
TEST(test_allocation_fails)
{
    in_child(allocation_fails, "ROOFTOP_EMU_FAIL_ALLOC", "9+");
}

// The second queue cannot be created; the first continues to work.
static void queue_fails(void)
{
    hsa_queue_t *second = NULL;
    open_with_module();
    assert_int_not_equal(hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
                                          UINT32_MAX, UINT32_MAX, &second),
                         HSA_STATUS_SUCCESS);
    assert_true(poke("poke", gpu_allocate(&gpu, 4096), MOST_SECONDS));
    gpu_close(&gpu);
}
TEST(test_queue_create_fails)
{
    in_child(queue_fails, "ROOFTOP_EMU_FAIL_QUEUE", "3"); // the runtime's own is the first
}

// No memory for code: the loader says so.
static void code_fails(void)
{
    char path[1024];
    hsa_executable_t executable;
    hsa_code_object_reader_t reader;
    gpu_open(&gpu);
    gpu_code_path(&gpu, path, sizeof path, "memory", 2);
    FILE *f = fopen(path, "rbe");
    assert_non_null(f);
    HSA(hsa_code_object_reader_create_from_file(fileno(f), &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &executable));
    assert_int_not_equal(
        hsa_executable_load_agent_code_object(executable, gpu.agent, reader, NULL, NULL),
        HSA_STATUS_SUCCESS);
    fclose(f);
}
TEST(test_code_does_not_load)
{
    in_child(code_fails, "ROOFTOP_EMU_FAIL_CODE", "1+");
}

// A copy engine that never gets done.
static void copy_hangs(void)
{
    void *host = NULL;
    gpu_open(&gpu);
    void *device = gpu_allocate(&gpu, 4096);
    HSA(hsa_amd_memory_pool_allocate(gpu.host, 4096, 0, &host));
    HSA(hsa_amd_agents_allow_access(1, &gpu.agent, NULL, host));
    for (int k = 0; k < 2; k++) {
        hsa_signal_store_relaxed(gpu.done, 1);
        HSA(hsa_amd_memory_async_copy(device, gpu.agent, host, gpu.cpu, 4096, 0, NULL, gpu.done));
        assert_int_equal(gpu_wait(&gpu, k == 0 ? MOST_SECONDS : 0.3), k == 0);
    }
}
TEST(test_copy_that_never_completes)
{
    in_child(copy_hangs, "ROOFTOP_EMU_HANG_COPY", "2");
}

static void out_of_memory(void)
{
    void *memory = NULL;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    gpu_open(&gpu);
    for (int k = 0; k < 20 && status == HSA_STATUS_SUCCESS; k++)
        status = hsa_amd_memory_pool_allocate(gpu.vram, 64 << 20, 0, &memory);
    assert_int_equal(status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}
TEST(test_out_of_memory)
{
    in_child(out_of_memory, "ROOFTOP_EMU_VRAM_MIB", "256");
}

// The code object is for another GPU: the loader refuses it.
static void wrong_isa(void)
{
    char path[1024];
    hsa_executable_t executable;
    hsa_code_object_reader_t reader;
    gpu_open(&gpu);
    assert_string_equal(gpu.isa, "gfx90a");
    snprintf(path, sizeof path, "%s/vector.gfx942.O1.hsaco", getenv("ROOFTOP_GPU_KERNELS"));
    FILE *f = fopen(path, "rbe");
    assert_non_null(f);
    HSA(hsa_code_object_reader_create_from_file(fileno(f), &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &executable));
    assert_int_not_equal(
        hsa_executable_load_agent_code_object(executable, gpu.agent, reader, NULL, NULL),
        HSA_STATUS_SUCCESS);
    fclose(f);
    gpu_load(&gpu, &module, "memory", 2); // its own is welcome
}
TEST(test_wrong_isa)
{
    in_child(wrong_isa, "ROOFTOP_EMU_ISA", "gfx90a");
}

// An invalid setting must make the GPU unavailable, instead of available without the fault.
static void bad_setting(void)
{
    assert_int_not_equal(hsa_init(), HSA_STATUS_SUCCESS);
}
TEST(test_bad_setting)
{
    in_child(bad_setting, "ROOFTOP_EMU_HANG", "soon");
    in_child(bad_setting, "ROOFTOP_EMU_ADDRESS", "maybe");
    in_child(bad_setting, "ROOFTOP_EMU_FAIL_ALLOC", "0");
    in_child(bad_setting, "ROOFTOP_EMU_FAIL_ALLOC", "3x");
    in_child(bad_setting, "ROOFTOP_EMU_FAIL_MAP", "first");
    in_child(bad_setting, "ROOFTOP_EMU_ADDRESS_NTH", "-1");
    in_child(bad_setting, "ROOFTOP_EMU_ISA", "gfx1100");
}
