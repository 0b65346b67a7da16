#include "tui/app_control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/signals.h"
#include "tui/app_state.h"
#include "tui/overlays/confirm.h"
#include "tui/permit.h"
#include "tui/views/procs.h"

enum { NICE_LEAST = -20, NICE_MOST = 19 }; /* setpriority(2) */

const struct app_control *app_control(const struct app *a)
{
    return &a->control;
}

/* What is not in sight is not read: no view but one with a process list asks. */
bool app_threads_wanted(struct app *a, struct thread_wish *out)
{
    const struct view_state *st = &a->state[a->view];
    *out = (struct thread_wish){0};
    if (views[a->view]->contexts & CONTEXT_PROCS && !a->model.playback)
        out->n = procs_threads_wanted(a->model.snap, st, out->pids, THREAD_WISH_MAX);
    out->on = out->n > 0;
    if (thread_wish_same(out, &a->threads))
        return false;
    a->threads = *out;
    return true;
}

void app_set_children(struct app *a, enum target_children which)
{
    a->children = which;
}

enum target_children app_children(const struct app *a)
{
    return a->children;
}

void app_set_threads(struct app *a)
{
    for (int i = 0; views[i]; i++)
        a->state[i].threads = views[i]->contexts & CONTEXT_PROCS;
}

bool app_threads_shown(const struct app *a)
{
    for (int i = 0; views[i]; i++)
        if (a->state[i].threads)
            return true;
    return false;
}

static const struct proc *chosen(const struct app *a, pid_t pid, const char *what,
                                 struct error *err)
{
    const struct view_state *st = &a->state[a->view];
    const char *refused = permit_refused(&a->model, ACTION_SIGNAL);
    const struct proc *p = NULL;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)pid);
    if (refused)
        error_set(err, ERROR_PERMISSION, EPERM, NULL, what, "%s", refused);
    else if (pid == 0 && !(views[a->view]->contexts & CONTEXT_PROCS))
        error_set(err, ERROR_USAGE, EINVAL, "give its number", what,
                  "this view has no list of processes");
    else if (!(p = procs_find(a->model.snap, pid ? number : st->selected_key)))
        error_set(err, ERROR_TARGET, ESRCH, NULL, what, pid ? "there is no process %d" : "no row",
                  (int)pid);
    else if (p->kernel_thread)
        error_set(err, ERROR_USAGE, EINVAL, NULL, what, "%d %.20s is a thread of the kernel",
                  p->pid, p->comm);
    else
        return p;
    return NULL;
}

static unsigned carry_out(struct app *a, const char *key)
{
    (void)key;
    a->control.agreed = true;
    return APP_CONTROL;
}

static unsigned ask(struct app *a, const struct proc *p, struct confirm *q)
{
    q->run = carry_out;
    snprintf(q->about, sizeof q->about, "%.300s  (%.60s)", p->cmdline, p->user);
    confirm_open(a, q, "");
    return APP_REDRAW;
}

unsigned app_control_signal(struct app *a, int signo, pid_t pid, struct error *err)
{
    char name[SIGNAL_NAME_MAX];
    const struct proc *p = chosen(a, pid, "signal", err);
    if (!p)
        return 0;
    a->control = (struct app_control){
        .kind = APP_CONTROL_SIGNAL, .pid = p->pid, .start_ticks = p->start_ticks, .value = signo};
    snprintf(a->control.name, sizeof a->control.name, "%s", p->comm);
    struct confirm q = {.title = "send a signal?", .yes = "sends it"};
    snprintf(q.what, sizeof q.what, "%s to %d %.60s", signal_name(signo, name), p->pid, p->comm);
    for (const struct signal_info *s = signal_table; s->name; s++)
        if (s->number == signo)
            snprintf(q.note, sizeof q.note, "%s", s->what);
    return ask(a, p, &q);
}

unsigned app_control_nice(struct app *a, int nice, bool relative, pid_t pid, struct error *err)
{
    const struct proc *p = chosen(a, pid, "nice", err);
    struct app_control *k = &a->control;
    if (!p)
        return 0;
    bool again = k->kind == APP_CONTROL_NICE && k->agreed && k->pid == p->pid &&
                 k->start_ticks == p->start_ticks;
    int now = again && relative ? k->value : p->nice, want = relative ? now + nice : nice;
    want = want < NICE_LEAST ? NICE_LEAST : want > NICE_MOST ? NICE_MOST : want;
    *k = (struct app_control){.kind = APP_CONTROL_NICE,
                              .pid = p->pid,
                              .start_ticks = p->start_ticks,
                              .value = want,
                              .agreed = again && relative};
    snprintf(k->name, sizeof k->name, "%s", p->comm);
    if (k->agreed) /* one question a process: further presses of F7 and F8 act at once */
        return APP_REDRAW | APP_CONTROL;
    struct confirm q = {.title = "change the nice value?", .yes = "changes it"};
    snprintf(q.what, sizeof q.what, "nice %d instead of %d for %d %.60s", want, now, p->pid,
             p->comm);
    snprintf(q.note, sizeof q.note, "Of all its threads. Only root may lower a nice value again.");
    return ask(a, p, &q);
}

unsigned app_control_step(struct app *a, enum action act)
{
    struct error err = ERROR_INIT;
    char text[640];
    unsigned asked = app_control_nice(a, act == ACTION_NICE_LOWER ? -1 : 1, true, 0, &err);
    if (err.kind != ERROR_NONE)
        app_message(a, true, error_format(&err, text, sizeof text));
    return asked | APP_REDRAW;
}
