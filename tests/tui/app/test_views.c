/* Draws only: not for TSan. */
/*
 * Every view and overlay of every scene, as text and as a plane of style letters, compared with
 * tests/data/golden. UPDATE_GOLDEN=1 rewrites the files: look at the difference before committing
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/analysis/analysis.h"
#include "support/att_scene.h"
#include "support/golden.h"
#include "support/gpu_scene.h"
#include "support/opened.h"
#include "support/profile_scene.h"
#include "support/replay_scene.h"
#include "support/scenes.h"
#include "support/syscalls_snapshot_scene.h"
#include "tui/app/app.h"
#include "tui/app/app_opening.h"
#include "tui/canvas/render.h"
#include "support/test.h"

static const struct {
    int cols, rows;
} sizes[] = {{80, 24}, {120, 40}, {200, 50}};
enum { SIZES = sizeof sizes / sizeof *sizes, TICKS = 90 };

static struct analysis opened; /* of the scene "profile" */

static struct app *app_of(const char *name, bool ascii)
{
    struct app *a = app_new(1, ascii, "rooftop-dark");
    bool trace = strcmp(name, "trace") == 0, calls = strcmp(name, "syscalls") == 0;
    const struct analysis *profile = strcmp(name, "streams") == 0   ? opened_streams()
                                     : strcmp(name, "kineto") == 0  ? &opened
                                     : strcmp(name, "gpu") == 0     ? gpu_scene()
                                     : strcmp(name, "profile") == 0 ? profile_scene()
                                                                    : NULL;
    app_set_att(a, trace ? att_scene() : NULL);
    app_set_profile(a, profile);
    if (calls)
        app_set_syscalls(a, syscalls_snapshot_scene(SYSCALLS_TRACING, 6));
    for (int t = 0; t < TICKS; t++) {
        struct snapshot *s = scene(trace || profile || calls ? "vm" : name, t);
        app_update(a, s);
        snapshot_unref(s);
    }
    return a;
}

/* Draws the picture after each key, as the screen does, because lists learn there where their
 * cursor is. */
static void press(struct app *a, struct canvas *c, const char *keys)
{
    char word[16];
    for (const char *p = keys; *p;) {
        size_t n = strcspn(p, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        app_key(a, &(struct key_event){.key = key_parse(word)});
        app_draw(a, c);
        p += n + strspn(p + n, " ");
    }
}

static char *text_of(const struct canvas *c)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(render_text(f, c), 0);
    fclose(f);
    return text;
}

static const char *replays; /* content of the replay menu in the next pictures; NULL: none */
static const struct app_opening
    *opening; /* the file that is being opened in the next pictures; NULL: none */

/* A view after these keys, in each size: in UTF-8 with its styles, and in ASCII. */
static void golden(const char *name, const char *what, const char *keys)
{
    struct app *a[2];
    struct canvas c[2];
    char path[256], *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    for (int ascii = 0; ascii < 2; ascii++) {
        a[ascii] = app_of(name, ascii);
        canvas_init(&c[ascii]);
        canvas_resize(&c[ascii], 120, 40);
        if (opening)
            app_set_opening(a[ascii], opening);
        if (replays)
            replay_scene_set(a[ascii], replays);
        app_draw(a[ascii], &c[ascii]);
        press(a[ascii], &c[ascii], keys);
    }
    for (int i = 0; i < SIZES; i++) {
        for (int ascii = 0; ascii < 2; ascii++) {
            canvas_resize(&c[ascii], sizes[i].cols, sizes[i].rows);
            app_draw(a[ascii], &c[ascii]);
        }
        golden_add_screen(f, &c[0], &c[1]);
    }
    fclose(f);
    snprintf(path, sizeof path, "tests/data/golden/%s-%s.screen", name, what);
    golden_is(path, text);
    free(text);
    for (int ascii = 0; ascii < 2; ascii++) {
        canvas_free(&c[ascii]);
        app_free(a[ascii]);
    }
    snapshot_pool_drain();
}

static uint64_t five_seconds(void *ctx)
{
    (void)ctx;
    return 5000000000u;
}

TEST(the_replay_menu)
{
    static const struct {
        const char *scene, *what, *keys;
    } pictures[] = {{"captures", "replay", "0"},
                    {"captures", "replay-base", "0 ]"},
                    {"captures", "replay-cannot", "0 Down Down"},
                    {"captures", "replay-menu", "0 Enter"},
                    {"captures", "replay-form", "0 R ^U 0 Tab Tab"},
                    {"captures", "replay-compare", "0 c"},
                    {"captures", "replay-delete", "0 Delete"},
                    {"running", "replay-running", "0"},
                    {"done", "replay-done", "0"},
                    {"different", "replay-different", "0"},
                    {"fault", "replay-fault", "0"},
                    {"variants", "replay-variants", "0"},
                    {"emulated", "replay-emulated", "0"},
                    {"empty", "replay-empty", "0 0"}};
    env_set_clock(five_seconds, NULL);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        replays = pictures[i].scene;
        golden("vm", pictures[i].what, pictures[i].keys);
    }
    replays = NULL;
    env_set_clock(NULL, NULL);
}

TEST(a_profile_that_is_being_opened)
{
    static const struct app_opening reading = {.path = "/data/runs/llama-70b/rank0_results.db",
                                               .doing = "reading",
                                               .share = 0.434,
                                               .seconds = 12};
    opening = &reading;
    golden("vm", "opening", "");
    opening = NULL;
}

TEST(a_profile_that_cannot_be_opened)
{
    static const struct app_opening failed = {
        .path = "/data/runs/llama-70b/rank0_results.db",
        .failed = "/data/runs/llama-70b/rank0_results.db: table rocpd_region, row 120311: "
                  "database disk image is malformed; profile again with rocprofv3, or copy the "
                  "file again"};
    opening = &failed;
    golden("vm", "not-opened", "");
    opening = NULL;
}

TEST(overview_of_a_pmu_machine)
{
    golden("zen4", "overview", "");
}

TEST(overview_of_a_vm)
{
    golden("vm", "overview", "");
    golden("procs", "overview", "");
    golden("procs", "tree", "F5 ^T");
    golden("procs", "io", "b d");
}

TEST(overview_of_512_cpus)
{
    golden("many", "overview", "");
}

TEST(overview_of_nothing)
{
    golden("empty", "overview", "");
}

TEST(overview_of_hostile_names)
{
    golden("hostile", "overview", "");
}

TEST(counters_of_a_pmu_machine)
{
    golden("zen4", "counters", "2");
}

TEST(counters_of_a_vm)
{
    golden("vm", "counters", "2");
}

TEST(a_watched_command_and_its_output)
{
    golden("command", "watched", "");
    golden("command", "overview", "h");
    golden("ended", "watched", "");
    golden("command", "output", "o");
    golden("ended", "output", "o");
}

TEST(hot_functions)
{
    golden("hot", "functions", "f");
    golden("hot", "tree", "f m Down Down");
    golden("hot", "flames", "f m m");
    golden("hot", "flames-zoomed", "f m m Up Up Enter");
    golden("hot", "callers", "f c");
    golden("hot", "explain-function", "f i");
    golden("vm", "functions-off", "f");
}

TEST(hot_functions_with_hostile_names)
{
    golden("nasty", "functions", "f");
    golden("nasty", "flames", "f m m");
}

TEST(bricks)
{
    golden("bricks", "tree", "3 Down Down Down Down Down");
    golden("bricks", "by-name", "3 m");
    golden("bricks", "categories", "3 m m");
    golden("bricks", "flames", "3 m m m Down Down Down Down");
    golden("bricks", "menu", "3 Down Down Down Enter");
    golden("bricks", "path", "4 Down Down Down");
    golden("bricks", "path-menu", "4 / g e m v _ d Enter Enter");
    golden("bricks", "path-by-name", "4 m");
    golden("bricks", "timeline", "4 4 Down Down");
    golden("bricks", "roofline", "5 Down");
    golden("bricks", "roofline-menu", "5 / g e m v _ d Enter Enter");
    golden("bricks", "roofline-zoomed", "5 + +");
    golden("vm", "tree-none", "3");
    golden("vm", "path-none", "4");
    golden("vm", "roofline-none", "5");
}

TEST(thread_traces)
{
    golden("trace", "hot", "6");
    golden("trace", "zoomed", "6 Down Down + +");
    golden("trace", "sampled", "6 m Down");
}

TEST(kernels_of_a_gpu)
{
    golden("gpu", "roofline", "5");
    golden("gpu", "roofline-level", "5 l l Down");
    golden("gpu", "roofline-details", "5 Down Down d");
    golden("gpu", "roofline-zoomed", "5 + +");
}

TEST(a_profile_over_time)
{
    static const char *const path = "tests/data/chrome/kineto_cuda.json";
    assert_int_equal(analysis_open(&opened, &path, 1, NULL), 0);
    golden("kineto", "timeline", "4 4");
    golden("kineto", "timeline-zoomed", "4 4 / g e m m Enter + +");
    golden("kineto", "timeline-folded", "4 4 Up Space Down");
    golden("kineto", "timeline-menu", "4 4 Down Enter");
    golden("kineto", "timeline-menu-kernel", "4 4 / g e m m Enter Enter");
    analysis_close(&opened);
}

TEST(steps_of_a_profile)
{
    static const char *const path = "tests/data/chrome/kineto_steps.json";
    assert_int_equal(analysis_open(&opened, &path, 1, NULL), 0);
    golden("kineto", "steps", "I");
    golden("kineto", "steps-part", "I Down W 4");
    golden("kineto", "steps-menu", "I Down Enter");
    analysis_close(&opened);
}

TEST(kernels_of_a_profile)
{
    golden("profile", "summary", "1");
    golden("profile", "kernels", "K");
    golden("profile", "kernels-base", "K m Down Down");
    golden("profile", "kernels-menu", "K Down Down Enter");
    golden("profile", "kernels-explain", "K Down Down i");
}

TEST(system_calls)
{
    golden("syscalls", "calls", "Y");
    golden("syscalls", "processes", "Y m");
    golden("syscalls", "files", "Y m m Down");
    golden("syscalls", "events", "Y m m m Down Down");
    golden("syscalls", "findings", "Y m m m m");
    golden("syscalls", "explain", "Y Down i");
    golden("syscalls", "explain-event", "Y m m m i");
    golden("syscalls", "menu", "Y Down Enter");
    golden("vm", "syscalls-none", "Y");
}

TEST(help_overlay)
{
    golden("vm", "help", "?");
}

TEST(explain_overlays)
{
    golden("zen4", "explain-metric", "2 i");
    golden("vm", "explain-missing", "2 End i");
    golden("zen4", "explain-counter", "2 / u c o d e Enter i");
    golden("zen4", "explain-process", "i");
}

TEST(menus_and_the_command_line)
{
    golden("zen4", "menu-process", "j Enter");
    golden("vm", "menu-missing", "2 End Enter");
    golden("vm", "palette", ":");
    golden("vm", "palette-arguments", ": s o r t Space m");
    golden("vm", "palette-error", ": v i e w Space x y Enter");
    golden("vm", "help-topic", ": h e l p Space s o r t Enter");
}

TEST(boxes_and_presets)
{
    golden("zen4", "boxes", "b");
    golden("zen4", "expanded-cpus", "b u");
    golden("zen4", "expanded-numbers", "b n");
    golden("zen4", "expanded-topdown", "b t");
    golden("vm", "expanded-graph", "b g");
    golden("many", "expanded-cpus", "b u");
    golden("zen4", "preset-graphs", "P P P");
    golden("zen4", "preset-machine", "P P P P");
    golden("vm", "counters-absent", "2 b a");
}

/* A value that was not measured never looks like a number. */
TEST(first_picture_has_no_zeros)
{
    struct app *a = app_new(1, false, "rooftop-dark");
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 160, 48);
    app_draw(a, &c);
    char *text = text_of(&c);
    assert_non_null(strstr(text, "…"));
    assert_null(strstr(text, "0.0"));
    free(text);
    struct snapshot *s = scene("zen4", 0);
    app_update(a, s);
    snapshot_unref(s);
    app_draw(a, &c);
    text = text_of(&c);
    assert_null(strstr(text, "0.0 %"));
    assert_null(strstr(text, "nan"));
    free(text);
    canvas_free(&c);
    app_free(a);
    snapshot_pool_drain();
}

TEST(paths_of_a_profile)
{
    golden("streams", "path", "4 Down Down Down");
    golden("streams", "path-what-if", "4 m Down Down x Backspace 4 Enter");
}

TEST(gpus_of_the_host)
{
    golden("gpus", "gpus", "0");
    golden("gpus", "gpus-third", "0 ] ]");
    golden("gpus", "gpus-queues", "0 m");
    golden("gpus", "gpus-memories", "0 m m");
    golden("gpus", "gpus-agents", "0 m m m");
    golden("gpus", "overview", "1");
    golden("gpu1", "one", "0");
    golden("gpuless", "none", "0");
    golden("emulated", "emulated", "0");
    golden("emulated", "counters", "2");
}

int main(void)
{
    setenv("XDG_STATE_HOME", "/proc/none", 1); /* no roofs that were measured on this machine */
    return golden_end(tests_run(NULL, NULL));
}
