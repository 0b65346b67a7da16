#include "tui/app/app_control.h"

#include <errno.h>
#include <stdio.h>

#include "base/limit.h"
#include "engine/live/signals.h"
#include "tui/app/app_state.h"
#include "tui/model/permit.h"
#include "tui/overlays/confirm.h"
#include "tui/views/procs/procs.h"

enum { NICE_LEAST = -20, NICE_MOST = 19 }; /* setpriority(2) */

const struct app_control *app_control(const struct app *a)
{
    return &a->control;
}

struct procs_state *app_procs(const struct app *a, int view)
{
    return views[view]->procs ? views[view]->procs(&a->state[view]) : NULL;
}

/* Threads are read only for visible processes, so only a view with a process list asks for them. */
bool app_threads_wanted(struct app *a, struct thread_wish *out)
{
    const struct view_state *st = &a->state[a->view];
    *out = (struct thread_wish){0};
    const struct procs_state *ps = app_procs(a, a->view);
    if (ps && !a->model.playback)
        out->n = procs_threads_wanted(a->model.snap, st, ps, out->pids, THREAD_WISH_MAX);
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
        if (app_procs(a, i))
            app_procs(a, i)->threads = true;
}

bool app_threads_shown(const struct app *a)
{
    for (int i = 0; views[i]; i++)
        if (app_procs(a, i) && app_procs(a, i)->threads)
            return true;
    return false;
}

struct chosen {
    const struct proc *p[APP_CONTROL_MAX];
    size_t n;
};

/* Chooses the process pid; without a pid the tagged ones, else the one under the cursor. */
static bool choose_controlled(const struct app *a, pid_t pid, const char *what, struct chosen *out,
                              struct error *err)
{
    const struct view_state *st = &a->state[a->view];
    const char *refused = permit_refused(&a->model, ACTION_SIGNAL);
    const struct proc *p = NULL;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)pid);
    out->n = pid ? 0 : procs_tagged(a->model.snap, app_procs(a, a->view), out->p, APP_CONTROL_MAX);
    if (refused)
        error_set(err, ERROR_PERMISSION, EPERM, NULL, what, "%s", refused);
    else if (pid == 0 && !app_procs(a, a->view))
        error_set(err, ERROR_USAGE, EINVAL, "give its number", what,
                  "this view has no list of processes");
    else if (out->n)
        return true;
    else if (!(p = procs_find(a->model.snap, pid ? number : st->selected_key)))
        error_set(err, ERROR_TARGET, ESRCH, NULL, what, pid ? "there is no process %d" : "no row",
                  (int)pid);
    else if (p->kernel_thread)
        error_set(err, ERROR_USAGE, EINVAL, NULL, what, "%d %.20s is a kernel thread", p->pid,
                  p->comm);
    else
        out->p[out->n++] = p;
    return out->n > 0;
}

static unsigned carry_out(void *app, const char *key)
{
    struct app *a = app;
    (void)key;
    a->control.agreed = true;
    return APP_CONTROL;
}

/* Describes the processes: a single one in full, several by numbers and names. */
static unsigned ask_to_confirm(struct app *a, const struct chosen *c, struct confirm *q)
{
    size_t n = 0;
    q->run = carry_out;
    q->ctx = a;
    if (c->n == 1)
        snprintf(q->about, sizeof q->about, "%.300s  (%.60s)", c->p[0]->cmdline, c->p[0]->user);
    for (size_t i = 0; c->n > 1 && i < c->n && n + 40 < sizeof q->about; i++)
        n += (size_t)snprintf(q->about + n, sizeof q->about - n, "%s%d %.15s", i ? ", " : "",
                              c->p[i]->pid, c->p[i]->comm);
    confirm_open(a, q, "");
    return APP_REDRAW;
}

/* Writes "511 cc1", or the number of processes. */
static const char *write_chosen(const struct chosen *c, char out[96])
{
    if (c->n == 1)
        snprintf(out, 96, "%d %.60s", c->p[0]->pid, c->p[0]->comm);
    else
        snprintf(out, 96, "%zu tagged processes", c->n);
    return out;
}

static void note_choice(struct app_control *k, const struct chosen *c)
{
    k->n = c->n;
    for (size_t i = 0; i < c->n; i++) {
        k->of[i].pid = c->p[i]->pid;
        k->of[i].start_ticks = c->p[i]->start_ticks;
        snprintf(k->of[i].name, sizeof k->of[i].name, "%s", c->p[i]->comm);
    }
}

unsigned app_control_signal(struct app *a, int signo, pid_t pid, struct error *err)
{
    char name[SIGNAL_NAME_MAX], text[96];
    struct chosen c;
    if (!choose_controlled(a, pid, "signal", &c, err))
        return 0;
    a->control = (struct app_control){.kind = APP_CONTROL_SIGNAL};
    note_choice(&a->control, &c);
    for (size_t i = 0; i < c.n; i++)
        a->control.of[i].value = signo;
    struct confirm q = {.title = "send a signal?", .yes = "sends it"};
    snprintf(q.what, sizeof q.what, "%s to %s", signal_name(signo, name), write_chosen(&c, text));
    for (const struct signal_info *s = signal_table; s->name; s++)
        if (s->number == signo)
            snprintf(q.note, sizeof q.note, "%s", s->what);
    return ask_to_confirm(a, &c, &q);
}

static bool is_same_choice(const struct app_control *k, const struct chosen *c)
{
    bool all = k->n == c->n;
    for (size_t i = 0; all && i < c->n; i++)
        all = k->of[i].pid == c->p[i]->pid && k->of[i].start_ticks == c->p[i]->start_ticks;
    return all;
}

static void ask_nice(struct app *a, const struct chosen *c, int nice, bool relative, int want)
{
    struct confirm q = {.title = "change the nice value?", .yes = "changes it"};
    char text[96];
    if (c->n == 1)
        snprintf(q.what, sizeof q.what, "nice %d instead of %d for %s", want, c->p[0]->nice,
                 write_chosen(c, text));
    else
        snprintf(q.what, sizeof q.what, relative ? "%+d to the nice value of %s" : "nice %d for %s",
                 nice, write_chosen(c, text));
    snprintf(q.note, sizeof q.note,
             "It applies to all %s threads. Only root may lower a nice value again.",
             c->n == 1 ? "its" : "their");
    ask_to_confirm(a, c, &q);
}

unsigned app_control_nice(struct app *a, int nice, bool relative, pid_t pid, struct error *err)
{
    struct app_control *k = &a->control;
    struct chosen c;
    if (!choose_controlled(a, pid, "nice", &c, err))
        return 0;
    bool again = relative && k->kind == APP_CONTROL_NICE && k->agreed && is_same_choice(k, &c);
    for (size_t i = 0; i < c.n; i++) {
        int want = nice;
        if (relative)
            want += again ? k->of[i].value : c.p[i]->nice;
        k->of[i].value = limit_int(want, NICE_LEAST, NICE_MOST);
    }
    note_choice(k, &c);
    k->kind = APP_CONTROL_NICE;
    k->agreed = again;
    if (again) /* the question was answered: further presses of F7 and F8 act at once */
        return APP_REDRAW | APP_CONTROL;
    ask_nice(a, &c, nice, relative, k->of[0].value);
    return APP_REDRAW;
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
