#include "tui/views/procs/procs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/proc_rows.h"
#include "engine/live/procs_fields.h"
#include "tui/widgets/cut.h"
#include "tui/widgets/table.h"

void procs_free(struct procs_state *ps)
{
    proc_rows_free(&ps->rows);
}

/* The argument of the table's functions. */
struct list {
    const struct view_state *st;
    const struct procs_state *ps;
    const struct list_field *order; /* the field that sorts the list */
    const struct table_fields *columns;
    int command_width; /* cells of COMMAND */
};

const char *procs_sort_name(const struct view_state *st)
{
    return list_field_sort_name(list_fields_order(procs_fields, st->sort));
}

static int compare_processes(const void *ctx, const struct proc *p, const struct proc *q)
{
    const struct list *l = ctx;
    int c = list_field_compare(l->order, p, q);
    if (c != 0)
        return l->st->reverse ? -c : c;
    /* equal rows are ordered by pid, so that the order is stable */
    return p->pid < q->pid ? -1 : p->pid > q->pid;
}

/*
 * The identity of a process. It includes the start time, so that a new process with the same pid is
 * neither folded nor tagged.
 */
static uint64_t id_of(const struct proc *p)
{
    return (uint64_t)p->pid << 40 ^ (p->start_ticks + 1);
}

static bool folded(const void *ctx, const struct proc *p)
{
    return view_folded(((const struct list *)ctx)->st, id_of(p));
}

/* Whether kernel threads are shown: also if the filter names them. */
static bool kernel_wanted(const struct view_state *st, const struct procs_state *ps)
{
    return ps->kernel || ps->watched || strstr(st->filter, "kernel");
}

static void collect_processes(struct procs_state *ps, const struct snapshot *s,
                              const struct list *l)
{
    const struct view_state *st = l->st;
    proc_rows_make(&ps->rows, s,
                   &(struct proc_rows_how){.tree = ps->tree,
                                           .threads = ps->threads,
                                           .kernel = kernel_wanted(st, ps),
                                           .watched = ps->watched,
                                           .query = st->query,
                                           .compare = compare_processes,
                                           .folded = folded,
                                           .ctx = l});
}

size_t procs_shown(const struct model *m, const struct view_state *st, const struct procs_state *ps,
                   size_t *all, size_t *kernel)
{
    size_t n = 0;
    bool wanted = kernel_wanted(st, ps);
    *all = *kernel = 0;
    for (size_t i = 0; m->snap && i < m->snap->nprocs; i++) {
        const struct proc *p = &m->snap->procs[i];
        bool hidden = p->kernel_thread && !wanted;
        if (ps->watched && !p->watched)
            continue;
        *kernel += hidden;
        *all += !hidden;
        n += !hidden && query_match(st->query, p);
    }
    return n;
}

static void write_cpu_time(double seconds, char *out, size_t size)
{
    unsigned long t = seconds > 0 ? (unsigned long)seconds : 0;
    if (t < 3600)
        snprintf(out, size, "%lu:%05.2f", t / 60, fmod(seconds, 60));
    else if (t < 100 * 3600)
        snprintf(out, size, "%luh%02lum", t / 3600, t / 60 % 60);
    else
        snprintf(out, size, "%lud%02luh", t / 86400, t / 3600 % 24);
}

static struct style cpu_style(const struct value *v)
{
    if (v->validity != VALUE_OK || !(v->v >= 0.05))
        return STYLE(STYLE_DIM);
    return STYLE_LEVEL(STYLE_GRAD_PROC, v->v > 100 ? 100 : v->v);
}

static void cpu_text(const struct value *v, char text[TABLE_CELL_MAX], struct style *st)
{
    char number[VALUE_TEXT_MAX];
    if (v->validity == VALUE_OK)
        snprintf(text, TABLE_CELL_MAX, "%.1f", v->v);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(v, 0, number));
    *st = cpu_style(v);
}

static void write_proc_state(char state, char text[TABLE_CELL_MAX], struct style *st)
{
    snprintf(text, TABLE_CELL_MAX, "%c", state);
    *st = STYLE(state == 'D' || state == 'Z' ? STYLE_WARN : STYLE_DIM);
    if (state == 'R')
        *st = STYLE(STYLE_OK);
}

/* Writes the lines of the tree before a name. Returns their length. */
static size_t write_tree_branch(const struct proc_row *r, bool lines, char text[TABLE_CELL_MAX])
{
    enum { DEEP = 24 }; /* deeper rows are not indented further */
    size_t n = 0;
    int from = r->depth > DEEP ? r->depth - DEEP : 1;
    for (int d = from; d < r->depth; d++)
        n += (size_t)snprintf(text + n, TABLE_CELL_MAX - n, "%s",
                              lines && d < PROC_ROWS_LINES && r->lines >> d & 1 ? "│ " : "  ");
    const char *corner = r->last ? "└─" : "├─";
    if (r->depth > 0)
        n += (size_t)snprintf(text + n, TABLE_CELL_MAX - n, "%s", lines ? corner : "  ");
    return n;
}

static void write_proc_name(const struct proc_row *r, const struct list *l,
                            char text[TABLE_CELL_MAX], struct style *st)
{
    size_t n = write_tree_branch(r, l->ps->tree, text);
    if (r->folded)
        n += (size_t)snprintf(text + n, TABLE_CELL_MAX - n, "▸ %d below: ", r->below);
    const int room = l->command_width - text_width(text);
    snprintf(text + n, TABLE_CELL_MAX - n, "%s",
             r->thread ? r->thread->name : cut_folders(r->proc->cmdline, room));
    *st = STYLE(r->thread ? STYLE_LINK : STYLE_TEXT);
    if (r->proc->kernel_thread)
        *st = STYLE(STYLE_DIM);
}

static void thread_cell(const struct proc_thread *t, int field, char text[TABLE_CELL_MAX],
                        struct style *st)
{
    *st = STYLE(STYLE_DIM);
    switch (field) {
    case PROCS_FIELD_pid:
        snprintf(text, TABLE_CELL_MAX, "%d", t->tid);
        break;
    case PROCS_FIELD_state:
        write_proc_state(t->state, text, st);
        break;
    case PROCS_FIELD_cpu:
        cpu_text(&t->cpu_percent, text, st);
        break;
    case PROCS_FIELD_time:
        write_cpu_time(t->cpu_seconds, text, TABLE_CELL_MAX);
        break;
    case PROCS_FIELD_nice:
        snprintf(text, TABLE_CELL_MAX, "%d", t->nice);
        break;
    default:
        break; /* memory belongs to the process, not to a thread */
    }
}

static void proc_cell(const struct proc *p, bool tagged, const struct list_field *f,
                      char text[TABLE_CELL_MAX], struct style *st)
{
    *st = STYLE(STYLE_DIM);
    switch (f - procs_fields) {
    case PROCS_FIELD_mark:
        snprintf(text, TABLE_CELL_MAX, "%s", p->watched ? "▸" : "");
        if (tagged)
            snprintf(text, TABLE_CELL_MAX, "✓");
        *st = STYLE(STYLE_HOT);
        break;
    case PROCS_FIELD_state:
        write_proc_state(p->state, text, st);
        break;
    case PROCS_FIELD_cpu:
        cpu_text(&p->cpu_percent, text, st);
        break;
    case PROCS_FIELD_time:
        write_cpu_time(p->cpu_seconds, text, TABLE_CELL_MAX);
        *st = STYLE(STYLE_TEXT);
        break;
    case PROCS_FIELD_rss:
        if (!p->kernel_thread)
            table_field_text(f, p, "", text);
        *st = STYLE(STYLE_TEXT);
        break;
    case PROCS_FIELD_threads:
        *st = STYLE(p->threads > 1 ? STYLE_TEXT : STYLE_DIM); /* fall through */
    default:
        table_field_text(f, p, "", text);
    }
}

static void process_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct list *l = ctx;
    const struct proc_row *r = &l->ps->rows.row[row];
    const struct list_field *f = l->columns->field[col];
    if (f == &procs_fields[PROCS_FIELD_command])
        write_proc_name(r, l, text, st);
    else if (r->thread)
        thread_cell(r->thread, (int)(f - procs_fields), text, st);
    else
        proc_cell(r->proc, procs_is_tagged(l->ps, r->proc), f, text, st);
    if (r->context)
        *st = STYLE(STYLE_DIM);
}

/* Writes "12" for a process, or "12/15" for a thread of it. Menus and actions use it. */
static void process_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct proc_row *r = &((const struct list *)ctx)->ps->rows.row[row];
    if (r->thread)
        snprintf(out, VIEW_TEXT_MAX, "%d/%d", r->proc->pid, r->thread->tid);
    else
        snprintf(out, VIEW_TEXT_MAX, "%d", r->proc->pid);
}

static bool process_matches(const void *ctx, size_t row, const char *needle)
{
    const struct proc_row *r = &((const struct list *)ctx)->ps->rows.row[row];
    const struct proc *p = r->proc;
    char pid[16];
    snprintf(pid, sizeof pid, "%d", r->thread ? r->thread->tid : p->pid);
    if (r->thread)
        return table_contains(r->thread->name, needle) || strcmp(pid, needle) == 0;
    return table_contains(p->cmdline, needle) || table_contains(p->comm, needle) ||
           table_contains(p->user, needle) || strcmp(pid, needle) == 0;
}

/*
 * Whether the cursor skips a row: an ancestor that is only shown because of its children gets no
 * signal.
 */
static bool passed(const void *ctx, size_t row)
{
    return ((const struct list *)ctx)->ps->rows.row[row].context;
}

void procs_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st,
                struct procs_state *ps)
{
    const struct list_field *order = list_fields_order(procs_fields, st->sort);
    struct table_fields columns;
    table_fields(&columns, procs_fields);
    struct list l = {st, ps, order, &columns, 0};
    collect_processes(ps, m->snap, &l);
    const struct table t = {.columns = columns.columns,
                            .ncolumns = columns.n,
                            .fields = &columns,
                            .ctx = &l,
                            .nrows = ps->rows.n,
                            .sort = table_fields_sorted(&columns, order->sort.at - 1),
                            .reverse = (order->least || order->text) != st->reverse,
                            .flexible = &l.command_width,
                            .cell = process_cell,
                            .key = process_key,
                            .match = process_matches,
                            .passed = passed};
    table_draw(c, r, &t, st);
    const char *missing = m->snap ? proc_rows_missing(m->snap) : "…";
    const char *none = st->filter[0] ? "no process matches the filter" : "no processes to see";
    if (ps->rows.n == 0)
        canvas_text(c, r.x + 1, r.y + 2, r.w - 2, missing ? missing : none, STYLE(STYLE_DIM));
}

/* --- actions --- */

static const struct proc *find_selected_proc(const struct model *m, const struct view_state *st)
{
    return st->selected_key[0] ? procs_find(m->snap, st->selected_key) : NULL;
}

static const struct proc_row *selected_row(const struct view_state *st,
                                           const struct procs_state *ps)
{
    return st->selected >= 0 && (size_t)st->selected < ps->rows.n ? &ps->rows.row[st->selected]
                                                                  : NULL;
}

static enum view_result fold_process(enum action a, const struct model *m, struct view_state *st,
                                     const struct procs_state *ps)
{
    const struct proc *p = find_selected_proc(m, st);
    const struct proc_row *r = selected_row(st, ps);
    if (!p || !r)
        return VIEW_HANDLED;
    bool is = r->folded, want = a == ACTION_FOLD_TOGGLE ? !is : a == ACTION_FOLD;
    if (r->below && want != is)
        view_set_folded(st, id_of(p), want);
    return VIEW_HANDLED;
}

bool procs_is_tagged(const struct procs_state *ps, const struct proc *p)
{
    return view_ids_have(ps->tagged, PROCS_TAGGED_MAX, id_of(p));
}

/* Tags the selected process and moves the cursor to the next one. */
static enum view_result tag_selected_proc(const struct model *m, struct view_state *st,
                                          struct procs_state *ps)
{
    const struct proc *p = find_selected_proc(m, st);
    if (!p || p->kernel_thread)
        return VIEW_HANDLED;
    view_ids_set(ps->tagged, PROCS_TAGGED_MAX, id_of(p), !procs_is_tagged(ps, p));
    table_act(ACTION_DOWN, st);
    return VIEW_HANDLED;
}

size_t procs_tagged(const struct snapshot *s, const struct procs_state *ps, const struct proc **out,
                    size_t max)
{
    size_t n = 0;
    for (size_t i = 0; s && ps && ps->tagged[0] && i < s->nprocs; i++)
        if (procs_is_tagged(ps, &s->procs[i]) && n < max)
            out[n++] = &s->procs[i];
    return n;
}

/* Toggles a flag. The cursor stays on its row although other rows appear or vanish. */
static enum view_result toggle_procs_flag(bool *flag, struct view_state *st)
{
    *flag = !*flag;
    st->follow = st->follow || st->selected > 0;
    return VIEW_HANDLED;
}

enum view_result procs_act(enum action a, const struct model *m, struct view_state *st,
                           struct procs_state *ps)
{
    switch (a) {
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    case ACTION_ATTACH:
        return st->selected_key[0] ? VIEW_ATTACH : VIEW_IGNORED;
    case ACTION_PROC_TREE:
        return toggle_procs_flag(&ps->tree, st);
    case ACTION_PROC_KERNEL:
        return toggle_procs_flag(&ps->kernel, st);
    case ACTION_PROC_THREADS:
        return toggle_procs_flag(&ps->threads, st);
    case ACTION_TAG:
        return tag_selected_proc(m, st, ps);
    case ACTION_TAG_NONE:
        memset(ps->tagged, 0, sizeof ps->tagged);
        return VIEW_HANDLED;
    case ACTION_FOLD:
    case ACTION_UNFOLD:
    case ACTION_FOLD_TOGGLE:
        return fold_process(a, m, st, ps);
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

bool procs_take(enum action a, const struct procs_state *ps)
{
    if (a != ACTION_FOLD && a != ACTION_UNFOLD && a != ACTION_FOLD_TOGGLE)
        return true;
    for (size_t i = 0; i < ps->rows.n; i++)
        if (ps->rows.row[i].below)
            return true;
    return false;
}

const struct proc *procs_find(const struct snapshot *s, const char *pid)
{
    return proc_rows_find(s, (pid_t)strtol(pid, NULL, 10));
}

size_t procs_threads_wanted(const struct snapshot *s, const struct view_state *st,
                            const struct procs_state *ps, pid_t *out, size_t max)
{
    size_t n = 0;
    if (!ps->threads || !s || st->page <= 0)
        return 0;
    for (int i = st->scroll; i < st->scroll + st->page && (size_t)i < ps->rows.n && n < max; i++) {
        const struct proc_row *r = &ps->rows.row[i];
        bool again = n && out[n - 1] == r->proc->pid;
        if (!again && r->proc->threads > 1)
            out[n++] = r->proc->pid;
    }
    return n;
}
