/*
 * The critical path of the last complete pass: its steps, a timeline of everything that ran, and
 * the work with slack.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "engine/bricks/bricks.h"
#include "engine/code/kernel_brief.h"
#include "tui/model/captures.h"
#include "tui/model/jumps.h"
#include "tui/views/path/path.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/hue.h"
#include "tui/widgets/plot.h"
#include "tui/widgets/rows.h"
#include "tui/widgets/wrap.h"

enum { MODE_FIRST, MODE_OTHER, MODES };
enum { ROWS_MAX = 65536, ZOOM_MAX = 16 };
enum { SIDE_FROM = 130, SIDE = 62, BAR = 8 };

struct path_row {
    uint32_t step;   /* the first step, if several are summed */
    uint32_t span;   /* index into window.spans */
    uint32_t count;  /* steps */
    uint8_t marks;   /* enum step_mark */
    uint64_t length; /* ns that they add to the path */
};

struct path_state { /* view_state.own */
    const struct brick_window *w;
    const struct graph *tree;       /* that the spans' nodes are of */
    const struct analysis *profile; /* NULL: the path of a running program */
    bool by_name;
    bool longest_first; /* the order that this view chose for names, until the user chooses one */
    bool ascii;
    struct path_row made[ROWS_MAX]; /* of all steps */
    size_t nmade;
    struct rows rows; /* those that are shown */
    struct hash_table row_by_name;
    struct path_what_if what_if;
};

static const struct brick_span *row_span_of(const struct path_state *shown,
                                            const struct path_row *r)
{
    return &shown->w->spans[r->span];
}

/* --- fields --- */

struct path_item {
    const struct path_state *view;
    const struct path_row *row;
};

static const struct brick_span *item_span(const struct path_item *r)
{
    return row_span_of(r->view, r->row);
}

static double find_step_rate(const struct path_item *r, enum graph_rate rate)
{
    const struct graph *g = r->view->tree;
    const uint32_t node = item_span(r)->node;
    return g && node != GRAPH_NONE ? graph_rate(g->counters, graph_counts_of(g, node), rate) : NAN;
}

/* What is known of the system calls inside its brick; NULL: they were not traced. */
static const struct call_sum *find_step_calls(const struct path_state *shown,
                                              const struct brick_span *s)
{
    return shown->tree && s->node != GRAPH_NONE ? graph_syscalls_of(shown->tree, s->node) : NULL;
}

static double time_in_calls(const struct path_item *r)
{
    const struct call_sum *s = find_step_calls(r->view, item_span(r));
    const struct graph *g = r->view->tree;
    const struct graph_work *w = s ? graph_work_of(g, item_span(r)->node) : NULL;
    return w && w->count && !g->syscalls->partial ? (double)s->n.ns / (double)w->count : NAN;
}

/* "45% write", or "write" where the trace began late: of the time in all calls of its brick. */
static void put_most(const struct path_state *shown, const struct brick_span *s,
                     char text[TABLE_CELL_MAX])
{
    const struct graph *g = shown->tree;
    const struct call_sum *sum = find_step_calls(shown, s);
    text[0] = '\0';
    if (sum && g->syscalls->partial) /* no share, because only some runs of the brick were traced */
        snprintf(text, TABLE_CELL_MAX, "%s", sum->most_in ? sum->most_in : "");
    else if (sum)
        tree_most_call(sum, g->duration[s->node], text, TABLE_CELL_MAX);
}

static double find_path_share(const struct brick_window *w, const struct path_row *r)
{
    return w->path ? 100.0 * (double)r->length / (double)w->path : 0;
}

enum path_field {
#define LIST_FILE   "tui/views/path/path_fields.def"
#define LIST_ID(id) PATH_FIELD_##id
#include "engine/value/list_field_ids.h"
};
#define LIST_ROW   struct path_item
#define LIST_FILE  "tui/views/path/path_fields.def"
#define LIST_TABLE path_fields
#include "engine/value/list_field_table.h"

static const struct counter_fields path_counter_fields = {&path_fields[PATH_FIELD_ipc],
                                                          &path_fields[PATH_FIELD_cache_miss],
                                                          &path_fields[PATH_FIELD_mispredict],
                                                          {NULL}};

/* --- rows --- */

/*
 * With so many steps, the view opens summed up by name; a key changes between the two. A live path
 * is new with each pass: single steps of it cannot be read.
 */
enum { MANY = 1000, MANY_LIVE = 100 };
static bool is_by_name(const struct model *m, const struct view_state *st)
{
    const bool many = model_bricks(m)->window.nsteps >= (m->profile ? MANY : MANY_LIVE);
    return many != (st->mode == MODE_OTHER);
}

/* Names are listed with the longest first, steps as they come, unless the user chose an order. */
static void choose_path_order(struct path_state *shown, struct view_state *st, bool by_name)
{
    const int longest = list_fields_sort_named(path_fields, "adds");
    if (by_name && !shown->longest_first && st->sort == 0)
        st->sort = longest;
    else if (!by_name && shown->longest_first && st->sort == longest)
        st->sort = 0;
    shown->longest_first = by_name;
}

/* Whether a row sums up this name. Equal names of a profile have the same pointer. */
static bool same_row(const struct path_state *shown, const struct path_row *r,
                     const struct brick_span *y, uint8_t marks)
{
    const struct brick_span *x = row_span_of(shown, r);
    return x->kind == y->kind && ((r->marks ^ marks) & ~STEP_INFERRED) == 0 &&
           (x->name == y->name || strcmp(x->name, y->name) == 0);
}

static uint64_t hash_path_step(const struct brick_span *s, uint8_t marks)
{
    const uint32_t latency = marks & STEP_LATENCY ? 0x80 : 0;
    const uint32_t wait = marks & STEP_WAIT ? 0x40 : 0;
    return hash_text(s->kind ^ latency ^ wait, s->name);
}

static void add_by_name(struct path_state *shown, uint32_t step, uint32_t span, uint64_t length,
                        uint8_t marks)
{
    const struct brick_span *s = &shown->w->spans[span];
    if (shown->nmade == 0)
        hash_table_clear(&shown->row_by_name);
    uint64_t hash = hash_path_step(s, marks);
    HASH_EACH (&shown->row_by_name, hash, i) {
        struct path_row *r = &shown->made[i];
        if (!same_row(shown, r, s, marks))
            continue;
        r->length += length;
        r->count++;
        r->marks |= marks;
        return;
    }
    if (shown->nmade < ROWS_MAX) {
        hash_table_add(&shown->row_by_name, hash, (size_t)shown->nmade);
        shown->made[shown->nmade++] = (struct path_row){step, span, 1, marks, length};
    }
}

static void make_path_rows(const struct model *m, const struct view_state *st)
{
    struct path_state *shown = st->own;
    const struct brick_window *w = &model_bricks(m)->window;
    shown->w = w;
    shown->tree = model_bricks(m)->tree;
    shown->profile = m->profile;
    shown->by_name = is_by_name(m, st);
    shown->nmade = 0;
    for (uint32_t i = 0; i < w->nsteps; i++) {
        uint8_t marks = w->marks ? w->marks[i] : 0;
        if (shown->by_name)
            add_by_name(shown, i, w->steps[i], w->lengths[i], marks);
        else if (shown->nmade < ROWS_MAX)
            shown->made[shown->nmade++] =
                (struct path_row){i, w->steps[i], 1, marks, w->lengths[i]};
    }
}

/* --- the list --- */

/* Writes the name with the part that the row stands for. Kernels are shortened to the room. */
static void write_step_name(const struct path_state *shown, const struct path_row *r,
                            const struct brick_span *s, char text[TABLE_CELL_MAX])
{
    int depth = s->depth < 8 ? 2 * s->depth : 16;
    depth = shown->by_name ? 0 : depth;
    int n = snprintf(text, TABLE_CELL_MAX, "%*s%s%s%s", depth, "",
                     r->marks & STEP_INFERRED && !shown->by_name ? "(inferred) " : "",
                     r->marks & STEP_WAIT ? "waiting: " : "",
                     r->marks & STEP_LATENCY ? "launch by " : "");
    if (s->kind == NODE_KERNEL && shown->profile)
        briefs_fit(shown->profile->trace.briefs, s->name, shown->rows.flexible - n, shown->ascii,
                   text + n, TABLE_CELL_MAX - (size_t)n);
    else
        snprintf(text + n, TABLE_CELL_MAX - (size_t)n, "%s", s->name);
}

static void path_row_cell(const void *own, const void *row, const struct list_field *f,
                          char text[TABLE_CELL_MAX], struct style *st)
{
    const struct path_state *shown = own;
    const struct path_item *item = row;
    const struct path_row *r = item->row;
    const struct brick_span *s = item_span(item);
    char number[VALUE_TEXT_MAX];
    *st = STYLE(STYLE_DIM);
    const struct graph *g = shown->tree;
    if (tree_counter_cell(f, &path_counter_fields, g ? g->counters : NULL,
                          g && s->node != GRAPH_NONE ? graph_counts_of(g, s->node) : NULL, text))
        return;
    switch (f - path_fields) {
    case PATH_FIELD_step:
        if (shown->by_name)
            snprintf(text, TABLE_CELL_MAX, "x%u", r->count);
        else
            snprintf(text, TABLE_CELL_MAX, "%u", r->step + 1);
        break;
    case PATH_FIELD_name:
        write_step_name(shown, r, s, text);
        *st = STYLE(s->kind == NODE_BRICK || s->kind == NODE_KERNEL ? STYLE_TEXT : STYLE_DIM);
        if (path_is_collective(s))
            *st = STYLE(STYLE_COMMUNICATION);
        break;
    case PATH_FIELD_kind:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 path_is_collective(s) ? "collective" : node_kind_name(s->kind));
        break;
    case PATH_FIELD_start:
        if (r->count > 1)
            text[0] = '\0';
        else
            snprintf(text, TABLE_CELL_MAX, "%s",
                     value_time((double)shown->w->starts[r->step], false, number));
        break;
    case PATH_FIELD_adds:
        snprintf(text, TABLE_CELL_MAX, "%s", value_time((double)r->length, false, number));
        *st = STYLE(STYLE_TEXT);
        break;
    case PATH_FIELD_most:
        put_most(shown, s, text);
        break;
    case PATH_FIELD_gain:
        path_gain(shown->profile, s, r->marks & (STEP_LATENCY | STEP_WAIT), text);
        *st = STYLE(STYLE_OK);
        break;
    case PATH_FIELD_share:
        table_bar(find_path_share(shown->w, r), BAR, text);
        snprintf(text + strlen(text), TABLE_CELL_MAX - strlen(text), " %5.1f",
                 find_path_share(shown->w, r));
        *st = STYLE_LEVEL(STYLE_GRAD_PROC, find_path_share(shown->w, r));
        break;
    default:
        table_field_text(f, item, "", text);
    }
}

static void path_row_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    (void)own;
    snprintf(out, VIEW_TEXT_MAX, "s:%u", ((const struct path_item *)row)->row->step);
}

static const void *made_path_row(const void *own, size_t i, void *made)
{
    const struct path_state *shown = own;
    struct path_item *item = made;
    *item = (struct path_item){shown, &shown->made[i]};
    return item;
}

static const struct list_rows listed_path_rows = {.fields = path_fields,
                                                  .size = sizeof(struct path_item),
                                                  .row = made_path_row,
                                                  .mirrored = true};
static const struct rows_ops path_rows_ops = {
    .list = &listed_path_rows, .cell = path_row_cell, .key = path_row_key};

static void collect_path_rows(const struct model *m, const struct view_state *st)
{
    struct path_state *shown = st->own;
    make_path_rows(m, st);
    /* Names have no order on the path, so those that add most come first. */
    shown->rows.first = shown->by_name ? path_fields[PATH_FIELD_adds].sort.at - 1 : 0;
    rows_collect(&shown->rows, &path_rows_ops, shown, shown->nmade, NULL, st);
}

static void draw_step_list(struct canvas *c, struct rect r, struct view_state *st)
{
    struct path_state *shown = st->own;
    struct table_fields *columns = &shown->rows.columns;
    rows_columns(&shown->rows);
    tree_counter_columns(columns, shown->tree ? shown->tree->counters : NULL, &path_counter_fields);
    if (!shown->by_name || !shown->profile)
        table_fields_remove(columns, &path_fields[PATH_FIELD_gain]);
    if (!shown->tree || !shown->tree->syscalls) {
        table_fields_remove(columns, &path_fields[PATH_FIELD_syscalls_ns]);
        table_fields_remove(columns, &path_fields[PATH_FIELD_most]);
    }
    rows_draw(c, r, &shown->rows, "no step matches the filter", st);
}

/* --- the view --- */

static void draw_no_path(struct canvas *c, struct rect r, const struct model *m)
{
    static const char *const lines[] = {
        "The critical path is that of the last whole pass of an instrumented program:",
        "its newest outermost span that has ended, and all that ran beside it.",
        "",
        "Spans of other threads join it where the program says what waited for what:",
        "",
        "    rooftop_depends(before.span, after.span);      it began after that had ended",
        "    rooftop_joins(awaited.span, waiting.span);     it ended after that had ended",
    };
    if (m->profile || model_file_alone(m)) {
        wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1},
                  "Nothing in the opened file began and ended, so that there is no critical path.",
                  STYLE(STYLE_TITLE));
        return;
    }
    const char *why =
        model_bricks(m) ? "No pass has ended yet." : "No instrumented program was found yet.";
    lines_draw(c, r, m->snap ? why : "…", lines, sizeof lines / sizeof *lines);
}

static void draw_path_numbers(const struct path_state *shown, struct canvas *c, struct rect r,
                              const struct brick_window *w)
{
    char wall[VALUE_TEXT_MAX], path[VALUE_TEXT_MAX];
    int x = r.x, end = r.x + r.w;
    value_time((double)w->wall, c->ascii, wall);
    value_time((double)w->path, c->ascii, path);
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_TITLE), "%s", w->what);
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM),
                       " took %s · path %s, %.1f %% · %u step%s", wall, path,
                       w->wall ? 100.0 * (double)w->path / (double)w->wall : 0, w->nsteps,
                       w->nsteps == 1 ? "" : "s");
    if (shown->profile && shown->profile->trace.nfiles > 1)
        x += path_files(c, (struct rect){x, r.y, end - x, 1}, &shown->profile->trace);
    if (w->left_out)
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_WARN), " · %u short spans not drawn",
                      w->left_out);
}

static void draw_path_page(struct canvas *c, struct rect r, const struct model *m,
                           struct view_state *st)
{
    const struct path_state *shown = st->own;
    const struct brick_window *w = shown->w;
    draw_path_numbers(shown, c, r, w);
    int head = 1 + path_shares(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, m, &shown->what_if);
    r.y += head;
    r.h -= head;
    int lanes = (int)(w->nlanes > 8 ? 8 : w->nlanes), most = 0;
    for (int i = 0; i < lanes; i++)
        most += path_depth(w, (uint16_t)i) + 1;
    int want = 2 + most, timeline = want < r.h / 2 ? want : r.h / 2;
    const struct rect line = canvas_cut_below(c, &r, timeline);
    bool beside = !st->pane; /* otherwise the list gets all the room */
    if (beside && r.w >= SIDE_FROM) {
        struct rect side = {r.x + r.w - SIDE, r.y, SIDE, r.h};
        r.w -= SIDE + 2;
        path_slack(c, side, w);
    } else if (beside && r.h >= 16) {
        struct rect below = {r.x, r.y + r.h - 5, r.w, 5};
        r.h -= 6;
        path_slack(c, below, w);
    }
    draw_step_list(c, r, st);
    const struct path_item *selected = rows_selected(&shown->rows, st);
    path_timeline(c, line, w, shown->profile ? shown->profile->trace.briefs : NULL, st->zoom,
                  selected ? selected->row->span : GRAPH_NONE);
}

static void draw_path_view(struct canvas *c, struct rect area, const struct model *m,
                           struct view_state *st)
{
    struct path_state *shown = st->own;
    const struct bricks *b = model_bricks(m);
    char right[160];
    st->mode = st->mode < 0 ? 0 : st->mode % MODES;
    st->sort = list_fields_sort(path_fields, st->sort) ? st->sort : 0;
    snprintf(right, sizeof right, "%s%s%.30s%s", m->moment, st->filter[0] ? " filter '" : "",
             st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_NET),
               b && is_by_name(m, st) ? "critical path: by name" : "critical path: step by step",
               right[0] ? right : NULL);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (!b || b->window.nspans == 0) {
        draw_no_path(c, r, m);
        return;
    }
    shown->ascii = c->ascii;
    choose_path_order(shown, st, is_by_name(m, st));
    collect_path_rows(m, st);
    draw_path_page(c, r, m, st);
}

static enum view_result act_in_path(enum action a, const struct model *m, struct view_state *st)
{
    if (a == ACTION_PLOT_MODE) {
        st->mode = (st->mode + 1) % MODES;
        return VIEW_HANDLED;
    }
    if (a == ACTION_WHAT_IF) {
        path_what_if_ask(&((struct path_state *)st->own)->what_if, m, st);
        return VIEW_HANDLED;
    }
    return plot_act(a, st, ZOOM_MAX) || table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool path_menu(const struct model *m, const struct view_state *st, const char *k,
                      struct menu *out)
{
    const struct path_state *shown = st->own;
    char text[MENU_COMMAND_MAX], number[VALUE_TEXT_MAX];
    (void)k;
    if (!model_bricks(m) || model_bricks(m)->window.nspans == 0)
        return false;
    collect_path_rows(m, st);
    const struct path_item *item = rows_selected(&shown->rows, st);
    if (!item)
        return false;
    const struct path_row *r = item->row;
    const struct brick_span *s = row_span_of(shown, r);
    snprintf(out->title, sizeof out->title, "%.60s", s->name);
    menu_action(out, 'z', ACTION_PLOT_ZOOM_IN, "zoom the timeline in on it");
    menu_action(out, 'm', ACTION_PLOT_MODE, "steps, or summed by name");
    menu_action(out, 'x', ACTION_WHAT_IF, "what if it were faster…");
    if (!m->profile)
        menu_deny(out, "for profiles that were opened: rooftop FILE");
    jumps_menu(m, out, "path", s->name);
    captures_menu(m, out, 'c', (enum node_kind)s->kind, s->name);
    menu_filter(out, 'f', "name", s->name, "show all with this name");
    menu_filter(out, 'l', "lane", shown->w->lanes[s->lane].name, "show its thread only");
    snprintf(text, sizeof text, "%.200s  adds %s  %.1f %%", s->name,
             value_time((double)r->length, true, number), find_path_share(shown->w, r));
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', s->name, "copy its name");
    menu_command(out, 's', "sort ", "sort by something else…");
    return true;
}

static bool path_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return model_bricks(m) && model_bricks(m)->window.nspans;
}

static void free_path(void *own)
{
    struct path_state *shown = own;
    rows_free(&shown->rows);
    hash_table_free(&shown->row_by_name);
    path_what_if_forget(&shown->what_if);
}

/* Forgets what was asked about a profile together with the profile. */
static bool follow_profile(const struct model *m, struct view_state *st, bool shown)
{
    struct path_what_if *w = &((struct path_state *)st->own)->what_if;
    (void)shown;
    if (w->serial && !path_what_if_now(w, m->profile))
        path_what_if_forget(w);
    return false;
}

static int run_what_if(const char *name, const char *spec, const struct model *m,
                       struct view_state *st, struct error *err)
{
    (void)name;
    return path_what_if(&((struct path_state *)st->own)->what_if, spec, m->profile, st->host, err);
}

static int take_factor(const char *factor, const struct model *m, struct view_state *st,
                       struct error *err)
{
    struct path_what_if *w = &((struct path_state *)st->own)->what_if;
    return path_what_if_factor(w, factor, m->profile, st->host, err);
}

const struct view_ops view_path = {
    .name = "path",
    .title = "path",
    .select = ACTION_VIEW_PATH,
    .contexts = CONTEXTS_PATH | CONTEXT_PLOT,
    .traces = true,
    .available = path_available,
    .own_size = sizeof(struct path_state),
    .end = free_path,
    .follow = follow_profile,
    .command = run_what_if,
    .typed = take_factor,
    .draw = draw_path_view,
    .act = act_in_path,
    .menu = path_menu,
    .fields = path_fields,
};
