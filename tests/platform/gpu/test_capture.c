// Reads back what `rooftop gpu capture` writes while programs run, as replay does: memory right
// before the kernel and right after it, with any queues, threads and packets; and failures on the
// way.
#include "base/error.h"
#include "engine/capture/capture.h"
#include "support/gpu.h"
#include "support/scene.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum { N = 1024 }; // numbers of `increment`, in apps/state.c

static struct capture *open_capture(const char *below)
{
    char path[512];
    struct capture *c = NULL;
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/%s", getenv("D"), below);
    if (capture_open(&c, path, &err) != 0 || capture_verify(c, NULL, NULL, &err) != 0)
        gpu_fail(__FILE__, __LINE__, "%s: %s: %s", path, err.what, err.why);
    return c;
}

// The n bytes at an address, before the kernel or after it.
static void contents(const struct capture *c, uint64_t address, bool after, void *to, size_t n)
{
    static uint8_t block[4 << 20];
    struct error err = ERROR_INIT;
    const struct capture_region *r = capture_region_at(c, address);
    assert_non_null(r);
    const struct capture_blob *blob = after && !r->after_same ? &r->after : &r->before;
    struct capture_contents *o = NULL;
    bool zero;
    uint64_t sum;
    assert_int_equal(capture_contents_open(&o, c, blob, r->size, &err), 0);
    assert_int_equal(capture_contents_block(o, 0, block, &zero, &sum, &err), 0);
    if (zero)
        memset(block, 0, sizeof block);
    memcpy(to, block + (address - r->base), n);
    capture_contents_close(o);
}

static uint64_t pointer_argument(const struct capture *c, unsigned i)
{
    uint64_t p;
    assert_true(c->kernarg_size >= 8 * (i + 1));
    memcpy(&p, c->kernarg + 8 * i, sizeof p);
    return p;
}

static void numbers(const struct capture *c, bool after, uint32_t *to)
{
    contents(c, pointer_argument(c, 0), after, to, N * sizeof *to);
}

// Captures of consecutive launches in place: each finds what the one before left, and leaves what
// its kernel makes of it.
static void check_chain(const char *folder, const char *kernel, int n)
{
    static uint32_t before[N], after[N], left[N];
    for (int k = 0; k < n; k++) {
        char below[256];
        snprintf(below, sizeof below, "%s/%s.%d", folder, kernel, k);
        struct capture *c = open_capture(below);
        assert_int_equal(c->dispatch_index, k);
        assert_true(c->drained);
        assert_true(c->has_after);
        assert_true(c->gpu_ns > 0 && c->pause_ns > 0);
        numbers(c, false, before);
        numbers(c, true, after);
        for (int i = 0; i < N; i++)
            assert_int_equal(after[i], before[i] * 3 + 5);
        if (k > 0)
            assert_memory_equal(before, left, sizeof left);
        memcpy(left, after, sizeof left);
        capture_free(c);
    }
}

TEST(test_in_place)
{
    expect(0, "captured",
           "$PLAIN capture --kernel '^increment$' --every 1 --post -o $D/chain -- "
           "$APP increment -n 4");
    check_chain("chain", "increment", 4);
}

TEST(test_every_packet_of_a_batch)
{
    expect(0, "app: batch: right",
           "$PLAIN capture --kernel increment --every 1 --post -o $D/batch "
           "-- $APP batch -n 6");
    expect(0, "6", "ls -d $D/batch/increment.* | wc -l | grep -x 6");
}

// Their results stay right, and each capture is of a single moment.
TEST(test_queues_and_threads)
{
    static const char *const works[] = {"queues", "threads", "shared_queue", "destroy"};
    for (unsigned i = 0; i < sizeof works / sizeof *works; i++) {
        expect(0, ": right",
               "$PLAIN capture --kernel increment --every 2 --post -o $D/%s -- $APP %s -n 4",
               works[i], works[i]);
        expect(0, NULL, "for c in $D/%s/*; do [ -e $c/capture_complete ] || exit 1; done",
               works[i]);
    }
}

TEST(test_code_from_a_file)
{
    expect(0, NULL, "$PLAIN capture --kernel increment -o $D/file -- $APP from_file");
    struct capture *c = open_capture("file");
    assert_true(c->code_bytes > 4096 && memcmp(c->code, "\177ELF", 4) == 0);
    assert_true(c->code_base && c->kernel_object - c->code_base < c->code_size);
    assert_false(c->has_after);
    capture_free(c);
}

TEST(test_dynamic_lds)
{
    expect(0, NULL, "$PLAIN capture --kernel reverse_group -o $D/lds -- $APP dynamic_lds");
    struct capture *c = open_capture("lds");
    assert_true(c->group_segment_size > 0); // the kernel itself has none
    capture_free(c);
}

// Before the kernel added its two.
TEST(test_module_variables)
{
    expect(0, NULL, "$PLAIN capture --kernel module_variable -o $D/var -- $APP variables");
    struct capture *c = open_capture("var");
    const struct capture_variable *counter = NULL;
    for (size_t i = 0; i < c->nvariables; i++)
        if (strcmp(c->variables[i].name, "module_counter") == 0)
            counter = &c->variables[i];
    if (!counter) {
        fail_msg("the variable was not captured");
        return;
    }
    assert_int_equal(counter->size, 4);
    uint8_t block[4];
    uint32_t value = 0;
    bool zero;
    uint64_t sum;
    struct capture_contents *o = NULL;
    struct error err = ERROR_INIT;
    assert_int_equal(capture_contents_open(&o, c, &counter->blob, 4, &err), 0);
    assert_int_equal(capture_contents_block(o, 0, block, &zero, &sum, &err), 0);
    memcpy(&value, block, sizeof value);
    assert_int_equal(value, 1000); // as apps/state.c set it
    capture_contents_close(o);
    capture_free(c);
}

static uint64_t clock_now(clockid_t clock, char text[32])
{
    struct timespec now;
    struct tm tm;
    clock_gettime(clock, &now);
    if (text)
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now.tv_sec, &tm));
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// The capture's time, host and command agree with this test's clocks, the machine and the command.
TEST(test_what_it_says_of_itself)
{
    char before[32], after[32];
    struct utsname machine;
    clock_now(CLOCK_REALTIME, before);
    uint64_t began = clock_now(CLOCK_MONOTONIC, NULL);
    expect(0, "captured",
           "$PLAIN capture --kernel '^increment$' -o $D/said -- $APP increment -n 3");
    uint64_t took = clock_now(CLOCK_MONOTONIC, NULL) - began;
    clock_now(CLOCK_REALTIME, after);
    struct capture *c = open_capture("said");
    assert_true(strcmp(before, c->time) <= 0 && strcmp(c->time, after) <= 0);
    assert_in_range(c->pause_ns, 1, took);
    assert_in_range(c->gpu_ns, 1, took);
    const char *words = strstr(c->command, " increment -n 3");
    assert_non_null(words);
    assert_string_equal(words, " increment -n 3"); // all of them, and no more
    assert_int_equal(uname(&machine), 0);
    assert_string_equal(c->host, machine.nodename);
    assert_int_equal(c->dispatch_index, 0);
    assert_true(c->pid > 1);
    char doctor[64];
    snprintf(doctor, sizeof doctor, "HSA %s,", c->runtime_version);
    expect(0, doctor, "$ROOFTOP doctor");
    capture_free(c);
}

TEST(test_host_memory_is_told_apart)
{
    unsigned kinds[3] = {0};
    expect(0, NULL, "$PLAIN capture --kernel vector_add -o $D/host -- $APP host");
    struct capture *c = open_capture("host");
    for (size_t i = 0; i < c->nregions; i++) {
        kinds[c->regions[i].segment]++;
        assert_null(c->regions[i].error);
    }
    assert_true(kinds[CAPTURE_DEVICE] && kinds[CAPTURE_HOST] && kinds[CAPTURE_KERNARG_POOL]);
    capture_free(c);
}

// The CPU has no access to it: the runtime's own copies would crash.
TEST(test_virtual_memory)
{
    static const char *const works[] = {"vmem", "vmem_private"};
    if (!scene_has_vmem()) {
        print_message("skipped: virtual memory: this runtime is older than ROCm 6.0\n");
        skip();
    }
    for (int i = 0; i < 2; i++) {
        expect(0, NULL, "$PLAIN capture --kernel . --post -o $D/%s -- $APP %s", works[i], works[i]);
        struct capture *c = open_capture(works[i]);
        unsigned found = 0;
        for (size_t k = 0; k < c->nregions; k++) {
            found += c->regions[k].vmem;
            assert_null(c->regions[k].error);
            if (c->regions[k].vmem)
                assert_true(c->regions[k].base - c->regions[k].reserved_base <
                            c->regions[k].reserved_size);
        }
        assert_true(found > 0);
        capture_free(c);
    }
}

// --- what goes wrong ---

// The kernel never completes, or faults: its capture was complete before it ran.
TEST(test_kernels_that_fail)
{
    static const struct {
        const char *fault, *end; // what ends the program, if it does not end itself
    } rows[] = {{"HANG",
                 "(until ls $D/HANG/*/capture_complete >/dev/null 2>&1; do sleep 0.02; done; kill "
                 "-TERM $(cat $D/pid)) & "},
                {"PAGE_FAULT", ""},
                {"ILLEGAL", ""},
                {"QUEUE_DIES", ""}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        char below[64];
        scene_run(&p,
                  "%sROOFTOP_EMU_%s=2 $PLAIN capture --kernel increment --dispatch 1 "
                  "--post --timeout 100 -o $D/%s -- " APP_TOLD "increment -n 3",
                  rows[i].end, rows[i].fault, rows[i].fault);
        assert_int_not_equal(p.status, 0);
        program_free(&p);
        snprintf(below, sizeof below, "%s", rows[i].fault);
        struct capture *c = open_capture(below);
        assert_false(c->has_after);
        assert_int_equal(c->dispatch_index, 1);
        capture_free(c);
    }
}

// One thread submits to both queues; one queue waits for what the thread submits next.
TEST(test_earlier_work_that_cannot_end)
{
    expect(1, "earlier work of its queue did not end in time",
           "$PLAIN capture --kernel increment --timeout 0.3 -o $D/cannot -- $APP late_gate");
    expect(1, NULL, "ls $D/cannot 2>/dev/null | grep .");
}

TEST(test_files_that_cannot_be_written)
{
    struct program p;
    program_run(&p, "unshare -rm true"); // a file system of its own, 1 MiB large
    const bool own = p.status == 0;
    program_free(&p);
    if (own)
        expect(
            7, "No space left",
            "mkdir $D/full; unshare -rm sh -c 'mount -t tmpfs -o size=1m t $D/full && $PLAIN "
            "capture "
            "--kernel increment -o $D/full -- $APP big; s=$?; ls $D/full | grep . && exit 99; exit "
            "$s'");
    else
        print_message("skipped: a full disk: user namespaces are not allowed here\n");
    expect(7, ": right", "$PLAIN capture --kernel increment -o /proc/no -- $APP increment");
    expect(7, ": right",
           "touch $D/file_is; $PLAIN capture --kernel increment -o $D/file_is/x -- "
           "$APP increment");
}

TEST(test_what_cannot_be_captured)
{
    expect(6, "no HSA runtime loaded", "$PLAIN capture --kernel . -o $D/no -- true");
    expect(5, "no HSA runtime loaded", "$PLAIN capture --kernel . -o $D/no -- sh -c 'exit 5'");
    expect(127, "command not found", "$PLAIN capture --kernel . -o $D/no -- /no/such/program");
    expect(6, "ROOFTOP_CAPTURE_LIBRARY",
           "ROOFTOP_CAPTURE_LIBRARY=/no/such.so $PLAIN capture --kernel . -- true");
    expect(4, "these ran:", "$PLAIN capture --kernel 'incr$' -o $D/no -- $APP increment");
    expect(4, "had 3, counted from 0",
           "$PLAIN capture --kernel incr --dispatch 3 -o $D/no -- $APP increment -n 3");
    expect(2, "unmatched (", "$PLAIN capture --kernel '(' -- true");
    expect(2, "only one of", "$PLAIN capture --kernel . --every 2 --slowest -- true");
}

TEST(test_slowest)
{
    expect(0, "the command runs again",
           "$PLAIN capture --kernel . --slowest --post -o $D/slow -- $APP matmul -n 2");
    struct capture *c = open_capture("slow");
    assert_true(c->has_after);
    capture_free(c);
}

// Each process has its own; none takes the other's folder.
TEST(test_processes)
{
    expect(0, ": right", "$PLAIN capture --kernel increment -o $D/fork -- $APP fork -c 3");
    expect(0, NULL,
           "ls -d $D/fork/increment.0* | wc -l | grep -qx '[345]' && for c in $D/fork/*; do "
           "[ -e $c/capture_complete ] || exit 1; done");
}

TEST(test_by_hand)
{
    expect(0, "rooftop gpu capture: captured: ",
           "HSA_TOOLS_LIB=$(dirname $PLAIN)/librooftop-capture.so ROOFTOP_CAPTURE_KERNEL=increment "
           "ROOFTOP_CAPTURE_DISPATCH=2 ROOFTOP_CAPTURE_POST=1 ROOFTOP_CAPTURE_OUTPUT=$D/hand "
           "$APP increment -n 3");
    struct capture *c = open_capture("hand");
    assert_int_equal(c->dispatch_index, 2);
    capture_free(c);
    expect(0, "of another version",
           "head -c 100000 /dev/zero >$D/page; ROOFTOP_CAPTURE_CONTROL=$D/page "
           "HSA_TOOLS_LIB=$(dirname $PLAIN)/librooftop-capture.so $APP increment -n 3");
}

TEST_MAIN(scene_begin, scene_end)
