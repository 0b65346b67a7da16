/*
 * What uses the GPUs: the processes of all GPUs, the queues and memories of the selected one, the
 * agents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/live/proc_rows.h"
#include "tui/views/gpu/gpu.h"
#include "tui/widgets/table.h"

static const struct column queue_columns[] = {
    {"PID", 7, false, true, 0},    {"COMMAND", 16, false, false, 1}, {"QUEUE", 6, false, true, 0},
    {"TYPE", 12, false, false, 0}, {"RING", 10, true, true, 0},
};
static const struct column pool_columns[] = {
    {"KIND", 7, false, false, 0}, {"NAME", 20, false, false, 0},  {"SIZE", 10, false, true, 0},
    {"COUNT", 6, false, true, 1}, {"GRANULE", 9, false, true, 3}, {"BITS", 6, false, true, 4},
    {"CLOCK", 9, false, true, 5}, {"FROM", 5, false, false, 6},   {"WHAT", 10, true, false, 2},
};
static const struct column agent_columns[] = {
    {"NODE", 4, false, true, 0},
    {"KIND", 4, false, false, 0},
    {"NAME", 18, false, false, 0},
    {"PRODUCT", 22, false, false, 2},
    {"CUs", 5, false, true, 1},
    {"QUEUES", 6, false, true, 3},
    {"INSTRUCTION SETS", 16, true, false, 0},
};

static void put_gpu_row(struct gpu_state *now, const void *row)
{
    LIST_ADD(now->row, now->n, now->cap, row);
}

static const char *command_of(const struct gpu_state *now, const struct gpu_process *p)
{
    const struct proc *q = proc_rows_find(now->s, p->pid);
    return q ? q->cmdline : p->name;
}

static int compare_gpu_rows(const void *a, const void *b, void *ctx)
{
    const struct gpu_state *now = ctx;
    const struct gpu_process *p = *(const struct gpu_process *const *)a;
    const struct gpu_process *q = *(const struct gpu_process *const *)b;
    int c = list_field_compare(now->order, p, q);
    if (c != 0)
        return now->reverse ? -c : c;
    if (p->pid != q->pid)
        return p->pid < q->pid ? -1 : 1;
    return p->gpu < q->gpu ? -1 : p->gpu > q->gpu;
}

static void collect_gpu_rows(const struct model *m, const struct view_state *st)
{
    struct gpu_state *now = st->own;
    const struct gpus *g = m->snap->gpus;
    int gpu = gpu_selected(g, st);
    now->s = m->snap;
    now->n = 0;
    now->mode = st->mode;
    now->order = list_fields_order(gpu_fields, st->sort);
    now->reverse = st->reverse;
    table_fields(&now->columns, gpu_fields);
    for (size_t i = 0; st->mode == GPU_PROCESSES && i < g->nprocesses; i++)
        if (query_match(st->query, &g->processes[i]))
            put_gpu_row(now, &g->processes[i]);
    for (size_t i = 0; st->mode == GPU_QUEUES && i < g->nqueues; i++)
        if (g->queues[i].gpu == gpu)
            put_gpu_row(now, &g->queues[i]);
    for (size_t i = 0; st->mode == GPU_MEMORIES && i < g->npools; i++)
        if (g->pools[i].gpu == gpu)
            put_gpu_row(now, &g->pools[i]);
    for (size_t i = 0; st->mode == GPU_AGENTS && i < g->nagents; i++)
        put_gpu_row(now, &g->agents[i]);
    if (st->mode == GPU_PROCESSES && now->n)
        qsort_r(now->row, now->n, sizeof *now->row, compare_gpu_rows, now);
}

static void value_cell(const struct value *v, char text[TABLE_CELL_MAX], struct style *st)
{
    char number[VALUE_TEXT_MAX];
    if (v->validity == VALUE_OK && v->unit == UNIT_PERCENT)
        snprintf(text, TABLE_CELL_MAX, "%.1f", v->v);
    else if (v->validity == VALUE_OK && v->unit == UNIT_NONE)
        snprintf(text, TABLE_CELL_MAX, "%.0f", v->v);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(v, 0, number));
    if (v->validity != VALUE_OK)
        *st = STYLE(STYLE_DIM);
}

static void write_process_cell(const struct gpu_state *now, const struct gpu_process *p, int col,
                               char text[TABLE_CELL_MAX], struct style *st)
{
    const struct list_field *f = now->columns.field[col];
    struct value value;
    switch (f - gpu_fields) {
    case GPU_FIELD_pid:
    case GPU_FIELD_gpu:
    case GPU_FIELD_user:
        *st = STYLE(STYLE_DIM);
        table_field_text(f, p, "", text);
        break;
    case GPU_FIELD_kind:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 strcmp(p->kind, "compute+graphics") ? p->kind : "both");
        break;
    case GPU_FIELD_name:
        snprintf(text, TABLE_CELL_MAX, "%s", command_of(now, p));
        break;
    default:
        value = f->value(p);
        value_cell(&value, text, st);
    }
    if (f == &gpu_fields[GPU_FIELD_busy] && p->busy.validity == VALUE_OK)
        *st = STYLE_LEVEL(STYLE_GRAD_PROC, p->busy.v > 100 ? 100 : p->busy.v);
}

static void queue_cell(const struct gpu_state *now, const struct gpu_queue *q, int col,
                       char text[TABLE_CELL_MAX], struct style *st)
{
    struct gpu_process p = {.pid = q->pid, .name = ""};
    if (col == 0 || col == 2)
        snprintf(text, TABLE_CELL_MAX, "%d", col == 0 ? q->pid : q->id);
    else if (col == 1)
        snprintf(text, TABLE_CELL_MAX, "%s", command_of(now, &p));
    else if (col == 3)
        snprintf(text, TABLE_CELL_MAX, "%s", q->type);
    else
        value_cell(&q->size, text, st);
}

static void pool_cell(const struct gpu_pool *p, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const char *texts[] = {[0] = p->kind, [1] = p->name, [7] = p->source, [8] = p->flags};
    const struct value *values[] = {
        [2] = &p->size, [3] = &p->count, [4] = &p->granule, [5] = &p->width, [6] = &p->hz};
    if (col >= 2 && col <= 6)
        value_cell(values[col], text, st);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", texts[col]);
}

static void agent_cell(const struct gpu_agent *a, int col, char text[TABLE_CELL_MAX],
                       struct style *st)
{
    const char *texts[] = {[1] = a->kind, [2] = a->name, [3] = a->product, [6] = a->isas};
    const struct value *values[] = {[0] = &a->node, [4] = &a->cus, [5] = &a->queues_max};
    if (col == 0 || col == 4 || col == 5)
        value_cell(values[col], text, st);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", texts[col]);
}

static void gpu_row_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct gpu_state *now = ctx;
    int mode = now->mode;
    if (mode == GPU_PROCESSES)
        write_process_cell(now, now->row[row], col, text, st);
    else if (mode == GPU_QUEUES)
        queue_cell(now, now->row[row], col, text, st);
    else if (mode == GPU_MEMORIES)
        pool_cell(now->row[row], col, text, st);
    else
        agent_cell(now->row[row], col, text, st);
}

static void gpu_row_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct gpu_state *now = ctx;
    int mode = now->mode;
    const struct gpu_process *p = now->row[row];
    const struct gpu_queue *q = now->row[row];
    if (mode == GPU_PROCESSES)
        snprintf(out, VIEW_TEXT_MAX, "%d/%d", p->pid, p->gpu);
    else if (mode == GPU_QUEUES)
        snprintf(out, VIEW_TEXT_MAX, "%d/%d/%d", q->pid, q->gpu, q->id);
    else
        snprintf(out, VIEW_TEXT_MAX, "%zu", row);
}

static bool gpu_row_matches(const void *ctx, size_t row, const char *needle)
{
    const struct gpu_state *now = ctx;
    char text[TABLE_CELL_MAX];
    const int ncolumns[] = {now->columns.n, 5, 9, 7};
    for (int i = 0; i < ncolumns[now->mode]; i++) {
        struct style st = STYLE(STYLE_TEXT);
        gpu_row_cell(ctx, row, i, text, &st);
        if (table_contains(text, needle))
            return true;
    }
    return false;
}

static void draw_gpu_title(struct canvas *c, struct rect r, const struct gpus *g,
                           const struct view_state *st, int gpu)
{
    const struct gpu_state *now = st->own;
    char title[96], right[96] = "";
    if (st->mode == GPU_PROCESSES)
        snprintf(title, sizeof title, "processes on GPUs by %s", list_field_sort_name(now->order));
    else if (st->mode == GPU_AGENTS)
        snprintf(title, sizeof title, "agents of the HSA runtime  %.48s", g->runtime);
    else
        snprintf(title, sizeof title, "%s of GPU %d",
                 st->mode == GPU_QUEUES ? "queues" : "memories and caches", gpu);
    if (st->mode == GPU_PROCESSES && st->filter[0])
        snprintf(right, sizeof right, "%zu of %zu match '%.20s'", now->n, g->nprocesses,
                 st->filter);
    else
        snprintf(right, sizeof right, "%zu", now->n);
    canvas_box(c, r, STYLE(STYLE_BOX_PROC), title, right);
}

static const char *why_nothing(const struct gpus *g, const struct view_state *st, int gpu)
{
    bool nvidia = strcmp(g->gpu[gpu].vendor, "NVIDIA") == 0;
    switch (st->mode) {
    case GPU_PROCESSES:
        return st->filter[0] ? "no process matches the filter" : "no process uses a GPU";
    case GPU_QUEUES:
        return nvidia ? "NVIDIA's driver tells no queues" : "no compute queue is open (KFD)";
    case GPU_MEMORIES:
        return nvidia ? "NVIDIA's driver tells no memories and caches"
                      : "the kernel's topology (KFD) is not there";
    default:
        return "the HSA runtime was not asked, or sees none";
    }
}

void gpu_table_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st)
{
    struct gpu_state *now = st->own;
    const struct gpus *g = m->snap->gpus;
    int gpu = gpu_selected(g, st);
    if (r.h < 3) {
        st->list = (struct rect){0};
        st->rows = 0;
        return;
    }
    collect_gpu_rows(m, st);
    draw_gpu_title(c, r, g, st, gpu);
    struct rect in = {r.x + 1, r.y + 1, r.w - 2, r.h - 2};
    bool processes = st->mode == GPU_PROCESSES;
    const struct {
        const struct column *columns;
        int n;
    } heads[GPU_TABLES] = {{now->columns.columns, now->columns.n},
                           {queue_columns, 5},
                           {pool_columns, 9},
                           {agent_columns, 7}};
    const struct table t = {
        .columns = heads[st->mode].columns,
        .ncolumns = heads[st->mode].n,
        .ctx = now,
        .nrows = now->n,
        .fields = processes ? &now->columns : NULL,
        .sort = processes ? table_fields_sorted(&now->columns, now->order->sort.at - 1) : -1,
        .reverse = (now->order->least || now->order->text) != st->reverse,
        .cell = gpu_row_cell,
        .key = gpu_row_key,
        .match = gpu_row_matches};
    table_draw(c, in, &t, st);
    if (now->n == 0)
        canvas_text(c, in.x + 1, in.y + (in.h > 1 ? 1 : 0), in.w - 2, why_nothing(g, st, gpu),
                    STYLE(STYLE_DIM));
}
