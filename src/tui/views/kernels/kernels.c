/*
 * The kernels and copies of a profile: a table, the evidence for what bounds each, and what bounds
 * the whole profile.
 */
#include "tui/views/kernels/kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/code/kernel_brief.h"
#include "engine/value/value.h"
#include "tui/widgets/hue.h"
#include "tui/widgets/rows.h"

enum { BESIDE_FROM = 150, SIDE = 58, LEAST_ROWS = 5 };

struct kernels_state { /* view_state.own */
    const struct kernel_table *table;
    enum kernels_group group;
    struct rows rows;
    double largest; /* largest share of a row, above 0 */
    const struct briefs *briefs;
    bool ascii;
    struct kernel_launches_kept launches;
};

static void free_kernels(void *own)
{
    rows_free(&((struct kernels_state *)own)->rows);
}

static const struct kernel_row *kernel_row_at(const struct kernels_state *shown, size_t i)
{
    return rows_at(&shown->rows, i);
}

/* --- the list --- */

static void put_registers(const struct kernel_shape *s, char text[TABLE_CELL_MAX])
{
    if (s->vgprs == TRACE_UNKNOWN)
        snprintf(text, TABLE_CELL_MAX, "-");
    else if (s->accum_vgprs == TRACE_UNKNOWN || s->accum_vgprs == 0)
        snprintf(text, TABLE_CELL_MAX, "%" PRIu32, s->vgprs);
    else
        snprintf(text, TABLE_CELL_MAX, "%" PRIu32 "+%" PRIu32, s->vgprs, s->accum_vgprs);
}

static struct style dim_unless(bool wanted)
{
    return STYLE(wanted ? STYLE_TEXT : STYLE_DIM);
}

static void kernel_cell(const void *own, const void *row, const struct list_field *f,
                        char text[TABLE_CELL_MAX], struct style *st)
{
    const struct kernels_state *shown = own;
    const struct kernel_row *r = row;
    char label[TABLE_CELL_MAX];
    *st = STYLE(STYLE_DIM);
    switch (f - kernels_fields) {
    case KERNELS_FIELD_letter:
        kernels_label_text(&r->label, false, text, TABLE_CELL_MAX);
        *st = kernels_label_style(&r->label);
        break;
    case KERNELS_FIELD_name:
        briefs_fit(shown->briefs, r->name, shown->rows.flexible, shown->ascii, text,
                   TABLE_CELL_MAX);
        *st = r->collective ? STYLE(STYLE_COMMUNICATION) : dim_unless(r->kind == NODE_KERNEL);
        break;
    case KERNELS_FIELD_bar:
        table_bar(100 * r->share / shown->largest, f->column.look.width, text);
        *st = STYLE_LEVEL(STYLE_GRAD_CPU, isnan(r->share) ? 0 : (int)(100 * r->share));
        break;
    case KERNELS_FIELD_vgprs:
        put_registers(&r->shape, text);
        break;
    case KERNELS_FIELD_occupancy:
        kernels_waves_text(r, text, TABLE_CELL_MAX);
        *st = STYLE(STYLE_TEXT);
        break;
    case KERNELS_FIELD_label:
        kernels_label_text(&r->label, true, label, sizeof label);
        snprintf(text, TABLE_CELL_MAX, "%s",
                 gpu_say(r->words, label, (char[TABLE_CELL_MAX]){""}, TABLE_CELL_MAX));
        *st = kernels_label_style(&r->label);
        break;
    case KERNELS_FIELD_criticality:
        *st = dim_unless(r->sum.on_path);
        table_field_text(f, r, "-", text);
        break;
    case KERNELS_FIELD_share:
    case KERNELS_FIELD_time:
    case KERNELS_FIELD_mean:
        *st = STYLE(STYLE_TEXT); /* fall through */
    default:
        table_field_text(f, r, "-", text);
    }
}

static void kernel_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    kernels_key(row, ((const struct kernels_state *)own)->group, out);
}

static const struct rows_ops kernel_rows_ops = {
    .list = &kernels_rows, .cell = kernel_cell, .key = kernel_key};

static void collect_kernels(const struct analysis *profile, const struct view_state *st)
{
    struct kernels_state *shown = st->own;
    shown->group = (enum kernels_group)((unsigned)st->mode % KERNELS_GROUPS);
    shown->table = &profile->kernels.by[shown->group];
    shown->largest =
        shown->table->n && shown->table->rows[0].share > 0 ? shown->table->rows[0].share : 1;
    rows_collect(&shown->rows, &kernel_rows_ops, shown->table, shown->table->n,
                 (uint64_t[ROWS_MADE_OF]){profile->trace.calls->serial, shown->group}, st);
}

/* The columns, with heads in the words of the GPUs whose kernels are listed. */
static void name_kernel_columns(struct table_fields *out, const struct gpu_words *words)
{
    for (int i = 0; i < out->n && words && !words->scalar; i++)
        if (out->field[i] == &kernels_fields[KERNELS_FIELD_lds])
            out->columns[i].title = "SHARED";
        else if (out->field[i] == &kernels_fields[KERNELS_FIELD_occupancy])
            out->columns[i].title = "WARPS";
}

/* Draws a letter and its meaning if they fit. Returns the cells used. */
static int draw_letter(const struct kernels_state *shown, struct canvas *c, int x, int y, int room,
                       const char *letter, const char *words)
{
    char text[96], said[96];
    snprintf(text, sizeof text, " %s %s ", letter, words);
    const char *own = gpu_say(shown->table->words, text, said, sizeof said);
    return text_width(own) > room ? 0 : canvas_text(c, x, y, room, own, STYLE(STYLE_DIM));
}

/*
 * Draws the meaning of the letters in the list, those of the longest kernels first, as many as fit.
 */
static void draw_label_legend(const struct kernels_state *shown, struct canvas *c, struct rect r)
{
    bool told[LABELS] = {false}, low = false;
    int x = r.x + 2, end = r.x + r.w - 2;
    for (uint32_t i = 0; i < shown->rows.n; i++)
        low |= kernels_label_doubtful(&kernel_row_at(shown, i)->label);
    if (low)
        x += draw_letter(shown, c, x, r.y, end - x, "?", "low confidence");
    for (uint32_t i = 0; i < shown->rows.n; i++) {
        struct bottleneck b = kernel_row_at(shown, i)->label;
        char letter[8], words[64];
        b.confidence = CONFIDENCE_HIGH;
        if (!b.label || told[b.label])
            continue;
        told[b.label] = true;
        x += draw_letter(shown, c, x, r.y, end - x,
                         kernels_label_text(&b, false, letter, sizeof letter),
                         kernels_label_text(&b, true, words, sizeof words));
    }
}

static void draw_kernel_list(struct canvas *c, struct rect r, struct view_state *st)
{
    struct kernels_state *shown = st->own;
    rows_columns(&shown->rows);
    name_kernel_columns(&shown->rows.columns, shown->table->words);
    rows_draw(c, r, &shown->rows,
              shown->table->n ? "no kernel matches the filter"
                              : "the profile has no kernels and no copies",
              st);
}

/* --- the view --- */

/* Draws the details beside the list if there is room, else below it. */
static void draw_kernels_parts(struct canvas *c, struct rect r, const struct analysis *a,
                               struct view_state *st)
{
    struct kernels_state *shown = st->own;
    struct rect details = {0};
    if (!st->pane && r.w >= BESIDE_FROM) {
        details = canvas_cut_right(c, &r, SIDE);
    } else if (!st->pane) {
        const int most = r.h - LEAST_ROWS - 2, spare = r.h - (int)shown->rows.n - 2;
        const int below = r.h / 2 > spare ? r.h / 2 : spare;
        details = canvas_cut_below(c, &r, below < most ? below : most);
        draw_label_legend(shown, c, (struct rect){r.x, details.y - 1, r.w, 1});
    }
    draw_kernel_list(c, r, st); /* first, because drawing the list finds the selected row */
    const struct kernel_row *row = rows_selected(&shown->rows, st);
    if (!st->pane && row)
        kernels_detail_draw(c, details, a, row, shown->group, &shown->launches);
}

static void draw_kernels(struct canvas *c, struct rect area, const struct model *m,
                         struct view_state *st)
{
    struct kernels_state *shown = st->own;
    static const char *const titles[KERNELS_GROUPS] = {"kernels: by name", "kernels: by base name",
                                                       "kernels: by name and launch shape"};
    char right[96] = "";
    st->sort = list_fields_sort(kernels_fields, st->sort) ? st->sort : 0;
    st->mode = st->mode < 0 ? 0 : st->mode % KERNELS_GROUPS;
    if (st->filter[0])
        snprintf(right, sizeof right, "filter '%.60s'", st->filter);
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), titles[st->mode], right[0] ? right : NULL);
    collect_kernels(m->profile, st);
    shown->briefs = m->profile->trace.briefs;
    shown->ascii = c->ascii;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    int used = kernels_total_draw(c, r, &m->profile->kernels.total);
    r.y += used;
    r.h -= used;
    draw_kernels_parts(c, r, m->profile, st);
}

static enum view_result act_in_kernels(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    switch (a) {
    case ACTION_KERNELS_GROUP:
        st->mode = (st->mode + 1) % KERNELS_GROUPS;
        return VIEW_HANDLED;
    case ACTION_DETAILS:
        st->pane = !st->pane;
        return VIEW_HANDLED;
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static bool kernels_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return m->profile && m->profile->kernels.by[0].n;
}

const struct view_ops view_kernels = {
    .name = "kernels",
    .title = "kernels",
    .select = ACTION_VIEW_KERNELS,
    .contexts = CONTEXT_LIST | CONTEXT_KERNELS,
    .available = kernels_available,
    .absent =
        "No profile with kernels was opened: rooftop FILE, of rocprofv3, Nsight Systems or PyTorch",
    .own_size = sizeof(struct kernels_state),
    .end = free_kernels,
    .draw = draw_kernels,
    .act = act_in_kernels,
    .menu = kernels_menu,
    .explain = kernels_explain,
    .fields = kernels_fields,
};
