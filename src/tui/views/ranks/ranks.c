/* The ranks of a job, from what they recorded. The engine finds the slow one and says why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/job/rank_fields.h"
#include "engine/summary/summary.h"
#include "tui/model/view.h"
#include "tui/widgets/page.h"
#include "tui/widgets/rows.h"
#include "tui/widgets/wrap.h"

enum { LABEL = 10, HEAT_STEPS = 8, LIST_LEAST = 6 };
#define HEAT_LEAST 0.02 /* numbers that differ by less than this share of the most are alike */

/* The fields that are coloured by heat; the first HEAT_CELLS of them have a cell each, in the order
 * of their columns. */
static const int heat_of[] = {
    RANK_FIELD_wall, RANK_FIELD_user, RANK_FIELD_system, RANK_FIELD_computes, RANK_FIELD_waited,
    RANK_FIELD_idle, RANK_FIELD_faults, RANK_FIELD_memory,
    /* without a cell; those of MPI, where it was recorded */
    RANK_FIELD_forced, RANK_FIELD_mpi, RANK_FIELD_late_sender, RANK_FIELD_late_receiver,
    RANK_FIELD_at_collectives, RANK_FIELD_caused};
enum { HEATS = sizeof heat_of / sizeof *heat_of, HEAT_CELLS = 8 };

struct ranks_view {           /* view_state.own */
    const struct subject *of; /* what the rest was made from; NULL: nothing yet */
    uint32_t reading;         /* of that */
    bool ascii;
    struct summary made;
    double least[HEATS], most[HEATS];
    struct rows rows;
};

static const struct job_folder *find_job(const struct model *m)
{
    return m->opened ? m->opened->job : NULL;
}

static void free_ranks_view(void *own)
{
    struct ranks_view *v = own;
    summary_free(&v->made);
    rows_free(&v->rows);
}

/* --- heat --- */

static void find_heat_range(struct ranks_view *v, const struct job_folder *f)
{
    for (int k = 0; k < HEATS; k++) {
        v->least[k] = v->most[k] = NAN;
        for (uint32_t i = 0; i < f->n; i++) {
            const double x = list_field_raw(&rank_fields[heat_of[k]], &f->ranks[i]);
            if (!(x >= v->least[k]))
                v->least[k] = isnan(x) ? v->least[k] : x;
            if (!(x <= v->most[k]))
                v->most[k] = isnan(x) ? v->most[k] : x;
        }
    }
}

/* Where a rank stands between the least and the most of all: 0..1; NaN: not known, or all alike. */
static double find_heat(const struct ranks_view *v, int k, const struct job_member *r)
{
    const double x = list_field_raw(&rank_fields[heat_of[k]], r), range = v->most[k] - v->least[k];
    if (isnan(x) || !(range > HEAT_LEAST * fabs(v->most[k])))
        return NAN;
    return (x - v->least[k]) / range;
}

static void put_heat(const struct ranks_view *v, const struct job_member *r,
                     char text[TABLE_CELL_MAX])
{
    static const char *const bars[HEAT_STEPS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const signs[HEAT_STEPS] = {".", ":", "-", "=", "+", "*", "%", "#"};
    size_t used = 0;
    for (int k = 0; k < HEAT_CELLS; k++) {
        const double heat = find_heat(v, k, r);
        const int step = isnan(heat) ? 0 : (int)(heat * (HEAT_STEPS - 1) + 0.5);
        const char *cell = v->ascii ? signs[step] : bars[step];
        used +=
            (size_t)snprintf(text + used, TABLE_CELL_MAX - used, "%s", isnan(heat) ? " " : cell);
    }
}

/* --- the list --- */

static void put_end(const struct job_member *r, char text[TABLE_CELL_MAX], struct style *st)
{
    char end[32];
    snprintf(text, TABLE_CELL_MAX, "%s", job_member_end(r, end));
    *st = STYLE(STYLE_OK);
    if (r->s.signal > 0 || r->s.status > 0)
        *st = STYLE(STYLE_CRIT);
    else if (!r->whole)
        *st = STYLE(STYLE_WARN);
}

static struct style find_rank_style(const struct ranks_view *v, const struct job_member *r,
                                    int field)
{
    for (int k = 0; k < HEATS; k++) {
        const double heat = heat_of[k] == field ? find_heat(v, k, r) : NAN;
        if (!isnan(heat))
            return STYLE_LEVEL(STYLE_GRAD_TEMP, 100 * heat);
    }
    return STYLE(STYLE_TEXT);
}

static void rank_cell(const void *own, const void *row, const struct list_field *f,
                      char text[TABLE_CELL_MAX], struct style *st)
{
    const struct ranks_view *v = own;
    const struct job_member *r = row;
    const int field = (int)(f - rank_fields);
    *st = find_rank_style(v, r, field);
    if (field == RANK_FIELD_heat)
        put_heat(v, r, text);
    else if (field == RANK_FIELD_end)
        put_end(r, text, st);
    else
        table_field_text(f, r, "n/a", text);
}

static void rank_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    (void)own;
    job_member_key(row, out);
}

static const void *listed_rank(const void *ctx, size_t i, void *made)
{
    (void)made;
    return &((const struct job_folder *)ctx)->ranks[i];
}

static const struct list_rows listed_ranks = {.fields = rank_fields, .row = listed_rank};
static const struct rows_ops rank_rows_ops = {
    .list = &listed_ranks, .cell = rank_cell, .key = rank_key};

/* --- the view --- */

/* The lines of what is open; in the other set of characters they are made anew. */
static void keep_ranks(struct ranks_view *v, const struct model *m, bool ascii)
{
    if (v->of == m->opened && v->reading == m->opened->reading && v->ascii == ascii)
        return;
    v->of = m->opened;
    v->reading = m->opened->reading;
    v->ascii = ascii;
    summary_free(&v->made);
    summary_make(&v->made, m->opened, ascii);
    find_heat_range(v, m->opened->job);
}

/* Draws the head and the lines of the summary, as far as the list leaves room. Returns the rows. */
static int draw_ranks_said(struct canvas *c, struct rect r, const struct ranks_view *v)
{
    const int most = r.h - LIST_LEAST > r.h / 2 ? r.h / 2 : r.h - LIST_LEAST;
    int y = 0;
    canvas_text(c, r.x, r.y + y++, r.w, v->made.head, STYLE(STYLE_TITLE));
    for (size_t i = 0; i < v->made.n && y < most; i++) {
        const struct summary_line *line = &v->made.lines[i];
        const struct rect text = {r.x + LABEL, r.y + y, r.w - LABEL, most - y};
        enum style_role role = STYLE_TEXT;
        if (line->tone == SUMMARY_VERDICT)
            role = STYLE_TITLE;
        else if (line->tone == SUMMARY_FAINT)
            role = STYLE_DIM;
        canvas_text(c, r.x, r.y + y, LABEL, line->label, STYLE(STYLE_HEADING));
        y += wrap_draw(c, text, line->text, STYLE(role));
    }
    return y;
}

static void draw_ranks(struct canvas *c, struct rect area, const struct model *m,
                       struct view_state *st)
{
    static const char legend[] =
        "HEAT low to high: wall, user, system, computes, wait, idle, faults, memory";
    struct ranks_view *v = st->own;
    const struct job_folder *f = find_job(m);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), "ranks of a job", "Enter opens a rank");
    if (!f)
        return;
    keep_ranks(v, m, c->ascii);
    const int above = draw_ranks_said(c, r, v) + 1;
    r.y += above;
    r.h -= above + 1;
    rows_collect(&v->rows, &rank_rows_ops, f, f->n, NULL, st);
    rows_columns(&v->rows);
    for (int k = HEAT_CELLS; k < HEATS; k++)
        if (isnan(v->most[k])) /* no rank recorded it */
            table_fields_remove(&v->rows.columns, &rank_fields[heat_of[k]]);
    rows_draw(c, r, &v->rows, "no rank matches the filter", st);
    canvas_text(c, r.x, r.y + r.h, r.w, legend, STYLE(STYLE_DIM));
}

static enum view_result act_in_ranks(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    switch (a) {
    case ACTION_RANKS_OPEN:
        return st->selected_key[0] ? VIEW_OPEN : VIEW_IGNORED;
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static const struct job_member *find_rank_row(const struct model *m, const char *key)
{
    const struct job_folder *f = find_job(m);
    return f ? job_folder_find(f, key) : NULL;
}

/* All that a rank says of itself. */
static void explain_rank(struct page *p, const struct model *m, const struct view_state *st,
                         const char *key)
{
    const struct job_member *r = find_rank_row(m, key);
    char text[TABLE_CELL_MAX], head[40];
    (void)st;
    if (!r)
        return;
    snprintf(head, sizeof head, "rank %u", r->s.rank);
    page_heading(p, head);
    for (const struct list_field *f = rank_fields; f->name; f++) {
        if (f - rank_fields == RANK_FIELD_heat)
            continue;
        table_field_text(f, r, "n/a", text);
        page_item(p, f->name, "%s%s%s", text, *text ? "   " : "", f->help);
    }
}

static bool ranks_menu(const struct model *m, const struct view_state *st, const char *key,
                       struct menu *out)
{
    const struct job_member *r = find_rank_row(m, key);
    (void)st;
    if (!r)
        return false;
    snprintf(out->title, sizeof out->title, "rank %u", r->s.rank);
    menu_copy(out, 'y', r->folder, "copy the name of its folder");
    menu_copy(out, 'c', r->s.command, "copy its command");
    return true;
}

static bool ranks_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return find_job(m) != NULL;
}

const struct view_ops view_ranks = {
    .own_size = sizeof(struct ranks_view),
    .end = free_ranks_view,
    .name = "ranks",
    .title = "ranks",
    .select = ACTION_VIEW_RANKS,
    .contexts = CONTEXTS_RANKS,
    .available = ranks_available,
    .absent = "No folder of a job was opened: srun rooftop job -o FOLDER -- COMMAND records one, "
              "rooftop FOLDER opens it",
    .draw = draw_ranks,
    .act = act_in_ranks,
    .menu = ranks_menu,
    .explain = explain_rank,
    .fields = rank_fields,
};
