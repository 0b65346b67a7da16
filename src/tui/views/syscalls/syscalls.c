/*
 * System calls: a list (by call, by process, by file, as they come, anti-patterns), above it how
 * they are traced and rates over time, below it the anti-patterns that were found.
 */
#include "tui/views/syscalls/syscalls.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/live/proc_rows.h"

enum { FINDING_ROWS = 7, EVENT_ROWS = 4, LEAST_ROWS = 5 };

enum syscalls_list syscalls_list_of(const struct view_state *st)
{
    return (enum syscalls_list)((unsigned)st->mode % SYSCALLS_LISTS);
}

static const struct list_field *fields_now(const struct view_state *st)
{
    return syscalls_lists[syscalls_list_of(st)].fields;
}

static void free_syscalls(void *own)
{
    struct syscalls_view *o = own;
    syscalls_snapshot_unref(o->live);
    rows_free(&o->rows);
}

/*
 * Takes the newest picture of the live trace, unless time is paused, or the user looks at a row of
 * the shown picture that would be gone with it.
 */
static void take_newest(const struct model *m, struct view_state *st, bool shown)
{
    struct syscalls_view *own = st->own;
    if (!m->syscalls || m->syscalls == own->live)
        return;
    const bool held = shown && st->fleeting && (st->follow || st->host->covered) &&
                      syscalls_snapshot_goes_on(m->syscalls);
    if (own->live && (m->moment[0] || held))
        return;
    syscalls_snapshot_unref(own->live);
    own->live = syscalls_snapshot_ref(m->syscalls);
}

static bool follow_trace(const struct model *m, struct view_state *st, bool shown)
{
    take_newest(m, st, shown);
    return false;
}

const struct syscalls_snapshot *syscalls_shown(const struct model *m, const struct view_state *st)
{
    const struct syscalls_view *own = st->own;
    return own->live ? own->live : model_syscalls(m);
}

static const struct syscalls_snapshot *newest_calls(const struct model *m, struct view_state *st)
{
    take_newest(m, st, true);
    return syscalls_shown(m, st);
}

/* The number of rows that the selected row takes in full, below the list. */
static int detail_rows(const struct view_state *st, const struct syscalls_snapshot *p, int height)
{
    enum { STACK_ROWS = 6 };
    const enum syscalls_list list = syscalls_list_of(st);
    const bool stacks = p->stacks && (list == SYSCALLS_EVENTS || list == SYSCALLS_ORIGINS);
    const int stack = stacks ? STACK_ROWS + height / 8 : 0;
    int least = FINDING_ROWS;
    if (list == SYSCALLS_EVENTS)
        least = EVENT_ROWS;
    else if (list == SYSCALLS_ORIGINS)
        least = 0;
    const int most = height - LEAST_ROWS, want = (height / 5 > least ? height / 5 : least) + stack;
    if (list != SYSCALLS_FINDINGS && (st->pane || most < least))
        return 0;
    return most < want ? most : want;
}

/* Draws the selected row in full, below the list. */
static void draw_with_details(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                              struct view_state *st)
{
    struct syscalls_event_row buf;
    enum syscalls_list list = syscalls_list_of(st);
    const int rows = detail_rows(st, p, r.h);
    struct rect below = {r.x, r.y + r.h - rows, r.w, rows};
    if (rows > 2)
        r.h -= rows;
    syscalls_list_draw(c, r, p, st);
    const void *row = rows > 2 ? syscalls_find(p, st->selected_key, &list, &buf) : NULL;
    if (row && list == SYSCALLS_FINDINGS)
        syscalls_finding_draw(c, below, row);
    else if (row && list == SYSCALLS_EVENTS)
        syscalls_event_draw(c, below, row);
    else if (row && list == SYSCALLS_ORIGINS)
        syscalls_origin_draw(c, below, row);
}

/* Draws where the selected call came from, below the list, if stacks were kept. */
static int draw_origins(struct canvas *c, struct rect *r, const struct syscalls_snapshot *p,
                        struct view_state *st)
{
    struct syscalls_event_row buf;
    enum syscalls_list list;
    const int rows =
        syscalls_list_of(st) == SYSCALLS_CALLS && !st->pane ? syscalls_origins_rows(p, r->h) : 0;
    r->h -= rows;
    syscalls_list_draw(c, *r, p, st);
    const void *row = rows ? syscalls_find(p, st->selected_key, &list, &buf) : NULL;
    if (row && list == SYSCALLS_CALLS)
        syscalls_origins_draw(c, (struct rect){r->x, r->y + r->h, r->w, rows}, p, row);
    return rows;
}

static void draw_with_findings(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                               struct view_state *st)
{
    const int rows = st->pane ? 0 : syscalls_findings_rows(p, r.h);
    r.h -= rows;
    const int origins = draw_origins(c, &r, p, st);
    if (rows)
        syscalls_findings_draw(c, (struct rect){r.x, r.y + r.h + origins, r.w, rows}, p);
}

/* The name of the call that the list of origins is of; "": of all. */
static const char *only_name(const struct syscalls_snapshot *p, const struct view_state *st)
{
    const struct syscalls_view *own = st->own;
    for (size_t i = 0; own->only && i < p->ncalls; i++)
        if (syscalls_call_id(p->calls[i].abi, p->calls[i].number) == own->only)
            return p->calls[i].name;
    return "";
}

static void draw_syscalls(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    const struct syscalls_snapshot *p = newest_calls(m, st);
    const enum syscalls_list list = syscalls_list_of(st);
    const struct list_field *order = list_fields_sort(fields_now(st), st->sort);
    char title[96], right[160];
    st->sort = order ? st->sort : 0;
    order = order ? order : list_fields_sort(fields_now(st), 0);
    if (list == SYSCALLS_ORIGINS && only_name(p, st)[0])
        snprintf(title, sizeof title, "system calls: where %s came from", only_name(p, st));
    else
        snprintf(title, sizeof title, "system calls: %s", syscalls_lists[list].title);
    snprintf(right, sizeof right, "%s, sorted by %s%s%.40s%s",
             m->moment[0] ? m->moment : syscalls_state_name(p->state), list_field_sort_name(order),
             st->filter[0] ? "  filter '" : "", st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_PROC), title, right);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    st->fleeting = list == SYSCALLS_EVENTS;
    const int used = syscalls_head_draw(c, r, p, st->fleeting && st->follow);
    r.y += used;
    r.h -= used;
    if (list == SYSCALLS_FINDINGS || list == SYSCALLS_EVENTS || list == SYSCALLS_ORIGINS)
        draw_with_details(c, r, p, st);
    else
        draw_with_findings(c, r, p, st);
}

/* Each list keeps its order and its cursor. A filter is about the fields of one list. */
static void show_list(struct view_state *st, enum syscalls_list list)
{
    struct syscalls_view *own = st->own;
    struct syscalls_kept *k = &own->kept[syscalls_list_of(st)];
    k->sort = st->sort;
    k->reverse = st->reverse;
    snprintf(k->key, sizeof k->key, "%s", st->follow ? st->selected_key : "");
    st->mode = (int)list;
    k = &own->kept[list];
    st->sort = k->sort;
    st->reverse = k->reverse;
    snprintf(st->selected_key, sizeof st->selected_key, "%s", k->key);
    st->follow = k->key[0] != '\0';
    st->pinned = false;
    st->selected = st->scroll = 0;
    st->filter[0] = '\0';
    st->query = NULL;
    own->only = 0;
}

enum syscalls_list syscalls_next_list(const struct syscalls_snapshot *p, enum syscalls_list list)
{
    const enum syscalls_list next = ((unsigned)list + 1) % SYSCALLS_LISTS;
    return next == SYSCALLS_ORIGINS && !(p && p->stacks) ? next + 1 : next;
}

/* Goes from a call to the list of where it came from, and back. */
static enum view_result show_callers(const struct model *m, struct view_state *st)
{
    const struct syscalls_snapshot *p = syscalls_shown(m, st);
    struct syscalls_view *own = st->own;
    struct syscalls_event_row buf;
    enum syscalls_list list;
    const struct syscalls_call_row *call;
    if (syscalls_list_of(st) == SYSCALLS_ORIGINS) {
        show_list(st, SYSCALLS_CALLS);
        return VIEW_HANDLED;
    }
    if (!p || !p->stacks || !(call = syscalls_find(p, st->selected_key, &list, &buf)) ||
        list != SYSCALLS_CALLS)
        return VIEW_IGNORED;
    st->follow = true;
    show_list(st, SYSCALLS_ORIGINS);
    own->only = syscalls_call_id(call->abi, call->number);
    return VIEW_HANDLED;
}

static enum view_result act_in_syscalls(enum action a, const struct model *m, struct view_state *st)
{
    switch (a) {
    case ACTION_SYSCALLS_LIST:
        show_list(st, syscalls_next_list(syscalls_shown(m, st), syscalls_list_of(st)));
        return VIEW_HANDLED;
    case ACTION_SYSCALLS_ORIGINS:
        return show_callers(m, st);
    case ACTION_DETAILS:
        st->pane = !st->pane;
        return VIEW_HANDLED;
    case ACTION_TOP: /* in the list of single calls the cursor stays on the newest one */
        table_act(a, st);
        st->follow = st->follow && syscalls_list_of(st) != SYSCALLS_EVENTS;
        return VIEW_HANDLED;
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static bool syscalls_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return model_syscalls(m) != NULL;
}

/* Why nothing can be traced now; NULL if it can. */
static const char *why_not_traced(const struct model *m)
{
    pid_t pid;
    if (m->readonly)
        return "not traced: started with --readonly";
    if (m->playback)
        return "a recording cannot be traced: nothing of it runs any more";
    if (!m->newest)
        return "not traced: nothing was measured yet; press the key again";
    if (proc_rows_watched(m->newest, &pid, 1) > 0)
        return NULL;
    return m->newest->target_kind == TARGET_COMMAND || m->newest->target_kind == TARGET_PIDS
               ? "not traced: what was watched has ended"
               : "nothing to trace: watch a process first (a in the process list; -p PID; -- "
                 "COMMAND)";
}

/*
 * A trace slows the program down, so only the view's own key begins it. It ends with the same key,
 * or when the view is left.
 */
static enum view_result switch_trace(const struct model *m, struct view_state *st,
                                     enum view_choice how)
{
    if (how == CHOSEN_BY_TAB || (m->tracing && how != CHOSEN_AGAIN) ||
        (!m->syscalls && model_syscalls(m)))
        return VIEW_HANDLED; /* it goes on; or a saved trace is shown */
    const char *why = m->tracing ? NULL : why_not_traced(m);
    char key[16], done[64] = "ending the trace";
    if (!m->tracing)
        snprintf(done, sizeof done, "tracing; %s ends the trace", view_key("syscalls", key));
    st->host->say(st->host->app, why != NULL, why ? why : done);
    return why ? VIEW_HANDLED : VIEW_TRACE;
}

const struct view_ops view_syscalls = {
    .name = "syscalls",
    .title = "syscalls",
    .select = ACTION_VIEW_SYSCALLS,
    .contexts = CONTEXTS_SYSCALLS,
    .available = syscalls_available,
    .absent =
        "Nothing was traced: Y traces the watched program (rooftop -- COMMAND, rooftop -p PID, "
        "or a in the process list) and slows it down; or open a saved trace: "
        "rooftop trace --format json -o FILE, then rooftop FILE",
    .own_size = sizeof(struct syscalls_view),
    .end = free_syscalls,
    .follow = follow_trace,
    .chosen = switch_trace,
    .calls = newest_calls,
    .draw = draw_syscalls,
    .act = act_in_syscalls,
    .menu = syscalls_menu,
    .explain = syscalls_explain,
    .fields = syscalls_call_fields,
    .fields_now = fields_now,
};
