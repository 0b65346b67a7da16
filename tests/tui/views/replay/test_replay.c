/* The replay menu, driven by keys: captures made by hand, and a program that replays them without
 * a GPU in place of rooftop. Starts children and threads: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/capture/capturer.h"
#include "format/sum.h"
#include "support/code_made.h"
#include "support/replay_screen.h"
#include "support/skip.h"
#include "support/test.h"
#include "tui/views/replay/replay.h"

static struct stage s;
static struct replay_screen on;

static void host_can(struct replay_host *out)
{
    *out = (struct replay_host){.known = true};
    replay_screen_add_gpu(out, "AMD Instinct MI300X", ISA_GFX942);
}

static void host_cannot(struct replay_host *out)
{
    *out = (struct replay_host){.known = true};
    replay_screen_add_gpu(out, "AMD Instinct MI210", ISA_GFX90A);
}

static void expect(const char *text, bool there)
{
    replay_screen_expect(&on, text, there);
}

static void until(const char *text)
{
    replay_screen_until(&on, text);
}

FIXTURE(set_up)
{
    replay_screen_open(&on, &s, host_can);
}

FIXTURE(tear_down)
{
    replay_screen_close(&on);
}

TEST_WITH(a_replay_is_asked_for_run_and_kept, set_up, tear_down)
{
    expect("not replayed yet", true);
    stage_key(&s, 'R');
    expect("how many launches are measured", true);
    stage_key(&s, 21); /* ^U */
    stage_type(&s, "x");
    expect("! not a number", true);
    stage_key(&s, KEY_ENTER_); /* nothing starts */
    expect("! not a number", true);
    stage_key(&s, 21);
    stage_type(&s, "7");
    expect("! not a number", false);
    stage_key(&s, KEY_ENTER_);
    until("memory after: equal in 2 regions");
    until("RESULTS");
    expect("✓ equal", true);
    expect("◂ compared with", true);
    replay_screen_again(&on, host_can, false); /* at another day */
    until("RESULTS");
    expect("12.2 us", true);
}

TEST_WITH(emulated_results_stay_apart, set_up, tear_down)
{
    stage_key(&s, 'V');
    until("RESULTS");
    setenv("FAKE_EMULATED", "true", 1);
    stage_key(&s, 'V');
    until("one is EMULATED");
    expect(" EMULATED ", true);
    expect("E 12.2 us", true);
}

TEST_WITH(it_is_cancelled, set_up, tear_down)
{
    stage_key(&s, 'x');
    expect("no replay is running", true);
    setenv("FAKE_REPLAY", "hang", 1);
    stage_key(&s, 'V');
    until("▸restore");
    expect("x cancels", true);
    stage_key(&s, 'V'); /* only one replay at a time */
    expect("a replay is running", true);
    stage_key(&s, 'x');
    until("full-vm: cancelled");
}

TEST_WITH(every_end_is_explained, set_up, tear_down)
{
    static const struct {
        const char *how, *text;
    } ends[] = {{"crash", "signal 11 (Segmentation fault) in stage restore"},
                {"fault", "address 0x2010 belongs to the region 0x2000"},
                {"rocr-fault", "address 0x2010 lies in no captured region"},
                {"load", "load: kernel.hsaco: it has no kernel"},
                {"different", "DIFFERS in 2 regions"},
                {"silent", "without a result"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        setenv("FAKE_REPLAY", ends[i].how, 1);
        stage_key(&s, 'V');
        until(ends[i].text);
    }
}

TEST_WITH(builds_are_compared, set_up, tear_down)
{
    stage_key(&s, 'c');
    stage_key(&s, KEY_ENTER_);
    expect("! at least two are compared", true);
    stage_type(&s, "no-such-file");
    stage_key(&s, KEY_ENTER_);
    expect("! no-such-file: No such file", true);
    stage_key(&s, 21);
    stage_type(&s, "Makefile"); /* any file: it is not loaded here */
    stage_key(&s, KEY_ENTER_);
    until("compare: done");
    expect("captured", true);
    expect("Makefile", true);
    expect("1.250 x slower", true);
    until("RESULTS"); /* both results are in the history */
    expect("compared Makefile", true);
}

TEST_WITH(addresses_are_checked, set_up, tear_down)
{
    stage_key(&s, 'B');
    until("addresses: 2 exact, 0 elsewhere, 0 refused, of 2");
}

TEST_WITH(why_this_host_cannot_is_said, set_up, tear_down)
{
    replay_screen_again(&on, host_cannot, false);
    expect("gfx90a", true);
    stage_key(&s, KEY_ENTER_);
    expect("replay … (this host cannot)", true);
}

TEST_WITH(memory_is_looked_into, set_up, tear_down)
{
    stage_key(&s, 'm');
    until("07 08 09 0a 0b 0c");
    expect("#0 + 0x0", true);
    stage_key(&s, ']'); /* the first difference between before and after */
    until("#0 + 0x8000");
    stage_key(&s, 'b');
    expect("memory after the kernel", true);
    stage_key(&s, 't');
    expect("as f16", true);
    stage_key(&s, 'g');
    stage_type(&s, "0x7f0001200000\r");
    expect("#3 + 0x0", true);
    stage_key(&s, 'g');
    stage_type(&s, "12\r");
    expect("0xc lies in no captured region", true);
    stage_key(&s, 'g');
    stage_type(&s, "#2\r");
    stage_key(&s, 'T'); /* bytes again */
    stage_key(&s, '/');
    stage_type(&s, "7\r");
    until("#2 + 0x500000"); /* in 8 MiB of zeros */
    /* there is no earlier one in it: goes back to the previous region, or stays */
    stage_key(&s, 'N');
    stage_key(&s, KEY_ESCAPE); /* while it searches */
    expect("replay: captures", true);
}

TEST_WITH(arguments_and_code_say_what_is_missing, set_up, tear_down)
{
    stage_key(&s, 'a');
    until("it has no metadata");
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, 'v');
    until("kernel.hsaco: "); /* there is no such file */
    stage_key(&s, KEY_ESCAPE);
}

/* Adds the code object to the capture, and its checksum to dispatch.json. */
static void give_code(void)
{
    static char code[1 << 16];
    uint8_t args[MADE_KERNARG_SIZE] = {0};
    const uint64_t pointer[] = {MADE_DEVICE + 16, MADE_HOST};
    const float by = 2.5f;
    FILE *f = fopen("tests/data/gpu/hsaco/typed.gfx942.v5.hsaco", "rb");
    assert_non_null(f);
    size_t n = fread(code, 1, sizeof code, f);
    fclose(f);
    memcpy(args, pointer, sizeof pointer);
    memcpy(args + sizeof pointer, &by, sizeof by);
    made_capture_replace(&on.made, "kernel.hsaco", code, n);
    made_capture_replace(&on.made, "kernarg.bin", args, sizeof args);
    made_capture_change(&on.made, "dispatch.json", "_Z5scalePfS_fj", "_Z8indirectPFvPfES_");
}

TEST_WITH(arguments_have_names_and_lead_to_memory, set_up, tear_down)
{
    give_code();
    replay_screen_again(&on, host_can, false);
    stage_key(&s, 'a');
    until("indirect(void (*)(float*), float*)");
    expect("(region 0 + 0x10)", true);
    expect("(region 4 + 0x0)", true);
    expect("hidden_", true);
    stage_key(&s, KEY_ENTER_); /* the first argument points into the first region */
    until("#0 + 0x10");
    expect("memory before the kernel", true);
}

TEST_WITH(instructions_are_shown, set_up, tear_down)
{
    needs_disassembler(code_path("typed.gfx942.v5.hsaco"));
    give_code();
    replay_screen_again(&on, host_can, false);
    stage_key(&s, 'v');
    until(" s_load_dword");
    expect("by ", true);
}

TEST_WITH(deleting_asks_first, set_up, tear_down)
{
    struct stat st;
    stage_key(&s, KEY_DELETE);
    expect("delete this capture?", true);
    stage_key(&s, 'n');
    assert_int_equal(stat(on.made.dir, &st), 0);
    stage_key(&s, KEY_DELETE);
    stage_key(&s, 'y');
    until("No captures yet");
    assert_int_not_equal(stat(on.made.dir, &st), 0);
}

TEST_WITH(readonly_starts_and_deletes_nothing, set_up, tear_down)
{
    struct stat st;
    replay_screen_again(&on, host_can, true);
    static const uint32_t keys[] = {'R', 'V', 'c', 'B', KEY_DELETE};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        stage_key(&s, keys[i]);
        expect("started with --readonly", true);
    }
    assert_int_equal(stat(on.made.dir, &st), 0);
    stage_key(&s, 'm'); /* looking into a capture is always possible */
    until("07 08 09 0a 0b 0c");
}

TEST_WITH(rows_are_found_and_filtered, set_up, tear_down)
{
    stage_command(&s, "filter can=no");
    expect("no capture matches the filter", true);
    stage_command(&s, "filter size>1M and kernel~^scale");
    expect("scale(float*", true);
    stage_command(&s, "sort kernel");
    expect("KERNEL▾", true);
}

TEST_WITH(a_new_capture_is_found_by_itself, set_up, tear_down)
{
    char away[sizeof on.made.dir + 8];
    snprintf(away, sizeof away, "%s.away", on.made.dir);
    assert_int_equal(rename(on.made.dir, away), 0);
    app_captured(s.a);
    until("No captures yet");
    assert_int_equal(rename(away, on.made.dir), 0);
    app_captured(s.a);
    until("not replayed yet");
}

/* Also where a folder that is only remembered has a newer one. */
TEST_WITH(the_cursor_begins_at_the_capture_that_was_opened, set_up, tear_down)
{
    struct made_capture newer;
    made_capture_make(&newer);
    made_capture_change(&newer, "dispatch.json", "2026-11-20T", "2026-11-21T");
    char *folders[] = {newer.dir, on.made.dir};
    const struct replay_list_request r = {
        .folders = folders, .nfolders = 2, .opened = on.made.dir, .ask = host_can};
    stage_close(&s);
    stage_open(&s, "vm", 120, 40, 2);
    app_set_captures(s.a, &r, NULL);
    stage_view(&s, "replay");
    until("2026-11-21");
    expect(on.made.dir, true);
    expect(newer.dir, false);
    stage_key(&s, KEY_UP_);
    expect(newer.dir, true);
    made_capture_remove(&newer);
}

TEST_WITH(the_program_s_kernels_are_told, set_up, tear_down)
{
    const struct capturer_kernel row = {.name = "saxpy(int)", .mangled = "", .dispatches = 12};
    app_set_launched(s.a, &row, 1);
    stage_look(&s);
    expect("S one of 1 kernel", true);
    app_set_launched(s.a, NULL, 0);
}
