// Virtual memory at exact addresses, which the runtime has from ROCm 6.0 on: reserve, create, map,
// access; and what the runtime does where the address is taken or refused.
#include "support/child.h"
#include "support/run_kernel.h"
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#if HSA_AMD_INTERFACE_VERSION_MINOR >= 4
enum { N = 1024, SIZE = 4 << 20 };
#define WANTED 0x7d0000000000ull

static struct gpu gpu;

static bool supported(void)
{
    bool yes = false;
    HSA(hsa_system_get_info((hsa_system_info_t)HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED,
                            &yes));
    return yes;
}

static void kernel_at_exact_address(void)
{
    void *at = NULL, *second = NULL;
    hsa_amd_vmem_alloc_handle_t handle;
    gpu_open(&gpu);
    assert_true(supported());
    HSA(hsa_amd_vmem_address_reserve(&at, SIZE, WANTED, 0));
    assert_int_equal((uintptr_t)at, WANTED);
    HSA(hsa_amd_vmem_address_reserve(&second, SIZE, WANTED, 0)); // taken: succeeds, elsewhere
    assert_ptr_not_equal(second, at);
    HSA(hsa_amd_vmem_address_free(second, SIZE));
    HSA(hsa_amd_vmem_handle_create(gpu.vram, SIZE, MEMORY_TYPE_NONE, 0, &handle));
    HSA(hsa_amd_vmem_map(at, SIZE, 0, handle, 0));
    const hsa_amd_memory_access_desc_t access[2] = {{HSA_ACCESS_PERMISSION_RW, gpu.agent},
                                                    {HSA_ACCESS_PERMISSION_RW, gpu.cpu}};
    HSA(hsa_amd_vmem_set_access(at, SIZE, access, 2));
    uint32_t *numbers = at;
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i;
    struct arguments arguments = {0};
    ARGUMENT(&arguments, void *, at);
    ARGUMENT(&arguments, uint32_t, N);
    ARGUMENT(&arguments, uint32_t, 9);
    const struct launch launch = one_dimension("vector", "increment", 2, N, 64);
    run_kernel(&gpu, &launch, &arguments);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(numbers[i], i * 3 + 9);
    HSA(hsa_amd_vmem_unmap(at, SIZE));
    HSA(hsa_amd_vmem_handle_release(handle));
    HSA(hsa_amd_vmem_address_free(at, SIZE));
    gpu_close(&gpu);
}
static void test_kernel_at_exact_address(void **state)
{
    (void)state;
    in_child(kernel_at_exact_address, NULL, NULL);
}

// The same memory at two addresses; and what is unmapped, or was never mapped, faults the GPU.
static void two_views_then_none(void)
{
    void *a = NULL, *b = NULL;
    hsa_amd_vmem_alloc_handle_t handle;
    gpu_open(&gpu);
    HSA(hsa_amd_vmem_address_reserve(&a, SIZE, WANTED, 0));
    HSA(hsa_amd_vmem_address_reserve(&b, SIZE, WANTED + 2 * SIZE, 0));
    HSA(hsa_amd_vmem_handle_create(gpu.vram, SIZE, MEMORY_TYPE_NONE, 0, &handle));
    const hsa_amd_memory_access_desc_t access[2] = {{HSA_ACCESS_PERMISSION_RW, gpu.agent},
                                                    {HSA_ACCESS_PERMISSION_RW, gpu.cpu}};
    HSA(hsa_amd_vmem_map(a, SIZE, 0, handle, 0));
    HSA(hsa_amd_vmem_set_access(a, SIZE, access, 2));
    HSA(hsa_amd_vmem_map(b, SIZE, 0, handle, 0));
    HSA(hsa_amd_vmem_set_access(b, SIZE, access, 2));
    struct arguments arguments = {0};
    ARGUMENT(&arguments, void *, (char *)a + 64);
    ARGUMENT(&arguments, uint32_t, 0x12345678);
    const struct launch launch = one_dimension("memory", "poke", 2, 1, 1);
    run_kernel(&gpu, &launch, &arguments);
    assert_int_equal(((uint32_t *)b)[16], 0x12345678);
    HSA(hsa_amd_vmem_unmap(a, SIZE));
    struct module module;
    gpu_load(&gpu, &module, "memory", 2);
    const struct kernel kernel = gpu_kernel(&gpu, &module, "poke");
    assert_false(gpu_run(&gpu, &kernel, &arguments, (struct extent3){1, 1, 1},
                         (struct extent3){1, 1, 1}, 0, 0.3));
    assert_int_equal(gpu.fault_address, WANTED);
}
static void test_two_views_then_none(void **state)
{
    (void)state;
    in_child(two_views_then_none, NULL, NULL);
}

static void relocated(void)
{
    void *at = NULL;
    gpu_open(&gpu);
    HSA(hsa_amd_vmem_address_reserve(&at, SIZE, WANTED, 0)); // success, and not there
    assert_int_not_equal((uintptr_t)at, WANTED);
    HSA(hsa_amd_vmem_address_free(at, SIZE));
    gpu_close(&gpu);
}
static void test_relocated_address(void **state)
{
    (void)state;
    in_child(relocated, "ROOFTOP_EMU_ADDRESS", "relocate");
}

static void refused(void)
{
    void *at = NULL;
    gpu_open(&gpu);
    assert_int_equal(hsa_amd_vmem_address_reserve(&at, SIZE, WANTED, 0),
                     HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    gpu_close(&gpu);
}
static void test_refused_address(void **state)
{
    (void)state;
    in_child(refused, "ROOFTOP_EMU_ADDRESS", "refuse");
}

// Only the second reservation goes elsewhere.
static void second_relocated(void)
{
    void *first = NULL, *second = NULL;
    setenv("ROOFTOP_EMU_ADDRESS_NTH", "2", 1);
    gpu_open(&gpu);
    HSA(hsa_amd_vmem_address_reserve(&first, SIZE, WANTED, 0));
    HSA(hsa_amd_vmem_address_reserve(&second, SIZE, WANTED + SIZE, 0));
    assert_int_equal((uintptr_t)first, WANTED);
    assert_int_not_equal((uintptr_t)second, WANTED + SIZE);
    HSA(hsa_amd_vmem_address_free(first, SIZE));
    HSA(hsa_amd_vmem_address_free(second, SIZE));
    gpu_close(&gpu);
}
static void test_second_address_is_relocated(void **state)
{
    (void)state;
    in_child(second_relocated, "ROOFTOP_EMU_ADDRESS", "relocate");
}

// Each stage fails at its second use: all earlier stages work, and the first piece stays intact.
static hsa_status_t piece(char *at)
{
    hsa_amd_vmem_alloc_handle_t handle;
    const hsa_amd_memory_access_desc_t access = {HSA_ACCESS_PERMISSION_RW, gpu.agent};
    hsa_status_t status = hsa_amd_vmem_handle_create(gpu.vram, SIZE, MEMORY_TYPE_NONE, 0, &handle);
    if (status == HSA_STATUS_SUCCESS)
        status = hsa_amd_vmem_map(at, SIZE, 0, handle, 0);
    return status == HSA_STATUS_SUCCESS ? hsa_amd_vmem_set_access(at, SIZE, &access, 1) : status;
}
static void second_piece_fails(void)
{
    void *at = NULL;
    gpu_open(&gpu);
    HSA(hsa_amd_vmem_address_reserve(&at, 2 * SIZE, WANTED, 0));
    HSA(piece(at));
    assert_int_not_equal(piece((char *)at + SIZE), HSA_STATUS_SUCCESS);
    struct arguments arguments = {0};
    ARGUMENT(&arguments, void *, at);
    ARGUMENT(&arguments, uint32_t, 1);
    const struct launch launch = one_dimension("memory", "poke", 2, 1, 1);
    run_kernel(&gpu, &launch, &arguments);
}
static void test_stages_that_fail(void **state)
{
    (void)state;
    in_child(second_piece_fails, "ROOFTOP_EMU_FAIL_HANDLE", "2+");
    in_child(second_piece_fails, "ROOFTOP_EMU_FAIL_MAP", "3"); // one in each stage
    in_child(second_piece_fails, "ROOFTOP_EMU_FAIL_ACCESS", "2");
}

static void without_vmem(void)
{
    void *at = NULL;
    gpu_open(&gpu);
    assert_false(supported());
    assert_int_not_equal(hsa_amd_vmem_address_reserve(&at, SIZE, WANTED, 0), HSA_STATUS_SUCCESS);
    gpu_close(&gpu);
}
static void test_runtime_without_vmem(void **state)
{
    (void)state;
    in_child(without_vmem, "ROOFTOP_EMU_NO_VMEM", "1");
}

// Freed memory is reused: allocates much more than there is, one piece after the other.
static void freed_memory_is_reused(void)
{
    gpu_open(&gpu);
    for (int k = 0; k < 40; k++) {
        hsa_amd_vmem_alloc_handle_t handle;
        HSA(hsa_amd_vmem_handle_create(gpu.vram, 256u << 20, MEMORY_TYPE_NONE, 0, &handle));
        HSA(hsa_amd_vmem_handle_release(handle));
    }
    gpu_close(&gpu);
}
static void test_freed_memory_is_reused(void **state)
{
    (void)state;
    in_child(freed_memory_is_reused, "ROOFTOP_EMU_VRAM_MIB", "1024");
}
#else
static void skip_one(void **state)
{
    (void)state;
    print_message("skipped: virtual memory: this runtime is older than ROCm 6.0\n");
    skip();
}
#define test_kernel_at_exact_address     skip_one
#define test_two_views_then_none         skip_one
#define test_relocated_address           skip_one
#define test_refused_address             skip_one
#define test_second_address_is_relocated skip_one
#define test_stages_that_fail            skip_one
#define test_runtime_without_vmem        skip_one
#define test_freed_memory_is_reused      skip_one
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"test_kernel_at_exact_address", test_kernel_at_exact_address, NULL, NULL, NULL},
        {"test_two_views_then_none", test_two_views_then_none, NULL, NULL, NULL},
        {"test_relocated_address", test_relocated_address, NULL, NULL, NULL},
        {"test_refused_address", test_refused_address, NULL, NULL, NULL},
        {"test_second_address_is_relocated", test_second_address_is_relocated, NULL, NULL, NULL},
        {"test_stages_that_fail", test_stages_that_fail, NULL, NULL, NULL},
        {"test_runtime_without_vmem", test_runtime_without_vmem, NULL, NULL, NULL},
        {"test_freed_memory_is_reused", test_freed_memory_is_reused, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
