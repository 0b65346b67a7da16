#include "support/subjects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_gather.h"
#include "engine/compare/run_profile.h"
#include "engine/session/session.h"
#include "engine/summary/subject.h"
#include "support/att_scene.h"
#include "support/gpu_scene.h"
#include "support/hang_scene.h"
#include "support/made_capture.h"
#include "support/profile_scene.h"
#include "support/replay_scene.h"
#include "support/scenes.h"
#include "support/syscalls_snapshot_scene.h"

enum { TICKS = 6 };

static struct analysis opened, before, after;
static struct subject other;
static struct comparison *compared;
static struct shown_comparison shown;
static struct made_capture captured;

/* --- files --- */

static void open_profile(struct app *a, const char *path)
{
    struct error err = ERROR_INIT;
    if (analysis_open(&opened, &path, 1, &err) != 0)
        fail_msg("%s: %s", path, err.why);
    app_set_profile(a, &opened);
    app_set_file(a, &path, 1);
}

static void open_other(struct app *a, const char *path)
{
    struct error err = ERROR_INIT;
    if (subject_open(&other, subject_recognise(path), path, &err) != 0)
        fail_msg("%s: %s", path, err.why);
    app_set_opened(a, &other);
    app_set_file(a, &path, 1);
}

static void play_session(struct app *a, const char *path)
{
    struct error err = ERROR_INIT;
    struct recording *r = NULL;
    if (session_open(&r, path, &err) != 0)
        fail_msg("%s: %s", path, err.why);
    app_play(a, r);
    app_set_file(a, &path, 1);
    open_other(a, path);
}

static void open_capture(struct app *a, const char *path)
{
    (void)path;
    made_capture_make(&captured);
    open_other(a, captured.dir);
}

static void open_hang(struct app *a, const char *name)
{
    struct hang_scene dumps;
    hang_scene_make(&dumps);
    open_other(a, dumps.dir);
    hang_scene_remove(&dumps);
    app_set_file(a, &name, 1);
}

/* --- scenes --- */

static void show_profile(struct app *a, const char *name)
{
    app_set_profile(a, strcmp(name, "gpu") == 0 ? gpu_scene() : profile_scene());
}

static void show_traces(struct app *a, const char *name)
{
    (void)name;
    app_set_att(a, att_scene());
}

static void show_calls(struct app *a, const char *name)
{
    app_set_syscalls(a, strcmp(name, "stacks") == 0 ? syscalls_stacks_scene()
                                                    : syscalls_snapshot_scene(SYSCALLS_TRACING, 6));
}

static void show_comparison(struct app *a, const char *name)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    struct analysis *const of[] = {&before, &after};
    (void)name;
    for (unsigned i = 0; i < 2; i++) {
        profile_scene_open(of[i], i ? 1.3 : 1, i + 1);
        run_of_profile(runs_add(&side[i]), of[i], KERNELS_BY_NAME, false);
    }
    compared = compare_runs(&side[0], &side[1]);
    shown = (struct shown_comparison){
        .c = compared, .names = {"before.json", "after.json"}, .profiles = {&before, &after}};
    runs_free(&side[0]);
    runs_free(&side[1]);
    app_compare(a, &shown);
}

/* --- all of them --- */

static const struct {
    const char *name, *scene;
    void (*open)(struct app *a, const char *arg); /* NULL: the scene is all */
    const char *arg;
} subjects[] = {
    {"zen4", "zen4", NULL, NULL},
    {"vm", "vm", NULL, NULL},
    {"many", "many", NULL, NULL},
    {"command", "command", NULL, NULL},
    {"ended", "ended", NULL, NULL},
    {"hostile", "hostile", NULL, NULL},
    {"empty", "empty", NULL, NULL},
    {"hot", "hot", NULL, NULL},
    {"nasty", "nasty", NULL, NULL},
    {"bricks", "bricks", NULL, NULL},
    {"procs", "procs", NULL, NULL},
    {"gpus", "gpus", NULL, NULL},
    {"gpu1", "gpu1", NULL, NULL},
    {"emulated", "emulated", NULL, NULL},
    {"profile of Kineto", "vm", open_profile, "tests/data/chrome/kineto_cuda.json"},
    {"profile with steps", "vm", open_profile, "tests/data/chrome/kineto_steps.json"},
    {"profile without GPU", "vm", open_profile, "tests/data/path/cases/v_cpu_only.json"},
    {"profile with streams", "vm", open_profile, "tests/data/path/streams.json"},
    {"profile of training", "vm", show_profile, "training"},
    {"profile with counters", "vm", show_profile, "gpu"},
    {"samples", "vm", open_profile, "tests/data/samples/go_cpu.pprof"},
    {"session", NULL, play_session, "tests/data/session/frames-4.rooftop"},
    {"captures", "vm", replay_scene_set, "captures"},
    {"replay that runs", "vm", replay_scene_set, "running"},
    {"replay that differs", "vm", replay_scene_set, "different"},
    {"capture", "vm", open_capture, NULL},
    {"job", "vm", open_other, "tests/data/job"},
    {"hang", "vm", open_hang, "dumps"},
    {"code object", "vm", open_other, "tests/data/gpu/hsaco/vector.gfx9.v6.hsaco"},
    {"thread trace", "vm", show_traces, NULL},
    {"live trace", "command", show_calls, "live"},
    {"stacks of calls", "command", show_calls, "stacks"},
    {"comparison", "vm", show_comparison, NULL},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const char *names[SUBJECTS + 1];
const char *const *const subject_names = names;

static __attribute__((constructor)) void list_subject_names(void)
{
    for (size_t i = 0; i < SUBJECTS; i++)
        names[i] = subjects[i].name;
}

void subject_stage_open(struct stage *s, const char *name, int cols, int rows)
{
    size_t i = 0;
    while (i < SUBJECTS && strcmp(subjects[i].name, name) != 0)
        i++;
    if (i == SUBJECTS) {
        fail_msg("there is no subject '%s'", name);
        return; /* cppcheck does not know that fail_msg does not */
    }
    stage_open(s, subjects[i].scene, cols, rows, subjects[i].scene ? TICKS : 0);
    app_set_at_once(s->a); /* no thread changes the picture later */
    if (subjects[i].open)
        subjects[i].open(s->a, subjects[i].arg);
    stage_look(s);
}

void subject_stage_close(struct stage *s)
{
    stage_close(s);
    analysis_close(&opened);
    opened = (struct analysis){.memory = {0}};
    subject_free(&other);
    other = (struct subject){.profile = NULL};
    if (compared) {
        comparison_free(compared);
        analysis_close(&before);
        analysis_close(&after);
        compared = NULL;
    }
    if (captured.dir[0])
        made_capture_remove(&captured);
    captured.dir[0] = '\0';
}
