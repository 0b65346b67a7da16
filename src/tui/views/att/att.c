/* A thread trace: the hot instructions, and the states of the waves over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/att/att.h"
#include "tui/widgets/plot.h"
#include "tui/widgets/table.h"

enum { ROWS_MAX = 65536, BESIDE_FROM = 130, ZOOM_MAX = 12, BAR = 6, TITLE_MAX = 512 };
enum { SORT_TIME, SORT_HITS, SORT_PER_HIT, SORT_STALL, SORT_IDLE, SORT_PLACE, SORTS };
static const char *const sorts[] = {"time", "hits", "per-hit", "stall", "idle", "place", NULL};

/* view_state.own: the shown instructions, filtered and sorted, and the picture below them. */
struct att_view {
    const struct att_digest *d;
    uint64_t id;
    uint32_t rows[ROWS_MAX]; /* rows of the trace */
    uint32_t n;
    double largest; /* largest share of a row, above 0 */
    int sort;
    bool reverse;
    char filter[QUERY_MAX];
    struct att_plot plot;
};

static const struct att_row *instruction_row(const struct att_view *shown, size_t i)
{
    return &shown->d->trace.rows[shown->rows[i]];
}

/* --- which, in which order --- */

static double sort_value(const struct att_view *shown, const struct att_row *r, int sort)
{
    double v = sort == SORT_HITS      ? (double)r->hits
               : sort == SORT_PER_HIT ? att_per_hit(r)
               : sort == SORT_STALL   ? (double)att_row_weight(&shown->d->totals, r).stall
               : sort == SORT_IDLE    ? (double)r->idle
                                      : (double)att_row_weight(&shown->d->totals, r).time;
    return isnan(v) ? -1 : v;
}

static int by_sort(const void *x, const void *y, void *ctx)
{
    const struct att_view *shown = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int c = (a > b) - (a < b), sign = shown->reverse ? -1 : 1;
    if (shown->sort != SORT_PLACE) {
        double v = sort_value(shown, &shown->d->trace.rows[a], shown->sort);
        double w = sort_value(shown, &shown->d->trace.rows[b], shown->sort);
        if (v != w)
            return sign * (v > w ? -1 : 1);
    }
    return sign * c;
}

/* Collects the rows again only if something changed, because there may be many. */
static void collect_instructions(const struct att_digest *d, const struct view_state *st)
{
    struct att_view *shown = st->own;
    shown->d = d;
    if (shown->id == d->id && shown->sort == st->sort && shown->reverse == st->reverse &&
        strcmp(shown->filter, st->filter) == 0)
        return;
    shown->id = d->id;
    shown->sort = st->sort;
    shown->reverse = st->reverse;
    snprintf(shown->filter, sizeof shown->filter, "%s", st->filter);
    shown->n = 0;
    double largest = d->nhot ? att_time_share(d, &d->trace.rows[d->hot[0]]) / 100 : NAN;
    shown->largest = largest > 0 ? largest : 1;
    for (uint32_t i = 0; i < d->nhot && shown->n < ROWS_MAX; i++)
        if (query_match(st->query, &(struct att_item){d, &d->trace.rows[d->hot[i]]}))
            shown->rows[shown->n++] = d->hot[i];
    if (st->sort != SORT_TIME || st->reverse)
        qsort_r(shown->rows, shown->n, sizeof *shown->rows, by_sort, shown);
}

/* --- the list --- */

enum {
    COL_TIME,
    COL_BAR,
    COL_CYCLES,
    COL_HITS,
    COL_PER_HIT,
    COL_STALL,
    COL_IDLE,
    COL_KIND,
    COL_ISA,
    COL_SOURCE
};
static const struct column columns[] = {
    [COL_TIME] = {"TIME %", 7, false, true, 0},      [COL_BAR] = {"", BAR, false, false, 0},
    [COL_CYCLES] = {"CYCLES", 7, false, true, 4},    [COL_HITS] = {"HITS", 7, false, true, 3},
    [COL_PER_HIT] = {"PER HIT", 8, false, true, 0},  [COL_STALL] = {"STALL %", 8, false, true, 0},
    [COL_IDLE] = {"IDLE", 7, false, true, 5},        [COL_KIND] = {"KIND", 9, false, false, 1},
    [COL_ISA] = {"INSTRUCTION", 24, true, false, 0}, [COL_SOURCE] = {"SOURCE", 16, false, false, 2},
};

/* Counts exist in a trace only; with sampled PCs there are none. */
static void put_count(const struct att_view *shown, uint64_t v, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    struct value value = att_sampled_only(&shown->d->totals)
                             ? value_missing("not traced", UNIT_COUNT)
                             : value_ok((double)v, UNIT_COUNT);
    snprintf(text, TABLE_CELL_MAX, "%s", value_format(&value, true, number));
}

/* Writes a bar in eighths of a cell; ASCII canvases draw their densities. */
static void put_bar(double share, char text[TABLE_CELL_MAX])
{
    int eighths = (int)lround(share * BAR * 8), i = 0;
    for (; eighths >= 8 && i < BAR; i++, eighths -= 8)
        text += text_encode(0x2588, text);
    if (eighths > 0 && i < BAR)
        text += text_encode(0x2590 - (uint32_t)eighths, text);
    *text = '\0';
}

/* The path after its last folder, which distinguishes lines. */
static const char *short_source(const char *source)
{
    const char *end = strstr(source, " -> "), *at = source;
    size_t n = end ? (size_t)(end - source) : strlen(source);
    for (size_t i = 0; i < n; i++)
        if (source[i] == '/')
            at = source + i + 1;
    return at;
}

static void instruction_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                             struct style *st)
{
    const struct att_view *shown = ctx;
    const struct att_row *r = instruction_row(shown, i);
    double share = att_time_share(shown->d, r) / 100, stall = att_stall_share(shown->d, r);
    text[0] = '\0';
    switch (col) {
    case COL_TIME:
        snprintf(text, TABLE_CELL_MAX, isnan(share) ? "n/a" : "%.1f", 100 * share);
        break;
    case COL_BAR:
        put_bar(isnan(share) ? 0 : share / shown->largest, text);
        *st = STYLE_LEVEL(STYLE_GRAD_CPU, isnan(share) ? 0 : (int)(100 * share));
        break;
    case COL_CYCLES:
        put_count(shown, r->latency, text);
        break;
    case COL_HITS:
        put_count(shown, r->hits, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_PER_HIT:
        snprintf(text, TABLE_CELL_MAX, r->hits ? "%.1f" : "n/a", att_per_hit(r));
        break;
    case COL_STALL:
        snprintf(text, TABLE_CELL_MAX, isnan(stall) ? "n/a" : "%.1f", stall);
        *st = STYLE(stall >= 50 ? STYLE_TEXT : STYLE_DIM);
        break;
    case COL_IDLE:
        put_count(shown, r->idle, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_KIND:
        snprintf(text, TABLE_CELL_MAX, "%s", att_category_name(r->category));
        *st = STYLE(STYLE_DIM);
        break;
    case COL_ISA:
        snprintf(text, TABLE_CELL_MAX, "%s", r->isa);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", short_source(r->source));
        *st = STYLE(STYLE_DIM);
    }
}

static void instruction_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct att_view *shown = ctx;
    snprintf(out, VIEW_TEXT_MAX, "a:%u", shown->rows[i]);
}

static int find_instruction(const void *ctx, const char *k, int last)
{
    const struct att_view *shown = ctx;
    (void)last;
    unsigned long row = strncmp(k, "a:", 2) == 0 ? strtoul(k + 2, NULL, 10) : ATT_UNKNOWN;
    for (uint32_t i = 0; i < shown->n; i++)
        if (shown->rows[i] == row)
            return (int)i;
    return -1;
}

static bool instruction_matches(const void *ctx, size_t i, const char *needle)
{
    const struct att_view *shown = ctx;
    return table_contains(instruction_row(shown, i)->isa, needle) ||
           table_contains(instruction_row(shown, i)->source, needle);
}

static int instruction_sort(int col)
{
    static const int sorted[] = {[COL_TIME] = SORT_TIME,       [COL_BAR] = SORT_TIME,
                                 [COL_CYCLES] = SORT_TIME,     [COL_HITS] = SORT_HITS,
                                 [COL_PER_HIT] = SORT_PER_HIT, [COL_STALL] = SORT_STALL,
                                 [COL_IDLE] = SORT_IDLE,       [COL_KIND] = -1,
                                 [COL_ISA] = SORT_PLACE,       [COL_SOURCE] = -1};
    return sorted[col];
}

static void draw_list(struct canvas *c, struct rect r, struct view_state *st)
{
    struct att_view *shown = st->own;
    static const int sorted[SORTS] = {COL_TIME,  COL_HITS, COL_PER_HIT,
                                      COL_STALL, COL_IDLE, COL_ISA};
    const struct table t = {.columns = columns,
                            .ncolumns = sizeof columns / sizeof *columns,
                            .ctx = shown,
                            .nrows = shown->n,
                            .sort = sorted[st->sort],
                            .reverse = st->reverse,
                            .sort_of = instruction_sort,
                            .cell = instruction_cell,
                            .key = instruction_key,
                            .find = find_instruction,
                            .match = instruction_matches};
    table_draw(c, r, &t, st);
}

/* --- the view --- */

static const struct att_digest *chosen(const struct model *m, const struct view_state *st)
{
    return &m->att->list[(unsigned)st->mode % m->att->n];
}

static int separated(struct canvas *c, int x, int y, int end, const char *text,
                     enum style_role role)
{
    int w = text_width(text);
    return x + w + 3 > end ? x : x + 2 + canvas_text(c, x, y, end - x, text, STYLE(role));
}

static void draw_numbers(struct canvas *c, struct rect r, const struct att_digest *d)
{
    char text[128], number[VALUE_TEXT_MAX], gfx[32];
    struct att_weight w = att_sum_weight(&d->totals, &d->totals.all);
    struct value cycles = value_ok((double)w.time, UNIT_COUNT);
    int x = r.x, end = r.x + r.w;
    double hz = att_clock_hz(&d->trace);
    x = separated(c, x, r.y, end, att_gfx_name(&d->trace, gfx), STYLE_TITLE);
    snprintf(text, sizeof text, "%s %s", value_format(&cycles, true, number),
             att_sampled_only(&d->totals) ? "samples" : "cycles");
    x = separated(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "%.1f %% of them stalled", 100 * att_share(w.stall, w.time));
    if (w.time)
        x = separated(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "%u waves", d->trace.nwaves);
    if (d->trace.nwaves)
        x = separated(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "%.3g issued a cycle of a wave", d->ipc.per_wave);
    if (!isnan(d->ipc.per_wave))
        x = separated(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "shader clock %.0f MHz", hz / 1e6);
    if (!isnan(hz))
        x = separated(c, x, r.y, end, text, STYLE_DIM);
    snprintf(text, sizeof text, "latency ends with the %s",
             att_latency_end(&d->trace) ? att_latency_end(&d->trace) : "issue or execution");
    if (!att_sampled_only(&d->totals))
        x = separated(c, x, r.y, end, text, STYLE_DIM);
    for (uint32_t i = 0; i < d->trace.nnotes; i++)
        x = separated(c, x, r.y, end, d->trace.notes[i], STYLE_DIM);
}

static void draw_parts(struct canvas *c, struct rect r, const struct att_digest *d,
                       struct view_state *st)
{
    struct att_view *shown = st->own;
    /* the plot gets the rows that the list does not need, up to half of all */
    int detail = st->pane ? 0 : 2,
        spare = r.h - detail - 2 - (int)(shown->n < 999 ? shown->n : 999);
    int plot = spare > r.h / 2 ? r.h / 2 : spare > r.h / 3 ? spare : r.h / 3 < 6 ? 6 : r.h / 3;
    struct rect below = {r.x, r.y + r.h - plot, r.w, plot}, list = r;
    plot = d->to > d->from ? plot : -1; /* without a plot there is no line above it */
    list.h = r.h - plot - 1 - detail;
    if (r.w >= BESIDE_FROM) {
        struct rect side = {r.x + r.w - r.w / 3, r.y, r.w / 3, list.h + detail};
        list.w = r.w - side.w - 3;
        att_draw_kinds(c, side, d);
        for (int y = 0; y < side.h; y++)
            canvas_put(c, side.x - 2, side.y + y, 0x2502, STYLE(STYLE_DIV));
    }
    draw_list(c, list, st); /* first, because drawing the list finds the selected row */
    uint32_t row = st->selected >= 0 && (uint32_t)st->selected < shown->n
                       ? shown->rows[st->selected]
                       : ATT_UNKNOWN;
    if (detail && row != ATT_UNKNOWN)
        att_draw_row(c, (struct rect){r.x, list.y + list.h, list.w, detail}, d, row);
    if (plot < 0)
        return;
    canvas_fill(c, (struct rect){r.x, below.y - 1, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    att_draw_waves(&shown->plot, c, below, d, row, st->zoom > 0 ? (int)st->zoom : 0);
}

/*
 * At most w bytes of the name, with each '_' doubled, because a single one marks a letter in a
 * title.
 */
static void put_title(const char *kernel, int w, char out[TITLE_MAX])
{
    size_t n = 0;
    const char *end = kernel + (w > 0 ? w : 0), *s = kernel;
    for (; *s && (s < end || (*s & 0xc0) == 0x80) && n + 8 < TITLE_MAX; s++) {
        out[n++] = *s;
        if (*s == '_')
            out[n++] = '_';
    }
    snprintf(out + n, TITLE_MAX - n, "%s", *s ? "…" : "");
}

static void draw_att(struct canvas *c, struct rect area, const struct model *m,
                     struct view_state *st)
{
    char title[TITLE_MAX], right[160] = "";
    const struct att_digest *d = chosen(m, st);
    const char *kernel = att_kernel_name(&d->trace);
    st->sort = st->sort < 0 || st->sort >= SORTS ? 0 : st->sort;
    collect_instructions(d, st);
    if (m->att->n > 1)
        snprintf(right, sizeof right, "dispatch %u, %u of %u%s", d->trace.dispatch,
                 (unsigned)st->mode % m->att->n + 1, m->att->n + m->att->left_out,
                 st->filter[0] ? " " : "");
    if (st->filter[0])
        snprintf(right + strlen(right), sizeof right - strlen(right), "filter '%.30s'", st->filter);
    put_title(*kernel ? kernel : "thread trace", area.w - 12 - text_width(right), title);
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, right[0] ? right : NULL);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    draw_numbers(c, r, d);
    r.y++;
    r.h--;
    draw_parts(c, r, d, st);
}

static enum view_result act_in_att(enum action a, const struct model *m, struct view_state *st)
{
    if (a == ACTION_PLOT_MODE) {
        st->mode = m->att && m->att->n ? (st->mode + 1) % (int)m->att->n : 0;
        st->zoom = 0;
        return VIEW_HANDLED;
    }
    return plot_act(a, st, ZOOM_MAX) || table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool att_menu(const struct model *m, const struct view_state *st, const char *k,
                     struct menu *out)
{
    struct att_view *shown = st->own;
    char text[MENU_COMMAND_MAX];
    int at;
    if (!m->att || !m->att->n)
        return false;
    collect_instructions(chosen(m, st), st);
    if ((at = find_instruction(shown, k, -1)) < 0)
        return false;
    const struct att_row *r = instruction_row(shown, (size_t)at);
    snprintf(out->title, sizeof out->title, "%.60s", r->isa);
    menu_action(out, 'z', ACTION_PLOT_ZOOM_IN, "zoom the time in on where it is issued");
    menu_filter(out, 'f', "kind", att_category_name(r->category), "show its kind only");
    menu_filter(out, 'l', "source", r->source, "show its source line only");
    menu_deny(out, *r->source ? NULL : "its source is not known");
    snprintf(text, sizeof text, "%.200s  %.1f %%  %.1f cycles a hit  %.100s", r->isa,
             att_time_share(shown->d, r), att_per_hit(r), r->source);
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', r->isa, "copy the instruction");
    menu_command(out, 's', "sort ", "sort by something else…");
    return true;
}

static bool att_available(const struct model *m)
{
    return m->att && m->att->n;
}

const struct view_ops view_att = {
    .name = "att",
    .title = "trace",
    .select = ACTION_VIEW_ATT,
    .contexts = CONTEXT_LIST | CONTEXT_PLOT,
    .available = att_available,
    .absent = "No thread trace was opened: rooftop FOLDER, of rocprofv3 --att",
    .own_size = sizeof(struct att_view),
    .draw = draw_att,
    .act = act_in_att,
    .sorts = sorts,
    .menu = att_menu,
    .fields = att_fields,
};
