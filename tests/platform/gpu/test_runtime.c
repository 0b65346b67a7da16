// The genuine runtime over the emulated GPU: agents and pools, signals, copies by copy engines and
// by kernels, barrier packets, several queues, several threads, and what idle queues cost.
#include "support/child.h"
#include "support/run_kernel.h"
#include "support/test.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { N = 4096 };

static struct gpu gpu;

static void agents_and_pools(void)
{
    uint32_t cus = 0, wave = 0, dims = 0;
    size_t size = 0;
    bool allowed = false;
    gpu_open(&gpu);
    assert_true(strcmp(gpu.isa, "gfx90a") == 0 || strcmp(gpu.isa, "gfx942") == 0);
    HSA(hsa_agent_get_info(gpu.agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT,
                           &cus));
    HSA(hsa_agent_get_info(gpu.agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave));
    HSA(hsa_agent_get_info(gpu.agent, HSA_AGENT_INFO_GRID_MAX_SIZE, &dims));
    assert_true(cus > 0 && dims > 0);
    assert_int_equal(wave, 64);
    HSA(hsa_amd_memory_pool_get_info(gpu.vram, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
    HSA(hsa_amd_memory_pool_get_info(gpu.vram, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
                                     &allowed));
    assert_true(size >= 1u << 30);
    assert_true(allowed);
    gpu_close(&gpu);
}
TEST(test_agents_and_pools)
{
    in_child(agents_and_pools, NULL, NULL);
}

static void pointers_are_known(void)
{
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    gpu_open(&gpu);
    void *d = gpu_allocate(&gpu, 100000);
    HSA(hsa_amd_pointer_info((char *)d + 5000, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_HSA);
    assert_ptr_equal(info.agentBaseAddress, d);
    assert_true(info.sizeInBytes >= 100000);
    assert_int_equal(info.agentOwner.handle, gpu.agent.handle);
    gpu_free(d);
    gpu_close(&gpu);
}
TEST(test_pointers_are_known)
{
    in_child(pointers_are_known, NULL, NULL);
}

static void copies(void)
{
    static uint8_t from[3 * N + 5], to[sizeof from];
    hsa_signal_t done;
    void *host;
    gpu_open(&gpu);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 31 + 7);
    void *a = gpu_upload(&gpu, from, sizeof from), *b = gpu_allocate(&gpu, sizeof from);
    HSA(hsa_memory_copy(b, a, sizeof from)); // device to device
    HSA(hsa_signal_create(1, 0, NULL, &done));
    HSA(hsa_amd_memory_pool_allocate(gpu.host, sizeof from, 0, &host));
    HSA(hsa_amd_agents_allow_access(1, &gpu.agent, NULL, host));
    HSA(hsa_amd_memory_async_copy(host, gpu.cpu, b, gpu.agent, sizeof from, 0, NULL, done));
    assert_true(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                          HSA_WAIT_STATE_BLOCKED) < 1);
    assert_memory_equal(host, from, sizeof from);
    HSA(hsa_amd_memory_fill(b, 0x01020304, N / 4)); // counts dwords
    gpu_download(to, b, sizeof to);
    for (int i = 0; i < N; i++)
        assert_int_equal(to[i], 4 - i % 4);
    assert_memory_equal(to + N, from + N, sizeof from - N);
    HSA(hsa_signal_destroy(done));
    HSA(hsa_amd_memory_pool_free(host));
    gpu_free(a), gpu_free(b);
    gpu_close(&gpu);
}
TEST(test_copies_by_engine)
{
    in_child(copies, NULL, NULL);
}
TEST(test_copies_by_kernel)
{
    in_child(copies, "HSA_ENABLE_SDMA", "0");
}
TEST(test_copies_with_polled_signals)
{
    in_child(copies, "HSA_ENABLE_INTERRUPT", "0");
}

// The kernel waits for a signal that the CPU sets later.
static void barriers(void)
{
    static uint32_t p[N];
    struct module module;
    struct arguments arguments = {0};
    hsa_signal_t gate;
    gpu_open(&gpu);
    gpu_load(&gpu, &module, "vector", 1);
    const struct kernel kernel = gpu_kernel(&gpu, &module, "increment");
    void *d = gpu_upload(&gpu, p, sizeof p);
    ARGUMENT(&arguments, void *, d);
    ARGUMENT(&arguments, uint32_t, N);
    ARGUMENT(&arguments, uint32_t, 5);
    HSA(hsa_signal_create(1, 0, NULL, &gate));
    const uint64_t index = hsa_queue_add_write_index_screlease(gpu.queue, 1);
    hsa_barrier_and_packet_t *packet =
        (hsa_barrier_and_packet_t *)gpu.queue->base_address + index % gpu.queue->size;
    memset((uint8_t *)packet + 2, 0, sizeof *packet - 2);
    packet->dep_signal[2] = gate;
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(gpu.queue->doorbell_signal, (hsa_signal_value_t)index);
    gpu_run(&gpu, &kernel, &arguments, grid_of(N, 256), (struct extent3){256, 1, 1}, 0, 0);
    assert_false(gpu_wait(&gpu, 0.02));
    hsa_signal_store_screlease(gate, 0);
    assert_true(gpu_wait(&gpu, MOST_SECONDS));
    gpu_download(p, d, sizeof p);
    assert_int_equal(p[N - 1], 5);
    HSA(hsa_signal_destroy(gate));
    gpu_free(d);
    gpu_unload(&module);
    gpu_close(&gpu);
}
TEST(test_barriers)
{
    in_child(barriers, NULL, NULL);
}

static void times(void)
{
    struct module module;
    struct arguments arguments = {0};
    hsa_amd_profiling_dispatch_time_t first, second;
    gpu_open(&gpu);
    gpu_load(&gpu, &module, "vector", 1);
    const struct kernel kernel = gpu_kernel(&gpu, &module, "increment");
    void *d = gpu_allocate(&gpu, N * 4);
    ARGUMENT(&arguments, void *, d);
    ARGUMENT(&arguments, uint32_t, N);
    ARGUMENT(&arguments, uint32_t, 5);
    assert_true(gpu_run(&gpu, &kernel, &arguments, grid_of(N, 256), (struct extent3){256, 1, 1}, 0,
                        MOST_SECONDS));
    HSA(hsa_amd_profiling_get_dispatch_time(gpu.agent, gpu.done, &first));
    assert_true(gpu_run(&gpu, &kernel, &arguments, grid_of(N, 256), (struct extent3){256, 1, 1}, 0,
                        MOST_SECONDS));
    HSA(hsa_amd_profiling_get_dispatch_time(gpu.agent, gpu.done, &second));
    assert_true(first.start < first.end && first.end <= second.start && second.start < second.end);
    gpu_free(d);
    gpu_unload(&module);
    gpu_close(&gpu);
}
TEST(test_times)
{
    in_child(times, NULL, NULL);
}

// Threads with a runtime in common, a queue each.
static void *use_queue(void *data)
{
    const struct gpu *shared = data;
    static const char *file = "vector";
    struct gpu own = *shared;
    uint32_t p[256] = {0};
    HSA(hsa_queue_create(own.agent, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &own.queue));
    HSA(hsa_signal_create(1, 0, NULL, &own.done));
    HSA(hsa_amd_memory_pool_allocate(own.kernarg, 4096, 0, &own.arguments));
    HSA(hsa_amd_agents_allow_access(1, &own.agent, NULL, own.arguments));
    void *d = gpu_upload(&own, p, sizeof p);
    struct arguments arguments = {0};
    ARGUMENT(&arguments, void *, d);
    ARGUMENT(&arguments, uint32_t, 256);
    ARGUMENT(&arguments, uint32_t, 2);
    for (int k = 0; k < 30; k++)
        run_kernel(&own, &(struct launch){file, "increment", 1, {256, 1, 1}, {64, 1, 1}, 0},
                   &arguments);
    gpu_download(p, d, sizeof p);
    gpu_free(d);
    HSA(hsa_amd_memory_pool_free(own.arguments));
    HSA(hsa_signal_destroy(own.done));
    HSA(hsa_queue_destroy(own.queue));
    uint32_t wanted = 0;
    for (int k = 0; k < 30; k++)
        wanted = wanted * 3 + 2;
    return p[255] == wanted ? data : NULL;
}
static void many_queues(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    gpu_open(&gpu);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, use_queue, &gpu), 0);
    for (int k = 0; k < THREADS; k++) {
        void *result;
        assert_int_equal(pthread_join(threads[k], &result), 0);
        assert_non_null(result);
    }
    gpu_close(&gpu);
}
TEST(test_many_queues)
{
    in_child(many_queues, NULL, NULL);
}

static hsa_status_t take_other_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_GPU && agent.handle != gpu.agent.handle)
        *(hsa_agent_t *)data = agent;
    return HSA_STATUS_SUCCESS;
}

// A kernel of the second GPU writes into the first one's memory where it was given access, and else
// faults.
static void two_gpus(void)
{
    hsa_agent_t agent = {0};
    struct module module;
    uint32_t value = 0;
    gpu_open(&gpu);
    HSA(hsa_iterate_agents(take_other_gpu, &agent));
    assert_int_not_equal(agent.handle, 0);
    uint32_t *given = gpu_allocate(&gpu, 4096), *own = gpu_allocate(&gpu, 4 << 20);
    HSA(hsa_amd_agents_allow_access(1, &agent, NULL, given));
    HSA(hsa_amd_agents_allow_access(1, &agent, NULL, gpu.arguments));
    gpu.agent = agent;
    HSA(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &gpu.queue));
    gpu_load(&gpu, &module, "memory", 2);
    const struct kernel kernel = gpu_kernel(&gpu, &module, "poke");
    for (int k = 0; k < 2; k++) {
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, k == 0 ? given : own);
        ARGUMENT(&arguments, uint32_t, 4711);
        assert_int_equal(gpu_run(&gpu, &kernel, &arguments, grid_of(1, 1),
                                 (struct extent3){1, 1, 1}, 0, k == 0 ? MOST_SECONDS : 0.3),
                         k == 0);
    }
    gpu_download(&value, given, 4);
    assert_int_equal(value, 4711);
    assert_int_equal(gpu.fault_address, (uintptr_t)own);
}
TEST(test_two_gpus)
{
    in_child(two_gpus, "ROOFTOP_EMU_GPUS", "2");
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
// CPU time, not elapsed time: a loaded machine changes nothing.
static void idle_queues(void)
{
    gpu_open(&gpu);
    gpu_free(gpu_upload(&gpu, "warm", 4));
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 300000000}, NULL);
    const double before = cpu_seconds();
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    const double used = cpu_seconds() - before;
    print_error("idle queues: %.2f %% of a CPU\n", used / 2 * 100);
    assert_true(used / 2 < 0.01);
    gpu_close(&gpu);
}
TEST(test_idle_queues_cost_nothing)
{
    in_child(idle_queues, NULL, NULL);
}
