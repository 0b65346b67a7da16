#include "tui/app/app_lab.h"

#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"

void app_lab_begin(struct app *a)
{
    a->model.lab = &a->lab.shown;
}

void app_lab_free(struct app *a)
{
    lab_child_free(a->lab.child);
    a->lab.child = NULL;
}

/* Keeps what was measured, also where the run did not come to its end. */
static void end_run(struct app *a)
{
    struct app_lab *l = &a->lab;
    lab_report_copy(&l->kept, lab_child_report(l->child));
    l->shown.report = &l->kept;
    l->shown.running = false;
    lab_child_free(l->child);
    l->child = NULL;
}

static unsigned start_run(struct app *a)
{
    struct app_lab *l = &a->lab;
    struct error err = ERROR_INIT;
    if (l->child) {
        app_message(a, true, "the lab measures already: x cancels it");
        return APP_REDRAW;
    }
    l->shown.failed[0] = '\0';
    if (lab_child_start(&l->child, NULL, &err)) {
        l->child = NULL;
        error_format(&err, l->shown.failed, sizeof l->shown.failed);
        app_message(a, true, l->shown.failed);
        return APP_REDRAW;
    }
    l->shown.report = lab_child_report(l->child);
    l->shown.running = true;
    app_replay_watch(a, lab_child_fd(l->child));
    return APP_REDRAW;
}

static unsigned cancel_run(struct app *a)
{
    if (!a->lab.child) {
        app_message(a, true, "nothing is measured now");
        return APP_REDRAW;
    }
    end_run(a);
    snprintf(a->lab.shown.failed, sizeof a->lab.shown.failed, "cancelled");
    return APP_REDRAW;
}

unsigned app_lab_poll(struct app *a)
{
    struct app_lab *l = &a->lab;
    struct error err = ERROR_INIT;
    if (!l->child || !lab_child_poll(l->child))
        return 0;
    if (!lab_child_done(l->child))
        return APP_REDRAW;
    if (lab_child_result(l->child, &err))
        error_format(&err, l->shown.failed, sizeof l->shown.failed);
    end_run(a);
    return APP_REDRAW;
}

unsigned app_lab_action(struct app *a, enum action act)
{
    if (!a->model.lab || !(views[a->view]->contexts & CONTEXT_LAB))
        return 0;
    if (act == ACTION_LAB_RUN)
        return start_run(a);
    return act == ACTION_LAB_CANCEL ? cancel_run(a) : 0;
}
