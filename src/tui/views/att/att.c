/* A thread trace: the hot instructions, and the states of the waves over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/att/att_fields.h"
#include "tui/views/att/att.h"
#include "tui/widgets/plot.h"
#include "tui/widgets/rows.h"

enum { BESIDE_FROM = 130, ZOOM_MAX = 12, BAR = 6, TITLE_MAX = 512 };

struct att_view { /* view_state.own: the shown instructions, and the picture below them */
    const struct att_digest *d;
    struct rows rows;
    double largest; /* largest share of a row, above 0 */
    struct att_plot plot;
};

static void free_att(void *own)
{
    rows_free(&((struct att_view *)own)->rows);
}

static struct att_item att_item_of(const struct att_digest *d, uint32_t row)
{
    return (struct att_item){&d->trace, &d->totals, &d->trace.rows[row]};
}

static double att_percent_of(const struct att_item *item)
{
    return list_field_number(&att_fields[ATT_FIELD_time], item);
}

/* --- the list --- */

/* Counts exist in a trace only; with sampled PCs there are none. */
static void write_att_count(const struct att_view *shown, double v, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    struct value value = att_sampled_only(&shown->d->totals)
                             ? value_missing("not traced", UNIT_COUNT)
                             : value_ok(v, UNIT_COUNT);
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

static void instruction_cell(const void *own, const void *row, const struct list_field *f,
                             char text[TABLE_CELL_MAX], struct style *st)
{
    const struct att_view *shown = own;
    const struct att_item *item = row;
    double v = list_field_number(f, item);
    switch (f - att_fields) {
    case ATT_FIELD_bar:
        v = att_percent_of(item);
        put_bar(isnan(v) ? 0 : v / shown->largest, text);
        *st = STYLE_LEVEL(STYLE_GRAD_CPU, isnan(v) ? 0 : (int)v);
        break;
    case ATT_FIELD_hits:
    case ATT_FIELD_idle:
        *st = STYLE(STYLE_DIM); /* fall through */
    case ATT_FIELD_cycles:
        write_att_count(shown, v, text);
        break;
    case ATT_FIELD_perhit:
        snprintf(text, TABLE_CELL_MAX, isnan(v) ? "n/a" : "%.1f", v);
        break;
    case ATT_FIELD_source:
        snprintf(text, TABLE_CELL_MAX, "%s", short_source(item->row->source));
        *st = STYLE(STYLE_DIM);
        break;
    case ATT_FIELD_stall:
    case ATT_FIELD_kind:
        *st = STYLE(v >= 50 ? STYLE_TEXT : STYLE_DIM); /* fall through */
    default:
        table_field_text(f, item, "n/a", text);
    }
}

static uint32_t instruction_number(const struct att_item *item)
{
    return (uint32_t)(item->row - item->a->rows);
}

static void instruction_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    (void)own;
    snprintf(out, VIEW_TEXT_MAX, "a:%u", instruction_number(row));
}

static bool instruction_matches(const void *own, const void *row, const char *needle)
{
    const struct att_row *r = ((const struct att_item *)row)->row;
    (void)own;
    return table_contains(r->isa, needle) || table_contains(r->source, needle);
}

/* Those that ran, the hottest first. */
static const void *hot_instruction(const void *digest, size_t i, void *made)
{
    const struct att_digest *d = digest;
    struct att_item *item = made;
    *item = att_item_of(d, d->hot[i]);
    return item;
}

static int compare_instruction_places(const void *a, const void *b)
{
    const struct att_row *x = ((const struct att_item *)a)->row;
    const struct att_row *y = ((const struct att_item *)b)->row;
    return (x > y) - (x < y);
}

static const struct list_rows hot_instructions = {.fields = att_fields,
                                                  .size = sizeof(struct att_item),
                                                  .row = hot_instruction,
                                                  .tie = compare_instruction_places,
                                                  .mirrored = true};
static const struct rows_ops instruction_rows_ops = {.list = &hot_instructions,
                                                     .cell = instruction_cell,
                                                     .key = instruction_key,
                                                     .match = instruction_matches};

static void collect_instructions(const struct att_digest *d, const struct view_state *st)
{
    struct att_view *shown = st->own;
    const struct att_item hottest = att_item_of(d, d->nhot ? d->hot[0] : 0);
    const double largest = d->nhot ? att_percent_of(&hottest) : NAN;
    shown->d = d;
    shown->largest = largest > 0 ? largest : 1;
    rows_collect(&shown->rows, &instruction_rows_ops, d, d->nhot, (uint64_t[ROWS_MADE_OF]){d->id},
                 st);
}

/* --- the view --- */

static const struct att_digest *find_chosen_att(const struct model *m, const struct view_state *st)
{
    return &m->att->list[(unsigned)st->mode % m->att->n];
}

static int draw_att_number(struct canvas *c, int x, int y, int end, const char *text,
                           enum style_role role)
{
    int w = text_width(text);
    return x + w + 3 > end ? x : x + 2 + canvas_text(c, x, y, end - x, text, STYLE(role));
}

static void draw_att_numbers(struct canvas *c, struct rect r, const struct att_digest *d)
{
    char text[128], number[VALUE_TEXT_MAX], gfx[32];
    struct att_weight w = att_sum_weight(&d->totals, &d->totals.all);
    struct value cycles = value_ok((double)w.time, UNIT_COUNT);
    int x = r.x, end = r.x + r.w;
    double hz = att_clock_hz(&d->trace);
    x = draw_att_number(c, x, r.y, end, att_gfx_name(&d->trace, gfx), STYLE_TITLE);
    snprintf(text, sizeof text, "%s %s", value_format(&cycles, true, number),
             att_sampled_only(&d->totals) ? "samples" : "cycles of instructions");
    x = draw_att_number(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "%.1f %% of them stalled", 100 * att_share(w.stall, w.time));
    if (w.time)
        x = draw_att_number(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "%u waves", d->trace.nwaves);
    if (d->trace.nwaves)
        x = draw_att_number(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "%.3g issued a cycle of a wave", d->ipc.per_wave);
    if (!isnan(d->ipc.per_wave))
        x = draw_att_number(c, x, r.y, end, text, STYLE_TEXT);
    snprintf(text, sizeof text, "shader clock %.0f MHz", hz / 1e6);
    if (!isnan(hz))
        x = draw_att_number(c, x, r.y, end, text, STYLE_DIM);
    snprintf(text, sizeof text, "latency ends with the %s",
             att_latency_end(&d->trace) ? att_latency_end(&d->trace) : "issue or execution");
    if (!att_sampled_only(&d->totals))
        x = draw_att_number(c, x, r.y, end, text, STYLE_DIM);
    for (uint32_t i = 0; i < d->trace.nnotes; i++)
        x = draw_att_number(c, x, r.y, end, d->trace.notes[i], STYLE_DIM);
}

/* The plot gets the rows that the list does not need: from a third of all rows to half of them. */
static int att_plot_rows(int height, int spare)
{
    if (spare > height / 2)
        return height / 2;
    if (spare > height / 3)
        return spare;
    return height / 3 < 6 ? 6 : height / 3;
}

static void draw_att_parts(struct canvas *c, struct rect r, const struct att_digest *d,
                           struct view_state *st)
{
    struct att_view *shown = st->own;
    int detail = st->pane ? 0 : 2,
        spare = r.h - detail - 2 - (int)(shown->rows.n < 999 ? shown->rows.n : 999);
    int plot = att_plot_rows(r.h, spare);
    struct rect below = {r.x, r.y + r.h - plot, r.w, plot}, list = r;
    plot = d->to > d->from ? plot : -1; /* without a plot there is no line above it */
    list.h = r.h - plot - 1 - detail;
    if (r.w >= BESIDE_FROM) {
        list.h += detail;
        att_draw_kinds(c, canvas_cut_right(c, &list, r.w / 3), d);
        list.h -= detail;
    }
    rows_columns(&shown->rows);
    rows_draw(c, list, &shown->rows, NULL,
              st); /* first, because drawing the list finds the selected row */
    const struct att_item *selected = rows_selected(&shown->rows, st);
    const uint32_t row = selected ? instruction_number(selected) : ATT_UNKNOWN;
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
    const struct att_digest *d = find_chosen_att(m, st);
    const char *kernel = att_kernel_name(&d->trace);
    st->sort = list_fields_sort(att_fields, st->sort) ? st->sort : 0;
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
    draw_att_numbers(c, r, d);
    r.y++;
    r.h--;
    draw_att_parts(c, r, d, st);
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
    if (!m->att || !m->att->n)
        return false;
    collect_instructions(find_chosen_att(m, st), st);
    const struct att_item *item = rows_find(&shown->rows, k);
    if (!item)
        return false;
    const struct att_row *r = item->row;
    snprintf(out->title, sizeof out->title, "%.60s", r->isa);
    menu_action(out, 'z', ACTION_PLOT_ZOOM_IN, "zoom the time in on where it is issued");
    menu_filter(out, 'f', "kind", att_category_name(r->category), "show its kind only");
    menu_filter(out, 'l', "source", r->source, "show its source line only");
    menu_deny(out, *r->source ? NULL : "its source is not known");
    snprintf(text, sizeof text, "%.200s  %.1f %%  %.1f cycles a hit  %.100s", r->isa,
             att_percent_of(item), att_per_hit(r), r->source);
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', r->isa, "copy the instruction");
    menu_command(out, 's', "sort ", "sort by something else…");
    return true;
}

static bool att_available(const struct model *m, const struct view_state *st)
{
    (void)st;
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
    .end = free_att,
    .draw = draw_att,
    .act = act_in_att,
    .menu = att_menu,
    .fields = att_fields,
};
