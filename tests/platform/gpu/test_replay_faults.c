// Failures at every stage of a replay: the message, the exit status, and that nothing stays
// reserved or mapped.
#include "double/emu.h"
#include "support/child.h"
#include "support/make_capture.h"
#include "support/replayed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#if EMU_HAS_VMEM
enum { N = 600, GROUP = 64 };

static struct gpu gpu;
static struct captured c;
static char folder[64], log_file[80];
static struct replayed r;

// Two blocks of device memory, and one of the host.
static void capture_poke(void)
{
    static uint32_t words[N];
    gpu_open(&gpu);
    memset(&c, 0, sizeof c);
    c.folder = folder;
    c.launch = one_dimension("memory", "poke", 2, 1, 1);
    uint8_t *device = gpu_upload(&gpu, words, sizeof words);
    captured_add(&c, device, sizeof words, false);
    captured_add(&c, gpu_allocate(&gpu, 3 << 20), 3 << 20, false);
    captured_add(&c, gpu_allocate_host(&gpu, 8192), 8192, true);
    ARGUMENT(&c.arguments, void *, device + 16);
    ARGUMENT(&c.arguments, uint32_t, 77);
    make_capture(&gpu, &c);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/rooftop-faults-XXXXXX");
    assert_non_null(mkdtemp(folder));
    rmdir(folder);
    snprintf(log_file, sizeof log_file, "%s.log", folder);
    in_child(capture_poke, NULL, NULL);
    return 0;
}
static int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", folder, log_file);
    return system(command);
}

// Settings for the child, which also writes what it takes and gives back.
static const char *logged(const char *settings)
{
    static char text[256];
    unlink(log_file);
    snprintf(text, sizeof text, "ROOFTOP_EMU_LOG=%s %s", log_file, settings);
    return text;
}

// Everything that the runtime got from the driver is released: memory, reservations, handles,
// mappings.
static void nothing_left(void)
{
    enum { MOST = 1000 };
    static unsigned long taken[MOST];
    char line[512];
    int mapped = 0, n = 0;
    FILE *f = fopen(log_file, "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long at;
        unsigned op;
        int status;
        if (sscanf(line, "va_op %u at %*s size %*s flags %*s %d", &op, &status) == 2 && !status)
            mapped += op == 1 ? 1 : -1;
        if (sscanf(line, "allocate node %*u size %*s flags %*s at %lx", &at) == 1 && n < MOST)
            taken[n++] = at;
        if (sscanf(line, "free %lx size %*s %d", &at, &status) != 2 || status)
            continue;
        int k = 0;
        while (k < n && taken[k] != at)
            k++;
        assert_true(k < n);
        taken[k] = taken[--n];
    }
    fclose(f);
    assert_int_equal(mapped, 0);
    if (n)
        gpu_fail(__FILE__, __LINE__, "%d allocations are left, one at %#lx", n, taken[0]);
}

static void fails(const char *settings, const char *words, int status, const char *text)
{
    replayed(&r, logged(settings), "full-vm --capture-dir %s %s", folder, words);
    replayed_expect(&r, status, text);
    nothing_left();
}

static void test_addresses_refused(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_ADDRESS=refuse", "", 1, "reserve 0x");
}
static void test_addresses_moved(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_ADDRESS=relocate", "", 1, "in its place");
    fails("ROOFTOP_EMU_ADDRESS=relocate", "--json", 1, "\"kind\":\"relocated\"");
}
static void test_driver_without_virtual_memory(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_NO_VMEM=1", "", 6, "KFD's interface 1.15");
}
static void test_another_gpu(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_ISA=gfx90a", "", 6, "gfx942");
}
static void test_no_such_agent(void **state)
{
    (void)state;
    fails("", "--agent 3", 2, "there is no GPU 3, only 0 to 0");
}
static void test_too_little_memory(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_VRAM_MIB=5", "", 1, NULL);
}

// Makes each allocation of device memory fail in turn, with all after it, until a replay needs no
// more and succeeds.
static void test_allocations_fail(void **state)
{
    bool done = false;
    (void)state;
    for (int n = 1; n < 40 && !done; n++)
        for (int from = 0; from < 2; from++) {
            char settings[64];
            snprintf(settings, sizeof settings, "ROOFTOP_EMU_FAIL_ALLOC=%d%s", n, from ? "+" : "");
            replayed(&r, logged(settings), "full-vm --capture-dir %s --iterations 1 --verify",
                     folder);
            done = r.status == 0;
            if (!done && r.status != 1 && r.status != 6)
                replayed_expect(&r, 1, NULL);
            if (!done)
                assert_true(strncmp(r.err, "rooftop: ", 9) == 0);
            if (r.status == 1)
                nothing_left();
        }
    assert_true(done);
}

static void test_dispatch_never_completes(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_HANG=1", "--timeout 0.5", 11, "did not complete in 0.5 seconds");
    fails("ROOFTOP_EMU_HANG=3", "--timeout 0.5 --json", 11, "\"kind\":\"timeout\"");
}
static void test_page_fault(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_PAGE_FAULT=1", "", 10, "memory fault of the GPU: at 0xdead000");
    fails("ROOFTOP_EMU_PAGE_FAULT=2", "--no-recopy", 10, "before region 0x");
    fails("ROOFTOP_EMU_PAGE_FAULT=4", "--iterations 3 --verify --json", 10,
          "\"stage\":\"verify\",\"address\":233492480");
}
static void test_illegal_instruction(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_ILLEGAL=2", "", 10, "illegal instruction");
    fails("ROOFTOP_EMU_ILLEGAL=1", "--json", 10, "\"kind\":\"illegal\"");
}
static void test_queue_dies(void **state)
{
    (void)state;
    fails("ROOFTOP_EMU_QUEUE_DIES=1", "", 10, "the queue died");
    fails("ROOFTOP_EMU_QUEUE_DIES=2", "--json", 10, "\"kind\":\"queue\"");
}
// The runtime itself refuses a setting that makes no sense, as it would a broken driver.
static void test_runtime_does_not_start(void **state)
{
    (void)state;
    replayed(&r, "ROOFTOP_EMU_HANG=soon", "full-vm --capture-dir %s", folder);
    replayed_expect(&r, 6, "initialise the HSA runtime");
}
static void test_variant_faults(void **state)
{
    (void)state;
    replayed(&r, logged("ROOFTOP_EMU_PAGE_FAULT=2"),
             "compare --capture-dir %s $ROOFTOP_GPU_KERNELS/memory.gfx942.O1.hsaco", folder);
    replayed_expect(&r, 10, "memory.gfx942.O1.hsaco: memory fault of the GPU");
    nothing_left();
}

// A successful run leaves nothing either, and a real fault is reported with its offset in the
// region.
static void test_nothing_left_after_success(void **state)
{
    (void)state;
    fails("", "--iterations 2 --verify", 0, "Verify: equal");
    replayed(&r, logged(""), "reserve-check --capture-dir %s", folder);
    replayed_expect(&r, 0, "Regions: 4");
    nothing_left();
}

// --- damaged captures: refused before the runtime is touched

static void damaged(const char *how, const char *text)
{
    char command[600], copy[96];
    snprintf(copy, sizeof copy, "%s.bad", folder);
    snprintf(command, sizeof command, "rm -rf %s && cp -r %s %s && cd %s && %s", copy, folder, copy,
             copy, how);
    assert_int_equal(system(command), 0);
    replayed(&r, logged(""), "full-vm --capture-dir %s", copy);
    replayed_expect(&r, 3, text);
    assert_int_not_equal(access(log_file, F_OK), 0); // the double was never opened
    snprintf(command, sizeof command, "rm -rf %s", copy);
    assert_int_equal(system(command), 0);
}
static void test_damaged_captures(void **state)
{
    (void)state;
    damaged(
        "for f in memory/*.bin; do printf x | dd of=$f bs=1 seek=77 conv=notrunc 2>/dev/null; done",
        "memory/region_");
    damaged("for f in memory/*.bin; do truncate -s -1 $f; done", "memory/region_");
    damaged("rm memory/*", "memory/region_");
    damaged("rm capture_complete", "not finished");
    damaged("printf x >kernel.hsaco", "kernel.hsaco");
    damaged("printf x >kernarg.bin", "kernarg.bin");
    damaged("sed -i 's/device/host/' memory_regions.json", "memory_regions.json");
    damaged("printf '{' >dispatch.json", "dispatch.json");
}
#else
static void skip_one(void **state)
{
    (void)state;
    print_message("skipped: replay: this runtime is older than ROCm 6.0\n");
    skip();
}
#define test_addresses_refused             skip_one
#define test_addresses_moved               skip_one
#define test_driver_without_virtual_memory skip_one
#define test_another_gpu                   skip_one
#define test_no_such_agent                 skip_one
#define test_too_little_memory             skip_one
#define test_allocations_fail              skip_one
#define test_dispatch_never_completes      skip_one
#define test_page_fault                    skip_one
#define test_illegal_instruction           skip_one
#define test_queue_dies                    skip_one
#define test_runtime_does_not_start        skip_one
#define test_variant_faults                skip_one
#define test_nothing_left_after_success    skip_one
#define test_damaged_captures              skip_one
static int make_folder(void **state)
{
    (void)state;
    return 0;
}
#define remove_folder                      make_folder
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"test_addresses_refused", test_addresses_refused, NULL, NULL, NULL},
        {"test_addresses_moved", test_addresses_moved, NULL, NULL, NULL},
        {"test_driver_without_virtual_memory", test_driver_without_virtual_memory, NULL, NULL,
         NULL},
        {"test_another_gpu", test_another_gpu, NULL, NULL, NULL},
        {"test_no_such_agent", test_no_such_agent, NULL, NULL, NULL},
        {"test_too_little_memory", test_too_little_memory, NULL, NULL, NULL},
        {"test_allocations_fail", test_allocations_fail, NULL, NULL, NULL},
        {"test_dispatch_never_completes", test_dispatch_never_completes, NULL, NULL, NULL},
        {"test_page_fault", test_page_fault, NULL, NULL, NULL},
        {"test_illegal_instruction", test_illegal_instruction, NULL, NULL, NULL},
        {"test_queue_dies", test_queue_dies, NULL, NULL, NULL},
        {"test_runtime_does_not_start", test_runtime_does_not_start, NULL, NULL, NULL},
        {"test_variant_faults", test_variant_faults, NULL, NULL, NULL},
        {"test_nothing_left_after_success", test_nothing_left_after_success, NULL, NULL, NULL},
        {"test_damaged_captures", test_damaged_captures, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
