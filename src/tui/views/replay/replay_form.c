/*
 * The forms for a replay and for a comparison of builds, and the question before a capture is
 * deleted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/replay/replay_rule.h"
#include "tui/views/replay/replay_overlays.h"

static const char *const modes[] = {"stateless: memory is restored before each launch",
                                    "stateful: each sees what the one before it left"};
struct gpu_names { /* a->overlay_own: the GPUs that the form offers */
    char text[REPLAY_HOST_GPUS][96];
    const char *gpus[REPLAY_HOST_GPUS];
};

/* Lists the GPUs for the field. Returns how many. h NULL: the capture is gone. */
static size_t list_gpus(struct gpu_names *names, const struct replay_host *h,
                        const struct capture *c)
{
    char why[REPLAY_WHY_MAX];
    for (size_t i = 0; h && i < h->ngpus; i++) {
        const bool can = replay_gpu_can(&h->gpu[i], c, why);
        names->gpus[i] = names->text[i];
        snprintf(names->text[i], sizeof names->text[i], "%zu: %.40s%s", i, h->gpu[i].name,
                 can ? "" : ", which cannot run it");
    }
    if (h && h->ngpus)
        return h->ngpus;
    names->gpus[0] = "0: GPUs of this host are not known";
    return 1;
}

static void common_fields(struct app *a, const struct replay_row *row)
{
    struct replay_view *r = replay_state_of(a);
    struct gpu_names *names = a->overlay_own;
    const struct replay_request *q = &r->options;
    const struct capture *c = row ? row->capture : NULL;
    form_reset(&r->form);
    form_number(&r->form, "iterations", "iterations", 1, REPLAY_ITERATIONS_MAX,
                (double)q->iterations, "how many launches are measured");
    form_number(&r->form, "warmup", "warm-up", 0, REPLAY_WARMUP_MAX, (double)q->warmup,
                "how many launches before them are not measured");
    form_choice(&r->form, "mode", "mode", modes, 2, !q->recopy,
                "what memory holds when a launch begins");
    form_choice(&r->form, "gpu", "GPU", names->gpus,
                list_gpus(names, c ? &r->all.list->host : NULL, c),
                c ? replay_host_choose(&r->all.list->host, c, q->agent) : 0,
                "which GPU of this host runs it");
    form_seconds(&r->form, "timeout", "timeout", 0.1, 86400, q->timeout_s,
                 "a launch that takes longer, or a replay that is silent so long, is ended");
}

static void tolerance_field(struct replay_view *r)
{
    form_text(&r->form, "tolerance", "tolerance", r->tolerance,
              "exact, or a type and what may differ: f32,abs=1e-6,rel=1e-5,ulps=4");
}

static void opened_form(struct app *a)
{
    struct replay_view *r = replay_state_of(a);
    const struct replay_row *row = replay_row_of(a);
    bool after = row && row->capture && row->capture->has_after;
    common_fields(a, row);
    form_flag(&r->form, "verify", "verify", after, after ? NULL : "captured without --post",
              "compare memory after with what was captured after the kernel");
    tolerance_field(r);
    form_text(&r->form, "hsaco", "code object", "",
              "another build of the kernel to run; empty: the captured one");
}

static void opened_compare(struct app *a)
{
    struct replay_view *r = replay_state_of(a);
    common_fields(a, replay_row_of(a));
    tolerance_field(r);
    form_flag(&r->form, "captured", "captured too", true, NULL,
              "measure the captured code object beside the others");
    form_text(&r->form, "variants", "code objects", r->variants,
              "files of other builds of the kernel, separated by blanks");
    r->form.at = r->form.n - 1;
}

/* --- starting; errors are shown in the form --- */

static bool is_form_file_readable(struct form *f, const char *field, const char *path)
{
    char why[96];
    if (access(path, R_OK) == 0)
        return true;
    snprintf(why, sizeof why, "%.50s: %s", path, strerror(errno));
    form_wrong(f, field, why);
    return false;
}

/* Takes the values of the fields into r->options. */
static bool take_common(struct replay_view *r)
{
    struct replay_rule rule;
    struct error err = ERROR_INIT;
    const char *tolerance = form_string(&r->form, "tolerance");
    tolerance = *tolerance ? tolerance : "exact";
    if (replay_rule_parse(tolerance, &rule, &err) != 0) {
        form_wrong(&r->form, "tolerance", err.why);
        return false;
    }
    snprintf(r->tolerance, sizeof r->tolerance, "%s", tolerance);
    r->options.iterations = (uint64_t)form_value(&r->form, "iterations");
    r->options.warmup = (uint64_t)form_value(&r->form, "warmup");
    r->options.recopy = form_chosen(&r->form, "mode") == 0;
    r->options.agent = form_chosen(&r->form, "gpu");
    r->options.timeout_s = form_value(&r->form, "timeout");
    return true;
}

/* Splits the field of builds into words, separated by blanks or commas. */
static size_t split_builds(char *text, const char **out, size_t most)
{
    size_t n = 0;
    char *save = NULL;
    for (char *w = strtok_r(text, " ,", &save); w && n < most; w = strtok_r(NULL, " ,", &save))
        out[n++] = w;
    return n;
}

static bool submit_compare(struct app *a, const struct replay_row *row, struct replay_request *q)
{
    struct replay_view *r = replay_state_of(a);
    const char *variants[REPLAY_VARIANTS_MAX];
    char words[LINE_EDIT_MAX];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", form_string(&r->form, "variants"));
    bool captured = form_on(&r->form, "captured");
    if (captured)
        variants[n++] = "captured";
    n += split_builds(words, variants + n, REPLAY_VARIANTS_MAX - n);
    if (n < 2) {
        form_wrong(&r->form, "variants", "at least two are compared");
        return false;
    }
    for (size_t i = captured; i < n; i++)
        if (!is_form_file_readable(&r->form, "variants", variants[i]))
            return false;
    snprintf(r->variants, sizeof r->variants, "%s", form_string(&r->form, "variants"));
    q->variants = variants;
    q->nvariants = n;
    bool started = replay_start(app_view_state(a, &view_replay), row, q);
    q->variants = NULL; /* the words end with this function */
    q->nvariants = 0;
    return started;
}

/* Starts the job. Returns false if the form stays open. */
static bool submit_replay_form(struct app *a, enum replay_job job)
{
    struct replay_view *r = replay_state_of(a);
    const struct replay_row *row = replay_row_of(a);
    const char *why = replay_refused(r, row);
    if (why) {
        app_message(a, true, why);
        return true;
    }
    if (!take_common(r))
        return false;
    struct replay_request q = r->options;
    q.job = job;
    q.capture = row->path;
    if (job == REPLAY_COMPARE)
        return submit_compare(a, row, &q);
    q.verify = form_on(&r->form, "verify");
    q.hsaco = form_string(&r->form, "hsaco");
    if (*q.hsaco && !is_form_file_readable(&r->form, "hsaco", q.hsaco))
        return false;
    return replay_start(app_view_state(a, &view_replay), row, &q);
}

static unsigned act_on_replay_form_key(struct app *a, const struct key_event *ev,
                                       enum replay_job job)
{
    switch (form_key(&replay_state_of(a)->form, ev)) {
    case FORM_ACCEPTED:
        if (submit_replay_form(a, job))
            overlay_close(a);
        return APP_REDRAW;
    case FORM_CLOSED:
        overlay_close(a);
        return APP_REDRAW;
    case FORM_CHANGED:
        return APP_REDRAW;
    case FORM_IGNORED:
        break;
    }
    if (ev->key == 3)
        return app_quit(a);
    return ev->key == KEY_MOUSE_ ? 0 : APP_REDRAW;
}

static unsigned key_form(struct app *a, const struct key_event *ev)
{
    return act_on_replay_form_key(a, ev, REPLAY_FULL_VM);
}

static unsigned key_compare(struct app *a, const struct key_event *ev)
{
    return act_on_replay_form_key(a, ev, REPLAY_COMPARE);
}

static void draw_form(struct app *a, struct canvas *c, struct rect area, const char *what)
{
    const struct replay_row *row = replay_row_of(a);
    char title[128];
    size_t n = (size_t)snprintf(title, sizeof title, "%s ", what);
    for (const char *p = row ? row->name : ""; *p && n + 3 < sizeof title && n < 66; p++) {
        /* a '_' is doubled, because a single one marks a letter in the title of a box */
        title[n++] = *p;
        if (*p == '_')
            title[n++] = '_';
    }
    title[n] = '\0';
    canvas_zone(c, area, ACTION_BACK, 0);
    form_draw(c, area, &replay_state_of(a)->form, title, "start");
}

static void draw_run(struct app *a, struct canvas *c, struct rect area)
{
    draw_form(a, c, area, "replay");
}

static void draw_compare(struct app *a, struct canvas *c, struct rect area)
{
    draw_form(a, c, area, "compare builds of");
}

const struct overlay_ops overlay_replay_form = {.name = "replay-form",
                                                .own_size = sizeof(struct gpu_names),
                                                .opened = opened_form,
                                                .draw = draw_run,
                                                .key = key_form};
const struct overlay_ops overlay_replay_compare = {.name = "replay-compare",
                                                   .own_size = sizeof(struct gpu_names),
                                                   .opened = opened_compare,
                                                   .draw = draw_compare,
                                                   .key = key_compare};
