#include "tui/views/procs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tui/widgets/table.h"

enum {
    COL_MARK,
    COL_PID,
    COL_USER,
    COL_STATE,
    COL_CPU,
    COL_RSS,
    COL_THREADS,
    COL_TIME,
    COL_NICE,
    COL_CMD
};

static const struct column columns[] = {
    [COL_MARK] = {"", 1, false, false, 0},      [COL_PID] = {"PID", 7, false, true, 0},
    [COL_USER] = {"USER", 9, false, false, 3},  [COL_STATE] = {"S", 1, false, false, 4},
    [COL_CPU] = {"CPU %", 6, false, true, 0},   [COL_RSS] = {"RSS", 9, false, true, 0},
    [COL_THREADS] = {"THR", 5, false, true, 2}, [COL_TIME] = {"TIME", 9, false, true, 1},
    [COL_NICE] = {"NI", 3, false, true, 5},     [COL_CMD] = {"COMMAND", 12, true, false, 0},
};

/* What `s` goes through: columns with the direction that a user expects first. */
static const struct {
    int column;
    bool ascending;
} sorts[] = {
    {COL_CPU, false}, {COL_RSS, false}, {COL_TIME, false}, {COL_THREADS, false},
    {COL_PID, true},  {COL_USER, true}, {COL_CMD, true},
};
enum { SORTS = sizeof sorts / sizeof *sorts };
const char *const procs_sorts[SORTS + 1] = {"cpu", "memory", "time",   "threads",
                                            "pid", "user",   "command"};

/* Which of them the head of a column stands for. */
static int sort_of(int column)
{
    for (int i = 0; i < SORTS; i++)
        if (sorts[i].column == column)
            return i;
    return -1;
}

/* Rows as shown. Reused from frame to frame; drawing happens on one thread. */
static const struct proc **rows;
static size_t rows_cap;

static int sort_index(const struct view_state *st)
{
    return ((st->sort % SORTS) + SORTS) % SORTS;
}

const char *procs_sort_name(const struct view_state *st)
{
    return procs_sorts[sort_index(st)];
}

static double cpu_of(const struct proc *p)
{
    return p->cpu_percent.validity == VALUE_OK ? p->cpu_percent.v : -1;
}

static int sort_column;
static int sort_sign;

static int compare(const void *a, const void *b)
{
    const struct proc *p = *(const struct proc *const *)a, *q = *(const struct proc *const *)b;
    double d = 0;
    switch (sort_column) {
    case COL_CPU:
        d = cpu_of(p) - cpu_of(q);
        break;
    case COL_RSS:
        d = p->rss < q->rss ? -1 : p->rss > q->rss;
        break;
    case COL_TIME:
        d = p->cpu_seconds - q->cpu_seconds;
        break;
    case COL_THREADS:
        d = p->threads - q->threads;
        break;
    case COL_USER:
        d = strcmp(p->user, q->user);
        break;
    case COL_CMD:
        d = strcmp(p->cmdline, q->cmdline);
        break;
    default:
        d = p->pid - q->pid;
    }
    if (d == 0 && sort_column == COL_CPU) /* among the idle, those that have worked most */
        d = p->cpu_seconds - q->cpu_seconds;
    if (d != 0)
        return d < 0 ? -sort_sign : sort_sign;
    return p->pid < q->pid ? -1 : p->pid > q->pid; /* ties by id: the order never flickers */
}

static size_t collect(const struct snapshot *s, const struct view_state *st)
{
    size_t n = 0;
    if (s->nprocs > rows_cap) {
        rows_cap = s->nprocs + s->nprocs / 2;
        rows = xrealloc(rows, rows_cap, sizeof *rows);
    }
    for (size_t i = 0; i < s->nprocs; i++)
        if (query_match(st->query, &s->procs[i]))
            rows[n++] = &s->procs[i];
    sort_column = sorts[sort_index(st)].column;
    sort_sign = sorts[sort_index(st)].ascending == st->reverse ? -1 : 1;
    if (n)
        qsort(rows, n, sizeof *rows, compare);
    return n;
}

size_t procs_shown(const struct model *m, const struct view_state *st)
{
    size_t n = 0;
    for (size_t i = 0; m->snap && i < m->snap->nprocs; i++)
        n += query_match(st->query, &m->snap->procs[i]);
    return n;
}

static void time_text(double seconds, char *out, size_t size)
{
    unsigned long t = seconds > 0 ? (unsigned long)seconds : 0;
    if (t < 3600)
        snprintf(out, size, "%lu:%05.2f", t / 60, fmod(seconds, 60));
    else if (t < 100 * 3600)
        snprintf(out, size, "%luh%02lum", t / 3600, t / 60 % 60);
    else
        snprintf(out, size, "%lud%02luh", t / 86400, t / 3600 % 24);
}

static void cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX], struct style *st)
{
    (void)ctx;
    const struct proc *p = rows[row];
    char v[VALUE_TEXT_MAX];
    struct value rss = value_ok((double)p->rss, UNIT_BYTES);
    switch (col) {
    case COL_MARK:
        snprintf(text, TABLE_CELL_MAX, "%s", p->watched ? "▸" : "");
        *st = STYLE(STYLE_HOT);
        break;
    case COL_PID:
        snprintf(text, TABLE_CELL_MAX, "%d", p->pid);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_USER:
        snprintf(text, TABLE_CELL_MAX, "%s", p->user);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_STATE:
        snprintf(text, TABLE_CELL_MAX, "%c", p->state);
        *st = STYLE(p->state == 'R'                      ? STYLE_OK
                    : p->state == 'D' || p->state == 'Z' ? STYLE_WARN
                                                         : STYLE_DIM);
        break;
    case COL_CPU:
        if (p->cpu_percent.validity == VALUE_OK)
            snprintf(text, TABLE_CELL_MAX, "%.1f", p->cpu_percent.v);
        else
            snprintf(text, TABLE_CELL_MAX, "%s", value_format(&p->cpu_percent, 0, v));
        *st = p->cpu_percent.validity == VALUE_OK && p->cpu_percent.v >= 0.05
                  ? STYLE_LEVEL(STYLE_GRAD_PROC, p->cpu_percent.v > 100 ? 100 : p->cpu_percent.v)
                  : STYLE(STYLE_DIM);
        break;
    case COL_RSS:
        snprintf(text, TABLE_CELL_MAX, "%s", p->kernel_thread ? "" : value_format(&rss, 0, v));
        break;
    case COL_THREADS:
        snprintf(text, TABLE_CELL_MAX, "%d", p->threads);
        *st = STYLE(p->threads > 1 ? STYLE_TEXT : STYLE_DIM);
        break;
    case COL_TIME:
        time_text(p->cpu_seconds, text, TABLE_CELL_MAX);
        break;
    case COL_NICE:
        snprintf(text, TABLE_CELL_MAX, "%d", p->nice);
        *st = STYLE(STYLE_DIM);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", p->cmdline);
        *st = STYLE(p->kernel_thread ? STYLE_DIM : STYLE_TEXT);
    }
}

static void key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    (void)ctx;
    snprintf(out, VIEW_TEXT_MAX, "%d", rows[row]->pid);
}

static bool match(const void *ctx, size_t row, const char *needle)
{
    (void)ctx;
    const struct proc *p = rows[row];
    char pid[16];
    snprintf(pid, sizeof pid, "%d", p->pid);
    return table_contains(p->cmdline, needle) || table_contains(p->comm, needle) ||
           table_contains(p->user, needle) || strcmp(pid, needle) == 0;
}

void procs_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st)
{
    size_t n = m->snap ? collect(m->snap, st) : 0;
    int s = sort_index(st);
    const struct table t = {.columns = columns,
                            .ncolumns = sizeof columns / sizeof *columns,
                            .nrows = n,
                            .sort = sorts[s].column,
                            .reverse = sorts[s].ascending != st->reverse,
                            .cell = cell,
                            .key = key,
                            .match = match,
                            .sort_of = sort_of};
    table_draw(c, r, &t, st);
    if (n == 0)
        canvas_text(c, r.x + 1, r.y + 2, r.w - 2,
                    !m->snap        ? "…"
                    : st->filter[0] ? "no process matches the filter"
                                    : "no processes to see",
                    STYLE(STYLE_DIM));
}

enum view_result procs_act(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    switch (a) {
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    case ACTION_ATTACH:
        return st->selected_key[0] ? VIEW_ATTACH : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

const struct proc *procs_find(const struct snapshot *s, const char *pid)
{
    long want = strtol(pid, NULL, 10);
    for (size_t i = 0; s && i < s->nprocs; i++)
        if (s->procs[i].pid == want)
            return &s->procs[i];
    return NULL;
}
