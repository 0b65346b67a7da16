/*
 * Sums the sampled profiles over the window that the user chose: for the live view it adds profiles
 * as they come; for the past it reads them again from the recording. Of an opened trace of system
 * calls it takes the stacks of all calls.
 */
#include "tui/views/functions/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/print.h"
#include "engine/functions/hot_calls.h"
#include "engine/session/recording.h"
#include "tui/model/permit.h"

static const double windows[] = {1, 5, 10, HOT_SUM_KEEP_S, 0};
enum {
    WINDOWS = sizeof windows / sizeof *windows,
    WINDOW_DEFAULT = 2,
    PAST_FRAMES = LIVE_SERIES_LEN
};

void functions_sum_begin(struct functions_sum *f)
{
    *f = (struct functions_sum){
        .live = hot_sum_new(0), .past = hot_sum_new(0), .window = WINDOW_DEFAULT, .stale = true};
}

void functions_sum_end(struct functions_sum *f)
{
    hot_sum_free(f->live);
    hot_sum_free(f->past);
    syscalls_snapshot_unref(f->opened_from);
    free(f->rows);
    free(f->node_total);
    free(f->node_id);
}

static void say_in_view(const struct view_state *st, bool error, const char *text)
{
    st->host->say(st->host->app, error, text);
}

/* What is shown points into the sum, which is about to change. */
static void forget_shown(struct functions_sum *f)
{
    f->stale = true;
    f->samples = NULL;
    f->opened = NULL;
    f->shown.stacks = NULL;
    f->shown.nrows = 0;
}

void functions_sum_sample(struct view_state *st, const struct snapshot *s)
{
    struct functions_sum *f = functions_sum_of(st);
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
static void rebuild_past(const struct model *m, struct view_state *st, uint64_t moment_ns)
{
    struct functions_sum *f = functions_sum_of(st);
    struct recording *r = m->past;
    struct error err = ERROR_INIT;
    char text[640];
    size_t at = recording_find(r, moment_ns), from = 0;
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
        say_in_view(st, true, error_format(&err, text, sizeof text));
    f->past_ns = now;
}

/* --- what is shown --- */

static void list_rows(struct functions_sum *f, const struct hot_stacks *p)
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

static void derive_function_rows(struct functions_sum *f, const struct hot_stacks *p)
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
static const struct syscalls_snapshot *opened_trace(const struct model *m)
{
    const struct syscalls_snapshot *p = model_syscalls(m);
    return p && p->state == SYSCALLS_SAVED && p->by_function[1] ? p : NULL;
}

static void sum_up_calls(struct functions_sum *f)
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

/* --- an opened file of a CPU profiler --- */

static const struct hot_profile *opened_samples(const struct model *m)
{
    return m->profile ? m->profile->trace.samples : NULL;
}

bool functions_of_file(const struct model *m)
{
    return opened_trace(m) || opened_samples(m);
}

static void sum_up_samples(struct functions_sum *f, const struct hot_profile *p)
{
    struct functions *s = &f->shown;
    const struct hot_stacks *k = &p->stacks;
    char amount[HOT_AMOUNT_MAX];
    f->samples = p;
    hot_amount(k, k->samples, false, amount);
    if (k->weight == HOT_SAMPLES)
        print_line(s->summary, sizeof s->summary, "%s%s%s", amount,
                   strcmp(k->event, "samples") == 0 ? "" : " of ",
                   strcmp(k->event, "samples") == 0 ? "" : k->event);
    else
        print_line(s->summary, sizeof s->summary, "%s (%s) in %" PRIu64 " sample%s", amount,
                   k->event, p->taken, p->taken == 1 ? "" : "s");
    s->missing[0] = '\0';
    if (p->left_out)
        snprintf(s->missing, sizeof s->missing, "%" PRIu64 " samples of other events left out",
                 p->left_out);
    s->stacks = k;
    s->window_s = 0;
    derive_function_rows(f, k);
}

/* Shows the functions of the opened file. False: it has none. */
static bool show_opened_samples(const struct model *m, struct functions_sum *f)
{
    const struct hot_profile *p = opened_samples(m);
    f->stale = f->stale || (f->samples && !p);
    if (p && f->samples != p)
        sum_up_samples(f, p);
    f->samples = p;
    return p != NULL;
}

/* Shows the functions of the opened trace. False: there is none. */
static bool show_opened_calls(const struct model *m, struct functions_sum *f)
{
    const struct syscalls_snapshot *p = opened_trace(m);
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

const struct functions *functions_refresh(const struct model *m, struct view_state *st)
{
    struct functions_sum *f = functions_sum_of(st);
    f->shown.file = show_opened_samples(m, f) || show_opened_calls(m, f);
    if (f->shown.file)
        return &f->shown;
    const bool live = !m->moment[0];
    const uint64_t now = live || !m->snap ? 0 : m->snap->time_ns;
    if (f->past_of != m->past)
        f->past_ns = 0;
    if (live != f->shown_live || (!live && (now != f->past_ns)))
        f->stale = true;
    f->past_of = m->past;
    f->shown.asked = f->pending || (m->snap && m->snap->sampling.on);
    if (!f->stale)
        return &f->shown;
    f->stale = false;
    f->shown_live = live;
    if (!live && recording_count(m->past) > 0)
        rebuild_past(m, st, now);
    struct hot_sum *sum = live ? f->live : f->past;
    f->shown.window_s = windows[f->window];
    hot_sum_set_window(sum, windows[f->window]);
    f->shown.stacks = hot_sum_view(sum);
    if (f->shown.stacks)
        derive_function_rows(f, f->shown.stacks);
    else
        f->shown.nrows = 0;
    return &f->shown;
}

bool functions_available(const struct model *m, const struct view_state *st)
{
    const struct functions *f = functions_of(st);
    return f->asked || functions_of_file(m) || (f->stacks && f->stacks->samples);
}

/* --- keys --- */

static bool is_sampling(const struct model *m)
{
    return m->newest && m->newest->sampling.on;
}

static enum view_result switch_sampling(const struct model *m, struct view_state *st,
                                        const char *said)
{
    const char *why = NULL;
    if (functions_of_file(m))
        why = "these are the functions of the opened file: only what runs can be sampled";
    else if (m->playback)
        why = "this is a session: what was not sampled then cannot be sampled now";
    if (why || said)
        say_in_view(st, why != NULL, why ? why : said);
    if (why)
        return VIEW_HANDLED;
    functions_sum_of(st)->pending = !is_sampling(m);
    return VIEW_SAMPLE;
}

enum view_result functions_chosen(const struct model *m, struct view_state *st,
                                  enum view_choice how)
{
    if (how == CHOSEN_BY_TAB || m->playback || functions_of_file(m) || is_sampling(m))
        return VIEW_HANDLED;
    return switch_sampling(m, st, NULL);
}

static enum view_result step_window(const struct model *m, struct view_state *st, int step)
{
    struct functions_sum *f = functions_sum_of(st);
    const struct syscalls_snapshot *p = opened_trace(m);
    if (opened_samples(m)) {
        say_in_view(st, false, "the opened file is shown whole");
        return VIEW_HANDLED;
    }
    if (p && !p->has_times)
        say_in_view(st, true, "the trace has no times: calls are counted");
    if (p) {
        f->by_calls = step > 0;
        return VIEW_HANDLED;
    }
    f->window = limit_int(f->window + step, 0, WINDOWS - 1);
    f->stale = true;
    f->past_ns = 0;
    return VIEW_HANDLED;
}

enum view_result functions_sum_act(enum action a, const struct model *m, struct view_state *st)
{
    if (a == ACTION_WINDOW_SHORTER || a == ACTION_WINDOW_LONGER)
        return step_window(m, st, a == ACTION_WINDOW_LONGER ? 1 : -1);
    if (a != ACTION_SAMPLING)
        return VIEW_IGNORED;
    return switch_sampling(m, st,
                           is_sampling(m) ? "sampling is off; what was sampled stays" : "sampling");
}

int functions_command(const char *name, const char *arg, const struct model *m,
                      struct view_state *st, struct error *err)
{
    const bool want = strcmp(arg, "on") == 0, on = m->snap && m->snap->sampling.on;
    const char *why = permit_refused(m, ACTION_SAMPLING);
    if (!want && strcmp(arg, "off") != 0)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, name, "'%.60s' is not on or off", arg);
    if (why)
        return error_set(err, ERROR_PERMISSION, EPERM, NULL, name, "%s", why);
    return on == want ? VIEW_HANDLED : (int)functions_sum_act(ACTION_SAMPLING, m, st);
}
