// A captured kernel launched again in a new process, at its own addresses: memory afterwards is
// what it was after the captured launch.
#include "double/emu.h"
#include "support/child.h"
#include "support/make_capture.h"
#include "support/replayed.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 700, GROUP = 64 };

static struct gpu gpu;
static struct captured c;
static char folder[64];
static struct replayed r;
static int level;

FIXTURE(make_folder)
{
    snprintf(folder, sizeof folder, "/tmp/rooftop-replay-XXXXXX");
    assert_non_null(mkdtemp(folder));
}
FIXTURE_STATUS(remove_folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

// What body captures lies in folder afterwards.
static void capture(void (*body)(void))
{
    remove_folder(NULL);
    in_child(body, NULL, NULL);
}

static void begin(const char *file, const char *name, uint32_t items, uint32_t group)
{
    gpu_open(&gpu);
    memset(&c, 0, sizeof c);
    c.folder = folder;
    c.launch = one_dimension(file, name, level ? level : 2, items, group);
}

static void *upload(const void *data, size_t size)
{
    void *memory = gpu_upload(&gpu, data, size);
    captured_add(&c, memory, size, false);
    return memory;
}

static void number_words(uint32_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint32_t)(i * 2654435761u >> 7) % 1000;
}

// --- captures

static void capture_increment(void)
{
    static uint32_t words[N];
    begin("vector", "increment", N, GROUP);
    number_words(words, N);
    ARGUMENT(&c.arguments, void *, upload(words, sizeof words));
    ARGUMENT(&c.arguments, uint32_t, N);
    ARGUMENT(&c.arguments, uint32_t, 5);
    make_capture(&gpu, &c);
}

#if EMU_HAS_VMEM
static void capture_add(void)
{
    static float words[N];
    begin("vector", "vector_add", N, GROUP);
    for (int i = 0; i < N; i++)
        words[i] = (float)i * 0.25f;
    void *a = upload(words, sizeof words), *b = upload(words, sizeof words);
    memset(words, 0, sizeof words);
    ARGUMENT(&c.arguments, void *, a);
    ARGUMENT(&c.arguments, void *, b);
    ARGUMENT(&c.arguments, void *, upload(words, sizeof words));
    ARGUMENT(&c.arguments, int, N);
    c.zstd = true;
    make_capture(&gpu, &c);
}

static void capture_dynamic_lds(void)
{
    static uint32_t words[N / GROUP * GROUP];
    const size_t n = sizeof words / sizeof *words;
    begin("reduce", "reverse_group", (uint32_t)n, GROUP);
    number_words(words, n);
    c.launch.dynamic_lds = GROUP * 4;
    ARGUMENT(&c.arguments, void *, upload(words, sizeof words));
    memset(words, 0, sizeof words);
    ARGUMENT(&c.arguments, void *, upload(words, sizeof words));
    make_capture(&gpu, &c);
}

static void capture_scratch(void)
{
    static uint32_t words[N];
    begin("scratch", "scratch_call", N, GROUP);
    number_words(words, N);
    ARGUMENT(&c.arguments, void *, upload(words, sizeof words));
    ARGUMENT(&c.arguments, void *, upload(words, sizeof words));
    ARGUMENT(&c.arguments, int, N);
    make_capture(&gpu, &c);
}

static void capture_variables(void)
{
    static float zero[N];
    struct module unused;
    begin("memory", "module_variable", N, GROUP);
    gpu_load(&gpu, &unused, "memory", 1); // the captured one lies elsewhere than the first
    ARGUMENT(&c.arguments, void *, upload(zero, sizeof zero));
    ARGUMENT(&c.arguments, int, N);
    c.variables[0] = "module_counter";
    c.variable_sizes[0] = 4;
    c.variables[1] = "module_table";
    c.variable_sizes[1] = 64 * 4;
    c.nvariables = 2;
    make_capture(&gpu, &c);
}

// Lists in device memory, their heads in host memory, the result in another block.
static void capture_pointers(void)
{
    struct node {
        struct node *next;
        float value;
        uint32_t pad;
    };
    static struct node nodes[N];
    static float zero[N];
    begin("memory", "pointer_chase", 64, 64);
    struct node *at = gpu_allocate(&gpu, sizeof nodes);
    struct node **heads = gpu_allocate_host(&gpu, 64 * sizeof *heads);
    for (int i = 0; i < N; i++)
        nodes[i] = (struct node){i + 64 < N ? at + i + 64 : NULL, (float)i, 0};
    hsa_memory_copy(at, nodes, sizeof nodes);
    captured_add(&c, at, sizeof nodes, false);
    for (int i = 0; i < 64; i++)
        heads[i] = at + i;
    captured_add(&c, heads, 64 * sizeof *heads, true);
    gpu_allocate(&gpu, 4 << 20); // between the blocks
    ARGUMENT(&c.arguments, void *, heads);
    ARGUMENT(&c.arguments, void *, upload(zero, sizeof zero));
    ARGUMENT(&c.arguments, int, 64);
    make_capture(&gpu, &c);
}

// --- replays

static void replay_equal(void (*body)(void), const char *more)
{
    for (level = 1; level <= LEVELS; level++) {
        capture(body);
        replayed(&r, "", "full-vm --capture-dir %s --iterations 3 --verify %s", folder, more);
        replayed_expect(&r, 0, "Verify: equal");
        remove_folder(NULL);
    }
    level = 0;
}
TEST(test_in_place)
{
    replay_equal(capture_increment, "");
}
TEST(test_after_stateful_iterations)
{
    replay_equal(capture_increment, "--no-recopy --warmup 2");
}
TEST(test_compressed_regions)
{
    replay_equal(capture_add, "");
}
TEST(test_dynamic_lds)
{
    replay_equal(capture_dynamic_lds, "");
}
// Another build declares LDS itself: the dynamic part comes on top of that.
TEST(test_dynamic_lds_of_another_build)
{
    capture(capture_dynamic_lds);
    replayed(&r, "",
             "full-vm --capture-dir %s --verify --json --hsaco "
             "$ROOFTOP_GPU_KERNELS/static_lds.gfx942.O1.hsaco",
             folder);
    replayed_expect(&r, 0, "\"equal\":\ttrue");
    assert_true(replayed_number(&r, "\"group_segment_size\":") == 512 * 4 + GROUP * 4);
}
TEST(test_private_memory)
{
    replay_equal(capture_scratch, "");
}
TEST(test_module_variables)
{
    replay_equal(capture_variables, "");
}
TEST(test_pointers_and_host_memory)
{
    replay_equal(capture_pointers, "");
}

TEST(test_many_processes)
{
    capture(capture_increment);
    for (int i = 0; i < 20; i++) {
        replayed(&r, "", "full-vm --capture-dir %s --iterations 1 --verify", folder);
        replayed_expect(&r, 0, "Verify: equal");
    }
}

TEST(test_document)
{
    capture(capture_increment);
    replayed(&r, "", "full-vm --capture-dir %s --iterations 5 --json --verify", folder);
    replayed_expect(&r, 0, "\"mode\":\t\"stateless\"");
    assert_non_null(strstr(r.out, "\"emulated\":\ttrue"));
    assert_true(replayed_number(&r, "\"iterations\":") == 5);
    assert_true(replayed_number(&r, "\"average\":") > 0);
    assert_true(replayed_number(&r, "\"regions_compared\":") == 2);
}

TEST(test_progress)
{
    static const char *const stages[] = {"check",   "hold", "initialise", "reserve",
                                         "restore", "load", "run",        "verify"};
    const char *at = r.out;
    capture(capture_increment);
    replayed(&r, "", "full-vm --capture-dir %s --iterations 2 --progress --verify", folder);
    replayed_expect(&r, 0, "{\"event\":\"result\",\"result\":{");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        char text[80];
        snprintf(text, sizeof text, "{\"event\":\"stage\",\"name\":\"%s\"", stages[i]);
        at = strstr(at, text);
        assert_non_null(at);
    }
    assert_non_null(strstr(r.out, "{\"event\":\"iteration\",\"index\":1,\"microseconds\":"));
}

// Another state gives another output: the differences are reported.
TEST(test_difference_is_told)
{
    capture(capture_increment);
    replayed(&r, "",
             "full-vm --capture-dir %s --iterations 1 --verify --tolerance u32 --hsaco "
             "$ROOFTOP_GPU_KERNELS/wrong_increment.gfx942.O2.hsaco",
             folder);
    replayed_expect(&r, 9, "Verify: DIFFERENT");
    assert_non_null(strstr(r.out, "offset 0"));
    assert_non_null(strstr(r.out, "700 elements (u32) differ"));
}

TEST(test_compare)
{
    capture(capture_increment);
    replayed(
        &r, "",
        "compare --capture-dir %s --iterations 8 --json captured "
        "$ROOFTOP_GPU_KERNELS/vector.gfx942.O1.hsaco $ROOFTOP_GPU_KERNELS/vector.gfx942.O3.hsaco",
        folder);
    replayed_expect(&r, 0, "\"equal\":\ttrue\n}");
    assert_non_null(strstr(r.out, "\"comparisons\""));
    replayed(&r, "",
             "compare --capture-dir %s --iterations 2 $ROOFTOP_GPU_KERNELS/vector.gfx942.O1.hsaco "
             "$ROOFTOP_GPU_KERNELS/wrong_increment.gfx942.O2.hsaco",
             folder);
    replayed_expect(&r, 9, "as captured: DIFFERENT");
    assert_non_null(strstr(r.out, "as the first: DIFFERENT"));
}

TEST(test_other_kernels_are_refused)
{
    capture(capture_increment);
    replayed(&r, "", "full-vm --capture-dir %s --hsaco $ROOFTOP_GPU_KERNELS/memory.gfx942.O1.hsaco",
             folder);
    replayed_expect(&r, 1, "it has no kernel increment");
    replayed(&r, "", "full-vm --capture-dir %s --hsaco $ROOFTOP_GPU_KERNELS/vector.gfx90a.O1.hsaco",
             folder);
    replayed_expect(&r, 6, "gfx90a");
    replayed(&r, "", "full-vm --capture-dir %s --hsaco /etc/passwd", folder);
    replayed_expect(&r, 3, "/etc/passwd");
}

/* Iterations are reported much more often, but progress is reported too. */
TEST(test_how_far_it_is)
{
    capture(capture_increment);
    replayed(&r, "", "full-vm --capture-dir %s --iterations 2000 --progress", folder);
    replayed_expect(&r, 0, "\"name\":\"run\",\"done\":2000,\"total\":2000");
    assert_in_range(replayed_number(&r, "\"name\":\"run\",\"done\":"), 1, 1999); // the first
}

/* Everything that reports the runtime's version reports the same one. */
TEST(test_versions_agree)
{
    char line[64], *end;
    capture(capture_increment);
    replayed(&r, "", "full-vm --capture-dir %s --json", folder);
    const char *at = strstr(r.out, "\"rocm_version\":\t\"");
    assert_non_null(at);
    snprintf(line, sizeof line, "%.20s", at + strlen("\"rocm_version\":\t\""));
    end = strchr(line, '"');
    assert_non_null(end);
    *end = '\0';
    replayed(&r, "", "reserve-check --json");
    assert_non_null(strstr(r.out, line));
    char command[600];
    snprintf(command, sizeof command, "$ROOFTOP_SELF doctor | grep -q 'HSA %s,'", line);
    assert_int_equal(system(command), 0);
}

TEST(test_edit)
{
    capture(capture_increment);
    replayed(&r, "",
             "edit --capture-dir %s --once --iterations 4 --source /etc/hostname --build 'cp "
             "'$ROOFTOP_GPU_KERNELS'/vector.gfx942.O1.hsaco {out}'",
             folder);
    replayed_expect(&r, 0, "output equal");
    replayed(&r, "",
             "edit --capture-dir %s --once --json --source /etc/hostname --build 'echo wrong >&2; "
             "false; exit 3 # {out}'",
             folder);
    replayed_expect(&r, 1, "\"build_status\":\"exit 3\",\"build_output\":\"wrong\\n\"");
    replayed(&r, "ROOFTOP_EMU_PAGE_FAULT=3",
             "edit --capture-dir %s --once --source /etc/hostname --build 'cp "
             "'$ROOFTOP_GPU_KERNELS'/vector.gfx942.O1.hsaco {out}'",
             folder);
    replayed_expect(&r, 10, "memory fault");
    replayed(&r, "",
             "edit --capture-dir %s --once --build-timeout 0.3 --source /etc/hostname --build "
             "'sleep 20; : {out}'",
             folder);
    replayed_expect(&r, 1, "ended after 0.3 s");
}

TEST(test_reserve_check)
{
    capture(capture_add);
    replayed(&r, "", "reserve-check --capture-dir %s", folder);
    replayed_expect(&r, 0, "size 2800 -> OK\n");
    assert_non_null(strstr(r.out, "\nSummary:\n  Regions: 4\n  Total bytes: 12496\n"
                                  "  Page size: 4096\n"));
    replayed(&r, "ROOFTOP_EMU_ADDRESS=relocate", "reserve-check --capture-dir %s", folder);
    replayed_expect(&r, 2, "-> RELOCATED (0x");
    replayed(&r, "ROOFTOP_EMU_ADDRESS=refuse", "reserve-check --capture-dir %s", folder);
    replayed_expect(&r, 1, "-> FAIL (");
    replayed(&r, "", "reserve-check --capture-dir %s --format json", folder);
    replayed_expect(&r, 0, "\"relocated\":\t0");
    replayed(&r, "", "reserve-check");
    replayed_expect(&r, 0, "it can replay captures of its kind\n");
    replayed(&r, "ROOFTOP_EMU_ADDRESS=relocate", "reserve-check");
    replayed_expect(&r, 2, "it cannot replay\n");
    replayed(&r, "ROOFTOP_EMU_ADDRESS=refuse", "reserve-check --json");
    replayed_expect(&r, 1, "\"of_capture\":\tfalse");
    replayed(&r, "ROOFTOP_EMU_FAIL_HANDLE=1+", "reserve-check"); /* the address is not enough */
    replayed_expect(&r, 1, "-> FAIL (device memory at 0x");
    replayed(&r, "ROOFTOP_EMU_NO_VMEM=1", "reserve-check");
    replayed_expect(&r, 6, "virtual memory");
    replayed(&r, "", "reserve-check --capture-dir %s/nothing", folder);
    assert_true(r.status == 3);
}
#else
TEST(test_without_vmem)
{
    capture(capture_increment);
    replayed(&r, "", "full-vm --capture-dir %s", folder);
    replayed_expect(&r, 6, "it came with ROCm 6.0");
    replayed(&r, "", "reserve-check --capture-dir %s", folder);
    replayed_expect(&r, 6, "it came with ROCm 6.0");
}
#endif

TEST_MAIN(make_folder, remove_folder)
