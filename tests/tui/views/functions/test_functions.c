/* Hot functions, driven by keys: what is shown, and what is requested from the loop that drives
 * the app. */
#include <link.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scenes.h"
#include "support/stage.h"
#include "tui/app/app.h"
#include "tui/app/app_state.h"
#include "support/test.h"

enum { TICKS = 90 };

static struct stage stage;

static void start(const char *name, int ticks)
{
    stage_close(&stage);
    stage_open(&stage, name, 160, 40, ticks);
}

FIXTURE(teardown)
{
    stage_close(&stage);
}

FIXTURE(setup)
{
    stage_open(&stage, "hot", 160, 40, TICKS);
}

static unsigned key(uint32_t k)
{
    stage_key(&stage, k);
    return stage.asked;
}

static bool shows(const char *text)
{
    return strstr(stage.screen, text) != NULL;
}

/* Waits for what another thread reads; work that was cancelled may signal first. */
static void wait_for_code(void)
{
    struct pollfd fd = {.fd = app_job_fd(stage.a), .events = POLLIN};
    do
        assert_int_equal(poll(&fd, 1, 20000), 1);
    while (app_job_done(stage.a) != APP_REDRAW);
    stage_look(&stage);
}

static unsigned long samples(void)
{
    const char *at = strstr(stage.screen, " samples in ");
    assert_non_null(at);
    while (at > stage.screen && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoul(at, NULL, 10);
}

/* --- requests for sampling --- */

TEST_WITH(opening_asks_for_sampling_and_passing_does_not, setup, teardown)
{
    start("vm", 2);
    for (int i = 0; i < 4; i++) /* past all tabs that have something to show */
        assert_int_equal(key(KEY_TAB) & APP_SAMPLING, 0);
    assert_false(shows("hot functions"));
    assert_true(app_set_view(stage.a, "functions", &(struct error){0})); /* as with --view */
    stage_look(&stage);
    assert_true(shows("Sampling is off"));
    assert_int_equal(key('F') & APP_SAMPLING, APP_SAMPLING);
    assert_true(app_sampling(stage.a));
    assert_true(shows("the first samples are on their way"));
    start("vm", 2);
    assert_int_equal(key('f') & APP_SAMPLING, APP_SAMPLING);
    assert_true(app_sampling(stage.a));
    start("hot", 3);
    assert_int_equal(key('f') & APP_SAMPLING, 0); /* it is on already */
    assert_int_equal(key('F') & APP_SAMPLING, APP_SAMPLING);
    assert_false(app_sampling(stage.a));
}

/* A sample that covers hardly any time says nothing about what ran. */
TEST_WITH(nothing_ran_only_if_time_went_by, setup, teardown)
{
    const struct hot_stacks first = {.event = "cpu-clock", .hz = 997, .seconds = 0.004};
    const struct hot_stacks second = {.event = "cpu-clock", .hz = 997, .seconds = 1};
    const struct hot_stacks *stacks[] = {&first, &second};
    start("vm", 2);
    key('f');
    for (int i = 0; i < 2; i++) {
        struct snapshot *s = scene("vm", 2 + i);
        s->sampling.on = true;
        s->stacks = stacks[i];
        app_update(stage.a, s);
        snapshot_unref(s);
        stage_look(&stage);
        assert_int_equal(shows("the first samples are on their way"), i == 0);
        assert_int_equal(shows("nothing that is watched ran in this time"), i == 1);
    }
}

TEST_WITH(what_was_sampled_stays_when_it_is_off, setup, teardown)
{
    key('f');
    unsigned long before = samples();
    stage_feed(&stage, "vm", TICKS); /* no profile, sampling off */
    stage_look(&stage);
    assert_int_equal(samples(), before);
    assert_true(shows("sampling is off: F turns it on"));
}

/* --- the window --- */

TEST_WITH(the_window_is_chosen, setup, teardown)
{
    key('f');
    unsigned long ten = samples();
    assert_true(shows("10 s up to now"));
    key('[');
    key('[');
    assert_true(shows("1 s up to now"));
    unsigned long one = samples();
    assert_true(one * 9 < ten && ten < one * 11);
    key('[');
    assert_int_equal(samples(), one);
    for (int i = 0; i < 9; i++)
        key(']');
    assert_true(shows("all up to now"));
    assert_true(samples() > 80 * one);
}

/* A moment in the past shows what an app would show that got no later samples. */
TEST_WITH(the_past_shows_its_own_functions, setup, teardown)
{
    static char then[sizeof stage.screen];
    start("hot", 50);
    key('f');
    snprintf(then, sizeof then, "%s", strstr(stage.screen, "SELF %"));
    unsigned long before = samples();
    start("hot", TICKS);
    key('f');
    assert_int_not_equal(samples(), before);
    for (int i = 0; i < TICKS - 50; i++)
        key(','); /* one sample back */
    assert_int_equal(samples(), before);
    assert_memory_equal(strstr(stage.screen, "SELF %"), then, 1500);
    assert_false(shows("up to now"));
    for (int i = 0; i < 5; i++)
        key(',');
    for (int i = 0; i < 5; i++)
        key('.'); /* and forward */
    assert_memory_equal(strstr(stage.screen, "SELF %"), then, 1500);
    key(')');
    assert_true(shows("up to now"));
    assert_int_not_equal(samples(), before);
}

TEST_WITH(another_target_starts_anew, setup, teardown)
{
    key('f');
    struct snapshot *s = scene("hot", TICKS);
    s->target = "pid 4711";
    app_update(stage.a, s);
    unsigned long only = (unsigned long)s->stacks->samples;
    snapshot_unref(s);
    stage_look(&stage);
    assert_int_equal(samples(), only);
}

/* --- the list --- */

static const char *first_function(void)
{
    static char row[512];
    const char *at = strstr(stage.screen, "SELF %");
    at = strchr(at, '\n') + 1;
    snprintf(row, sizeof row, "%.*s", (int)strcspn(at, "\n"), at);
    return row;
}

TEST_WITH(the_list_is_sorted_and_filtered, setup, teardown)
{
    key('f');
    assert_non_null(strstr(first_function(), "_mm256_fmadd_ps"));
    assert_non_null(strstr(first_function(), " i "));
    key('s');
    assert_true(shows("flat list by total"));
    assert_non_null(strstr(first_function(), "main"));
    key('s');
    assert_non_null(strstr(first_function(), "0x7f120034"));
    key('<');
    key('<');
    key('\\');
    stage_type(&stage, "module=libc.so.6");
    key(KEY_ENTER_);
    assert_non_null(strstr(first_function(), "__memcpy_avx_unaligned_erms"));
    assert_int_equal(stage.a->state[stage.a->view].rows, 1);
    key('\\');
    key(21); /* ^U */
    stage_type(&stage, "self>10% kind=user");
    key(KEY_ENTER_);
    assert_int_equal(stage.a->state[stage.a->view].rows, 1); /* the frames above it are inlined */
    assert_non_null(strstr(first_function(), "gemm::multiply"));
}

TEST_WITH(callers_and_callees_stand_beside, setup, teardown)
{
    key('f');
    key('j');
    assert_true(shows("CALLED BY"));
    assert_true(shows("100.0 %   gemm::multiply<float, 8, 6>"));
    key('c');
    assert_false(shows("CALLED BY"));
    key('i');
    assert_true(shows("Called by"));
    assert_true(shows("inlined into its caller"));
}

/* --- tree and flames --- */

TEST_WITH(the_cursor_stays_on_its_function, setup, teardown)
{
    key('f');
    key('/');
    stage_type(&stage, "pack_b");
    key(KEY_ENTER_);
    key('m');
    assert_true(shows("call tree"));
    char id[VIEW_TEXT_MAX];
    snprintf(id, sizeof id, "%s", stage.a->state[stage.a->view].selected_key);
    assert_int_equal(strncmp(id, "t:", 2), 0);
    key('m');
    assert_true(shows("▸gemm::pack_b"));
    key('m');
    assert_int_equal(strncmp(stage.a->state[stage.a->view].selected_key, "f:", 2), 0);
}

TEST_WITH(the_tree_folds, setup, teardown)
{
    key('f');
    key('m');
    key('g');
    int all = stage.a->state[stage.a->view].rows;
    key(KEY_RIGHT_); /* it is unfolded: moves to the first row below */
    assert_int_equal(stage.a->state[stage.a->view].selected, 1);
    key(KEY_LEFT_);
    assert_true(stage.a->state[stage.a->view].rows < all);
    assert_true(shows("▸ main"));
    assert_false(shows("▾ worker(void*)\n"));
    key(KEY_LEFT_); /* moves to the caller */
    assert_int_equal(stage.a->state[stage.a->view].selected, 0);
    key('j');
    key('+');
    assert_int_equal(stage.a->state[stage.a->view].rows, all);
    key('-');
    assert_true(stage.a->state[stage.a->view].rows < all);
}

TEST_WITH(flames_are_walked_and_zoomed, setup, teardown)
{
    key('f');
    key('m');
    key('m');
    key('g');
    assert_true(shows("▸all"));
    key(KEY_DOWN_);
    assert_true(shows("▸_start"));
    key(KEY_DOWN_);
    key(KEY_DOWN_);
    assert_true(shows("▸worker(void*)"));
    key(KEY_LEFT_);
    assert_true(shows("▸gemm::pack_b"));
    key(KEY_ENTER_);
    key(KEY_DOWN_);
    assert_true(shows("▸__memcpy_avx_unaligned_erms"));
    assert_false(shows("worker(void*)"));
    key(KEY_BACKSPACE_); /* one level out */
    assert_true(shows("worker(void*)"));
    key(KEY_ENTER_);
    assert_false(shows("worker(void*)"));
    key(KEY_ESCAPE); /* all levels */
    assert_true(shows("worker(void*)"));
    key(KEY_UP_);
    assert_true(shows("▸gemm::pack_b"));
    /* by a click */
    for (int i = 0; i < stage.a->nzones; i++)
        if (stage.a->zones[i].action == ACTION_POINT_FRAME && stage.a->zones[i].r.y == 5)
            app_key(stage.a, &(struct key_event){.key = KEY_MOUSE_,
                                                 .x = stage.a->zones[i].r.x + 1,
                                                 .y = 5,
                                                 .button = MOUSE_LEFT});
    assert_non_null(strstr(stage_look(&stage), "▸"));
}

/* --- code --- */

TEST_WITH(source_is_shown_with_the_share_of_lines, setup, teardown)
{
    key('f');
    key('j'); /* gemm::microkernel */
    key(KEY_ENTER_);
    wait_for_code();
    assert_true(shows("tests/data/code/gemm.cpp"));
    assert_true(shows("for (int i = 0; i < rows; i++) {"));
    int first = stage.a->overlay_state.selected;
    assert_int_equal(first, 33);
    key('n');
    assert_true(stage.a->overlay_state.selected > first);
    key('N');
    assert_int_equal(stage.a->overlay_state.selected, first);
    key(KEY_ESCAPE);
    assert_true(shows("hot functions"));
}

TEST_WITH(a_missing_source_gives_way_to_instructions, setup, teardown)
{
    key('f');
    key('v'); /* the header of an intrinsic */
    wait_for_code();
    wait_for_code();
    assert_true(shows("─ instructions ─"));
    assert_true(shows("no source: "));
    assert_true(shows("fmaintrin.h"));
    key('v'); /* the reason why there is no source is shown */
    wait_for_code();
    assert_true(shows("─ source ─"));
    assert_true(shows("v shows the instructions instead"));
}

/* A function of this program: a disassembler finds it, or there is a reason why not. */
static int lowest(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1; /* the first one is the program */
}

TEST_WITH(instructions_are_shown_with_the_share_of_each, setup, teardown)
{
    uint64_t base = 0;
    struct snapshot *s = scene("hot", TICKS);
    struct hot_stacks *p = snapshot_alloc(s, sizeof *p);
    struct hot_symbol *symbol = snapshot_alloc(s, sizeof *symbol);
    struct hot_node *node = snapshot_alloc(s, sizeof *node);
    struct hot_place *place = snapshot_alloc(s, sizeof *place);
    char path[4096] = "";
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    dl_iterate_phdr(lowest, &base);
    *symbol = (struct hot_symbol){.name = "key",
                                  .module = "test_functions",
                                  .path = snapshot_strdup(s, path),
                                  .file = "",
                                  .address = (uint64_t)(uintptr_t)key - base,
                                  .size = 48};
    *node = (struct hot_node){-1, 0, 7};
    *place = (struct hot_place){.symbol = 0, .samples = 7, .address = symbol->address, .file = ""};
    *p = *s->stacks;
    p->samples = 7;
    p->symbols = symbol, p->nsymbols = 1;
    p->nodes = node, p->nnodes = 1;
    p->places = place, p->nplaces = 1;
    s->stacks = p;
    s->target = "another one";
    app_update(stage.a, s);
    snapshot_unref(s);
    key('f');
    key('v'); /* without a source, instructions are shown at once */
    wait_for_code();
    assert_true(shows("instructions"));
    if (shows("not installed")) /* the reason is in the place of the code */
        return;
    assert_true(shows("INSTRUCTION"));
    assert_true(shows("  100.0        7"));
    assert_true(shows("7 samples here"));
}

TEST_WITH(closing_while_it_is_read_is_safe, setup, teardown)
{
    key('f');
    for (int i = 0; i < 50; i++) {
        key('v');
        key('v');
        key(KEY_ESCAPE);
    }
    key('j');
    key('v');
    wait_for_code();
    assert_true(shows("microkernel"));
}

/* --- random keys --- */

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

TEST_WITH(random_keys_do_no_harm, setup, teardown)
{
    static const char *const names[] = {"hot", "nasty", "vm", "command"};
    static const uint32_t keys[] = {
        'f',       'm',     'm',       'v',        'c',        'F',        '[', ']',
        '+',       '-',     KEY_LEFT_, KEY_RIGHT_, KEY_UP_,    KEY_DOWN_,  'n', 'N',
        's',       'r',     'g',       'G',        KEY_ENTER_, KEY_ESCAPE, 'i', '/',
        'a',       KEY_TAB, 'p',       ',',        KEY_PGDN,   KEY_PGUP,   ')', KEY_BACKSPACE_,
        KEY_MOUSE_};
    enum { STEPS = 6000, KEYS = sizeof keys / sizeof *keys };
    unsigned seed = 7;
    int tick = TICKS;
    key('f');
    for (int i = 0; i < STEPS; i++) {
        struct key_event ev = {.key = keys[next(&seed) % KEYS],
                               .x = (int)(next(&seed) % 160),
                               .y = (int)(next(&seed) % 40),
                               .button = (int)(1 + next(&seed) % 5)};
        app_key(stage.a, &ev);
        if (next(&seed) % 4 == 0)
            stage_feed(&stage, names[next(&seed) % 16 ? 0 : next(&seed) % 4], tick++);
        if (next(&seed) % 30 == 0)
            canvas_resize(&stage.c, (int)(next(&seed) % 220), (int)(next(&seed) % 60));
        if (next(&seed) % 3)
            app_draw(stage.a, &stage.c);
        app_job_done(stage.a);
    }
}
