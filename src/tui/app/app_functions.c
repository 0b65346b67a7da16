#include "tui/app/app_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "engine/functions/hot_calls.h"
#include "tui/app/app_state.h"

static const double windows[] = {1, 5, 10, HOT_SUM_KEEP_S, 0};
enum {
    WINDOWS = sizeof windows / sizeof *windows,
    WINDOW_DEFAULT = 2,
    PAST_FRAMES = LIVE_SERIES_LEN
};

void app_functions_init(struct app *a)
{
    struct app_functions *f = &a->functions;
    *f = (struct app_functions){
        .live = hot_sum_new(0), .past = hot_sum_new(0), .window = WINDOW_DEFAULT, .stale = true};
    a->model.functions = &f->shown;
}

void app_functions_free(struct app *a)
{
    struct app_functions *f = &a->functions;
    hot_sum_free(f->live);
    hot_sum_free(f->past);
    syscalls_snapshot_unref(f->opened_from);
    free(f->rows);
    free(f->node_total);
    free(f->node_id);
}

/* model.functions points into the sum, which is about to change. */
static void forget_shown(struct app_functions *f)
{
    f->stale = true;
    f->shown.stacks = NULL;
    f->shown.nrows = 0;
}

void app_functions_push(struct app *a, const struct snapshot *s)
{
    struct app_functions *f = &a->functions;
    f->pending = false;
    if (strncmp(f->target, s->target, sizeof f->target - 1) != 0) {
        snprintf(f->target, sizeof f->target, "%s", s->target);
        hot_sum_reset(f->live);
        forget_shown(f);
    }
    if (!s->stacks)
        return;
    if (f->shown_live)
        forget_shown(f);
    hot_sum_add(f->live, s->stacks, s->time_ns);
}

/* --- the past --- */

static bool add_frame(void *ctx, const struct snapshot *s)
{
    if (s->stacks)
        hot_sum_add(ctx, s->stacks, s->time_ns);
    return true;
}

/*
 * Sums the past as far back as the window reaches; without a window as far back as the graphs go.
 */
static void rebuild_past(struct app *a)
{
    struct app_functions *f = &a->functions;
    struct recording *r = a->time.past;
    struct error err = ERROR_INIT;
    char text[640];
    size_t at = app_time_at(a), from = 0;
    uint64_t now = recording_time(r, at), reach = (uint64_t)HOT_SUM_KEEP_S * 1000000000u;
    if (windows[f->window] > 0)
        from = now > reach ? recording_find(r, now - reach) : 0;
    else if (at + 1 > PAST_FRAMES)
        from = at + 1 - PAST_FRAMES;
    size_t had = f->past_ns ? recording_find(r, f->past_ns) : 0;
    /*
     * When the cursor moves forward, only new samples must be read: the window drops the old ones
     * by itself.
     */
    bool on = f->past_ns && windows[f->window] > 0 && now >= f->past_ns &&
              recording_time(r, had) == f->past_ns && had + 1 >= from;
    if (!on)
        hot_sum_reset(f->past);
    from = on ? had + 1 : from;
    if (from <= at &&
        recording_scan(r, from, at + 1, RECORDING_PROFILE, add_frame, f->past, &err) != 0)
        app_message(a, true, error_format(&err, text, sizeof text));
    f->past_ns = now;
}

void app_functions_forget_past(struct app *a)
{
    a->functions.past_ns = 0;
    a->functions.stale = true;
}

/* --- what is shown --- */

static void list_rows(struct app_functions *f, const struct hot_stacks *p)
{
    free(f->rows);
    f->rows = NULL;
    size_t n = functions_list(p, &f->rows), kept = 0;
    for (size_t i = 0; f->rows && i < n; i++)
        if (f->rows[i].total)
            f->rows[kept++] = f->rows[i];
    f->shown.rows = f->rows;
    f->shown.nrows = kept;
}

static void derive_function_rows(struct app_functions *f, const struct hot_stacks *p)
{
    struct functions *s = &f->shown;
    s->folded = 0;
    f->node_total = xrealloc(f->node_total, p->nnodes, sizeof *f->node_total);
    f->node_id = xrealloc(f->node_id, p->nnodes, sizeof *f->node_id);
    hot_node_totals(p, f->node_total);
    uint64_t *symbol_id = xcalloc(p->nsymbols, sizeof *symbol_id);
    for (size_t i = 0; i < p->nsymbols; i++)
        symbol_id[i] = functions_symbol_id(&p->symbols[i]);
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct hot_node *n = &p->nodes[i];
        uint64_t above = n->parent < 0 ? 0 : f->node_id[n->parent];
        f->node_id[i] = ((above ^ symbol_id[n->symbol]) * 0x9e3779b97f4a7c15u) | 1;
        if (strcmp(p->symbols[n->symbol].name, HOT_OTHER) == 0)
            s->folded += n->self;
    }
    free(symbol_id);
    s->node_total = f->node_total;
    s->node_id = f->node_id;
    list_rows(f, p);
}

/* --- an opened trace of system calls --- */

/* NULL: none is open, or it has no stacks. */
static const struct syscalls_snapshot *opened_trace(const struct app *a)
{
    const struct syscalls_snapshot *p = model_syscalls(&a->model);
    return p && p->state == SYSCALLS_SAVED && p->by_function[1] ? p : NULL;
}

void app_functions_look(struct app *a)
{
    a->functions.shown.opened = opened_trace(a) != NULL;
}

static void sum_up_calls(struct app_functions *f)
{
    struct functions *s = &f->shown;
    const struct calls_profile *c = f->opened;
    char time[VALUE_TEXT_MAX];
    snprintf(s->summary, sizeof s->summary, "%" PRIu64 " system call%s, %s in them", c->calls,
             c->calls == 1 ? "" : "s", value_time((double)c->total_ns, false, time));
    s->missing[0] = '\0';
    if (c->without)
        snprintf(s->missing, sizeof s->missing, "%" PRIu64 " of them without a stack", c->without);
    s->stacks = &c->stacks;
    s->window_s = 0;
    derive_function_rows(f, s->stacks);
}

/* Shows the functions of the opened trace. False: there is none. */
static bool show_opened(struct app *a)
{
    struct app_functions *f = &a->functions;
    const struct syscalls_snapshot *p = opened_trace(a);
    if (!p) {
        f->stale = f->stale || f->opened;
        syscalls_snapshot_unref(f->opened_from);
        f->opened_from = NULL;
        f->opened = NULL;
        f->shown.summary[0] = f->shown.missing[0] = '\0';
        return false;
    }
    const struct calls_profile *c = p->by_function[f->by_calls || !p->has_times];
    if (f->opened == c)
        return true;
    const struct syscalls_snapshot *before = f->opened_from;
    f->opened_from = syscalls_snapshot_ref(p);
    syscalls_snapshot_unref(before);
    f->opened = c;
    sum_up_calls(f);
    return true;
}

void app_functions_refresh(struct app *a)
{
    struct app_functions *f = &a->functions;
    if (show_opened(a))
        return;
    bool live = a->time.live;
    uint64_t now = live || !a->model.snap ? 0 : a->model.snap->time_ns;
    if (live != f->shown_live || (!live && now != f->past_ns))
        f->stale = true;
    f->shown.asked = f->pending || (a->model.snap && a->model.snap->sampling.on);
    if (!f->stale)
        return;
    f->stale = false;
    f->shown_live = live;
    if (!live && recording_count(a->time.past) > 0)
        rebuild_past(a);
    struct hot_sum *sum = live ? f->live : f->past;
    f->shown.window_s = windows[f->window];
    hot_sum_set_window(sum, windows[f->window]);
    f->shown.stacks = hot_sum_view(sum);
    if (f->shown.stacks)
        derive_function_rows(f, f->shown.stacks);
    else
        f->shown.nrows = 0;
}

/* --- keys --- */

static unsigned switch_sampling(struct app *a, bool on)
{
    struct app_functions *f = &a->functions;
    if (opened_trace(a)) {
        app_message(a, true,
                    "these are the functions of the opened trace: only what runs can be sampled");
        return APP_REDRAW;
    }
    if (a->time.file) {
        app_message(a, true, "this is a session: what was not sampled then cannot be sampled now");
        return APP_REDRAW;
    }
    if (a->model.newest)
        f->sampling = a->model.newest->sampling;
    f->sampling.on = on;
    f->pending = on;
    return APP_REDRAW | APP_SAMPLING;
}

unsigned app_functions_opened(struct app *a)
{
    if (a->time.file || opened_trace(a) || (a->model.newest && a->model.newest->sampling.on))
        return 0;
    return switch_sampling(a, true);
}

static unsigned step_window(struct app *a, int step)
{
    struct app_functions *f = &a->functions;
    const struct syscalls_snapshot *p = opened_trace(a);
    if (p && !p->has_times)
        app_message(a, true, "the trace has no times: calls are counted");
    if (p) {
        f->by_calls = step > 0;
        return APP_REDRAW;
    }
    f->window = limit_int(f->window + step, 0, WINDOWS - 1);
    f->stale = true;
    f->past_ns = 0;
    return APP_REDRAW;
}

unsigned app_functions_action(struct app *a, int action)
{
    switch ((enum action)action) {
    case ACTION_WINDOW_SHORTER:
        return step_window(a, -1);
    case ACTION_WINDOW_LONGER:
        return step_window(a, 1);
    case ACTION_SAMPLING: {
        bool on = a->model.newest && a->model.newest->sampling.on;
        unsigned asked = switch_sampling(a, !on);
        if (asked & APP_SAMPLING)
            app_message(a, false, on ? "sampling is off; what was sampled stays" : "sampling");
        return asked;
    }
    default:
        return 0;
    }
}

const struct sampling *app_sampling(const struct app *a)
{
    return &a->functions.sampling;
}
