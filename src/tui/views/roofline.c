/* Bricks and kernels under the roofs of their backends. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/bricks.h"
#include "engine/roofline.h"
#include "tui/view.h"
#include "tui/widgets/plot.h"
#include "tui/widgets/table.h"

enum { POINTS_MAX = 4096, BESIDE_FROM = 112, LETTERS = 52, ZOOM_MAX = 8, BAR = 8 };
enum { SORT_TIME, SORT_DISTANCE, SORT_INTENSITY, SORT_FLOPS, SORT_NAME, SORTS };
static const char *const sorts[] = {"time", "distance", "intensity", "flops", "name", NULL};

/* Points as shown: filtered, of the chosen backend, sorted. Drawing happens on one thread. */
static struct {
    const struct roofline *r;
    const struct graph *g;
    uint64_t total;
    const struct roof_point *point[POINTS_MAX];
    char letter[POINTS_MAX];      /* on the plot; by time, whatever the order of the list */
    uint16_t by_time[POINTS_MAX]; /* places in the list, the longest first */
    uint16_t rank[POINTS_MAX];    /* of each place in the list, by time */
    size_t n;
} shown;

static const struct roof *roof_of(const struct roof_point *p)
{
    return p->roof == GRAPH_NONE ? NULL : &shown.r->roofs[p->roof];
}

/* --- filter --- */

static const struct roof_point *of(const void *row)
{
    return row;
}
static const char *field_name(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return of(row)->name;
}
static const char *field_backend(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return roof_of(of(row)) ? roof_of(of(row))->name : "";
}
static const char *field_bound(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return of(row)->roof == GRAPH_NONE ? "" : of(row)->memory_bound ? "memory" : "compute";
}
static const char *field_kind(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return node_kind_name(shown.g->kind[of(row)->node]);
}
static double field_reached(const void *row)
{
    return (1 - of(row)->distance) * 100;
}
static double field_intensity(const void *row)
{
    return of(row)->intensity;
}
static double field_flops(const void *row)
{
    return of(row)->flops;
}
static double field_time(const void *row)
{
    return (double)of(row)->total / 1e9;
}
static const struct query_field fields[] = {
    {.name = "name", .help = "brick or kernel", .text = field_name, .plain = true},
    {.name = "backend", .help = "whose roof it is under", .text = field_backend, .plain = true},
    {.name = "bound", .help = "memory or compute", .text = field_bound},
    {.name = "kind", .help = "brick or kernel", .text = field_kind},
    {.name = "reached", .unit = UNIT_PERCENT, .help = "of the roof", .number = field_reached},
    {.name = "intensity",
     .unit = UNIT_FLOP_PER_BYTE,
     .help = "FLOP per byte",
     .number = field_intensity},
    {.name = "flops", .unit = UNIT_FLOP_PER_S, .help = "FLOP/s", .number = field_flops},
    {.name = "time", .unit = UNIT_SECONDS, .help = "of all calls", .number = field_time},
    {.name = NULL},
};

/* --- which, in which order --- */

static int by_value(const struct roof_point *a, const struct roof_point *b, int sort)
{
    double x = 0, y = 0;
    switch (sort) {
    case SORT_NAME:
        return strcmp(a->name, b->name);
    case SORT_DISTANCE:
        x = isnan(a->distance) ? -1 : a->distance, y = isnan(b->distance) ? -1 : b->distance;
        break;
    case SORT_INTENSITY:
        x = a->intensity, y = b->intensity;
        break;
    case SORT_FLOPS:
        x = a->flops, y = b->flops;
        break;
    default:
        x = (double)a->total, y = (double)b->total;
    }
    return x > y ? -1 : x < y;
}

/* Backends one after the other, after all of them. */
static bool in_mode(const struct roof_point *p, int mode)
{
    return mode == 0 || p->roof == (uint32_t)(mode - 1);
}

static void collect(const struct bricks *b, struct view_state *st)
{
    shown.r = &b->roofline;
    shown.g = b->tree;
    shown.n = 0;
    shown.total = 0;
    for (uint32_t i = b->tree->first_root; i != GRAPH_NONE; i = b->tree->next_sibling[i])
        shown.total += b->tree->duration[i] == GRAPH_UNKNOWN ? 0 : b->tree->duration[i];
    if (st->mode > (int)b->roofline.nroofs || st->mode < 0)
        st->mode = 0;
    for (uint32_t i = 0; i < b->roofline.npoints && shown.n < POINTS_MAX; i++) {
        const struct roof_point *p = &b->roofline.points[i];
        if (!in_mode(p, st->mode) || !query_match(st->query, p))
            continue;
        size_t at = shown.n++;
        char letter = at < 26 ? (char)('a' + at) : at < LETTERS ? (char)('A' + at - 26) : '.';
        /* insertion, stable: they come by time */
        for (; at > 0; at--) {
            int c = by_value(p, shown.point[at - 1], st->sort);
            if ((st->reverse ? -c : c) >= 0)
                break;
            shown.point[at] = shown.point[at - 1];
            shown.letter[at] = shown.letter[at - 1];
            shown.rank[at] = shown.rank[at - 1];
        }
        shown.point[at] = p;
        shown.letter[at] = letter;
        shown.rank[at] = (uint16_t)(shown.n - 1);
    }
    for (size_t i = 0; i < shown.n; i++)
        shown.by_time[shown.rank[i]] = (uint16_t)i;
}

/* --- the list --- */

enum {
    COL_MARK,
    COL_NAME,
    COL_BACKEND,
    COL_TIME,
    COL_FLOPS,
    COL_BYTES,
    COL_INTENSITY,
    COL_REACHED,
    COL_BAR,
    COL_BOUND
};
static const struct column columns[] = {
    [COL_MARK] = {"", 1, false, false, 0},
    [COL_NAME] = {"BRICK, KERNEL", 16, true, false, 0},
    [COL_BACKEND] = {"BACKEND", 8, false, false, 4},
    [COL_TIME] = {"TIME %", 7, false, true, 1},
    [COL_FLOPS] = {"FLOP/S", 13, false, true, 0},
    [COL_BYTES] = {"MEMORY", 10, false, true, 3},
    [COL_INTENSITY] = {"FLOP/B", 6, false, true, 2},
    [COL_REACHED] = {"OF ROOF", 7, false, true, 0},
    [COL_BAR] = {"", BAR, false, false, 1},
    [COL_BOUND] = {"BOUND", 7, false, false, 0},
};

static struct style reached_style(const struct roof_point *p)
{
    double reached = (1 - p->distance) * 100;
    return isnan(reached) ? STYLE(STYLE_DIM)
                          : STYLE(reached >= 60   ? STYLE_OK
                                  : reached >= 30 ? STYLE_TEXT
                                                  : STYLE_WARN);
}

static void put_rate(double v, enum unit unit, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    struct value value = value_ok(v, unit);
    snprintf(text, TABLE_CELL_MAX, "%s", value_format(&value, false, number));
}

static void cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX], struct style *st)
{
    const struct roof_point *p = shown.point[row];
    (void)ctx;
    text[0] = '\0';
    switch (col) {
    case COL_MARK:
        snprintf(text, TABLE_CELL_MAX, "%c", shown.letter[row]);
        *st = STYLE(STYLE_HOT);
        break;
    case COL_NAME:
        snprintf(text, TABLE_CELL_MAX, "%s", p->name);
        break;
    case COL_BACKEND:
        snprintf(text, TABLE_CELL_MAX, "%s", roof_of(p) ? roof_of(p)->name : "no peaks");
        *st = STYLE(STYLE_DIM);
        break;
    case COL_TIME:
        snprintf(text, TABLE_CELL_MAX, "%.1f",
                 shown.total ? 100.0 * (double)p->total / (double)shown.total : 0);
        break;
    case COL_FLOPS:
        put_rate(p->flops, UNIT_FLOP_PER_S, text);
        break;
    case COL_BYTES:
        put_rate(p->bytes, UNIT_BYTES_PER_S, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_INTENSITY:
        snprintf(text, TABLE_CELL_MAX, "%.3g", p->intensity);
        break;
    case COL_REACHED:
        if (isnan(p->distance))
            snprintf(text, TABLE_CELL_MAX, "n/a");
        else
            snprintf(text, TABLE_CELL_MAX, "%.0f %%", (1 - p->distance) * 100);
        *st = reached_style(p);
        break;
    case COL_BAR: /* what is missing to the roof stays empty */
        if (!isnan(p->distance))
            table_bar(100 * (1 - p->distance), BAR, text);
        *st = reached_style(p);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 p->roof == GRAPH_NONE ? "n/a"
                 : p->memory_bound     ? "memory"
                                       : "compute");
        *st = STYLE(STYLE_DIM);
    }
}

static void key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    (void)ctx;
    const struct roof_point *p = shown.point[row];
    snprintf(out, VIEW_TEXT_MAX, "r:%.30s/%.16s#%u", p->name, roof_of(p) ? roof_of(p)->name : "",
             p->node);
}

static bool match(const void *ctx, size_t row, const char *needle)
{
    (void)ctx;
    return table_contains(shown.point[row]->name, needle);
}

static void draw_list(struct canvas *c, struct rect r, struct view_state *st)
{
    static const int sorted[SORTS] = {COL_TIME, COL_REACHED, COL_INTENSITY, COL_FLOPS, COL_NAME};
    struct column shown_columns[sizeof columns / sizeof *columns];
    memcpy(shown_columns, columns, sizeof columns);
    if (shown.r->nroofs > 1 && !st->mode) { /* the same brick is there more than once */
        shown_columns[COL_BACKEND].priority = 1;
        shown_columns[COL_BAR].priority = 4;
        shown_columns[COL_BOUND].priority = 3;
    }
    const struct table t = {.columns = shown_columns,
                            .ncolumns = sizeof columns / sizeof *columns,
                            .nrows = shown.n,
                            .sort = sorted[st->sort],
                            .reverse = st->reverse,
                            .cell = cell,
                            .key = key,
                            .match = match};
    table_draw(c, r, &t, st);
}

/* --- the selected point --- */

enum { DETAIL_ROWS = 7, DETAIL_LABEL = 10 };

static void detail(struct canvas *c, struct rect r, int row, const char *label, const char *text)
{
    canvas_text(c, r.x, r.y + row, DETAIL_LABEL, label, STYLE(STYLE_DIM));
    canvas_text(c, r.x + DETAIL_LABEL, r.y + row, r.w - DETAIL_LABEL, text, STYLE(STYLE_TEXT));
}

static const char *number(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX])
{
    struct value value = value_ok(v, unit);
    return value_format(&value, ascii, out);
}

static void draw_details(struct canvas *c, struct rect r, const struct view_state *st)
{
    char text[160], a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    if (st->selected < 0 || (size_t)st->selected >= shown.n)
        return;
    const struct roof_point *p = shown.point[st->selected];
    const struct roof *roof = roof_of(p);
    canvas_text(c, r.x, r.y, r.w, p->name, STYLE(STYLE_TITLE));
    snprintf(text, sizeof text, "%s in %u place%s of the tree",
             node_kind_name(shown.g->kind[p->node]), p->places, p->places == 1 ? "" : "s");
    detail(c, r, 1, "what", text);
    snprintf(text, sizeof text, "%s, %s",
             number((double)p->all_flops / 1e9, UNIT_NONE, c->ascii, a),
             number((double)p->all_bytes, UNIT_BYTES, c->ascii, b));
    snprintf(text + strlen(text), sizeof text - strlen(text), "  (GFLOP, moved)%s",
             p->declared ? ", declared" : "");
    detail(c, r, 2, "work", text);
    snprintf(text, sizeof text, "%s%s", number((double)p->elapsed / 1e9, UNIT_SECONDS, c->ascii, a),
             p->elapsed < p->total ? ", of the busiest thread" : "");
    detail(c, r, 3, "time", text);
    snprintf(text, sizeof text, "%s, %s", number(p->flops, UNIT_FLOP_PER_S, c->ascii, a),
             number(p->bytes, UNIT_BYTES_PER_S, c->ascii, b));
    detail(c, r, 4, "reached", text);
    if (!roof) {
        detail(c, r, 5, "roof", "its backend has told no peaks");
        return;
    }
    snprintf(text, sizeof text, "%s: %s at %.3g FLOP/byte, %s bound", roof->name,
             number(p->bound, UNIT_FLOP_PER_S, c->ascii, a), p->intensity,
             p->memory_bound ? "memory" : "compute");
    detail(c, r, 5, "roof", text);
    snprintf(text, sizeof text, "%.1f x faster at most under this roof",
             p->distance < 1 ? 1 / (1 - p->distance) : 0);
    detail(c, r, 6, "distance", p->distance > 0 ? text : "none: it is at its roof");
}

/* --- the plot --- */

static double roof_y(const void *ctx, double x)
{
    return roofline_bound(ctx, x);
}

static struct style roof_style(int line)
{
    static const uint8_t roles[] = {STYLE_BOX_CPU, STYLE_BOX_MEM, STYLE_BOX_NET, STYLE_BOX_PROC};
    return STYLE(roles[line % 4]);
}

static void include(double v, double *low, double *high)
{
    if (v > 0 && v < *low)
        *low = v;
    if (v > *high)
        *high = v;
}

static bool ranges(struct plot *p, const struct view_state *st, const struct roof_point *selected)
{
    double x0 = INFINITY, x1 = 0, y0 = INFINITY, y1 = 0;
    for (size_t i = 0; i < shown.n; i++) {
        include(shown.point[i]->intensity, &x0, &x1);
        include(shown.point[i]->flops, &y0, &y1);
    }
    for (uint32_t i = 0; i < shown.r->nroofs; i++) {
        const struct roof *r = &shown.r->roofs[i];
        if (st->mode && i != (uint32_t)(st->mode - 1))
            continue;
        if (r->flops > 0)
            include(r->flops, &y0, &y1);
        if (r->flops > 0 && r->bytes > 0)
            include(r->flops / r->bytes, &x0, &x1);
    }
    if (!(x1 > 0) || !(y1 > 0))
        return false;
    x0 = log10(x0) - 0.4, x1 = log10(x1) + 0.4, y0 = log10(y0) - 0.4, y1 = log10(y1) + 0.3;
    double half = pow(2, -(double)st->zoom);
    if (st->zoom && selected) { /* around the selected one */
        double x = log10(selected->intensity), y = log10(selected->flops);
        double w = (x1 - x0) * half / 2, h = (y1 - y0) * half / 2;
        x0 = x - w, x1 = x + w, y0 = y - h, y1 = y + h;
    }
    p->x0 = pow(10, x0), p->x1 = pow(10, x1), p->y0 = pow(10, y0), p->y1 = pow(10, y1);
    return true;
}

/* Above and left of the roofs, where no mark can be. */
static void roof_label(struct canvas *c, const struct plot *p, const struct roof *r, int line,
                       int row)
{
    char flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX];
    struct value f = value_ok(r->flops, UNIT_FLOP_PER_S), b = value_ok(r->bytes, UNIT_BYTES_PER_S);
    bool how = *r->how && p->area.w >= 90;
    value_format(&f, c->ascii, flops);
    value_format(&b, c->ascii, bytes);
    canvas_printf(c, p->area.x + 1, p->area.y + row, p->area.w - 1, roof_style(line),
                  "%s %s: %s, %s%s%.40s%s",
                  line % 2   ? "- -"
                  : c->ascii ? "---"
                             : "━━━",
                  r->name, r->flops > 0 ? flops : "n/a", r->bytes > 0 ? bytes : "n/a",
                  how ? " (" : "", how ? r->how : "", how ? ")" : "");
}

static void draw_marks(struct canvas *c, const struct plot *p, const struct roof_point *selected)
{
    int x, y;
    /* The letters go by time: what takes longer lies above what takes less. */
    for (size_t rank = shown.n; rank-- > 0;) {
        size_t i = shown.by_time[rank];
        if (plot_cell(p, shown.point[i]->intensity, shown.point[i]->flops, &x, &y)) {
            struct style st = reached_style(shown.point[i]);
            st.bold = true;
            canvas_put(c, x, y, (unsigned char)shown.letter[i], st);
            if (c->nzones < CANVAS_ZONES_MAX - 24)
                canvas_zone(c, (struct rect){x, y, 1, 1}, ACTION_POINT_FRAME, (int)i);
        }
    }
    if (selected && plot_cell(p, selected->intensity, selected->flops, &x, &y))
        for (size_t i = 0; i < shown.n; i++)
            if (shown.point[i] == selected) {
                canvas_put(c, x, y, (unsigned char)shown.letter[i], STYLE(STYLE_SELECTED));
                int w = text_width(selected->name);
                int at = x + 2 + w < p->area.x + p->area.w ? x + 2 : x - w - 1;
                canvas_text(c, at > p->area.x ? at : p->area.x, y, w, selected->name,
                            STYLE(STYLE_TITLE));
            }
}

static void draw_plot(struct canvas *c, struct rect r, const struct view_state *st)
{
    struct plot p = {.x_title = "FLOP/byte", .y_title = "FLOP/s"};
    const struct roof_point *selected =
        st->selected >= 0 && (size_t)st->selected < shown.n ? shown.point[st->selected] : NULL;
    if (!ranges(&p, st, selected) || !plot_begin(&p, c, r))
        return;
    for (uint32_t i = 0; i < shown.r->nroofs && i < 250; i++)
        if (!st->mode || i == (uint32_t)(st->mode - 1))
            plot_line(&p, (int)i, roof_y, &shown.r->roofs[i], i % 2);
    plot_end(&p, c, roof_style);
    int row = 0;
    for (uint32_t i = 0; i < shown.r->nroofs; i++)
        if ((!st->mode || i == (uint32_t)(st->mode - 1)) && row < p.area.h / 2)
            roof_label(c, &p, &shown.r->roofs[i], (int)i, row++);
    draw_marks(c, &p, selected);
}

/* --- the view --- */

static void draw_empty(struct canvas *c, struct rect r, const struct model *m)
{
    static const char *const lines[] = {
        "A brick or kernel is drawn here when its program says what it did:",
        "",
        "    rooftop_stop_work(t, elements, bytes, flops);",
        "",
        "and under a roof when it says what its backend could do:",
        "",
        "    rooftop_backend(\"avx2\", peak_flops, peak_bytes, \"measured at start\");",
        "",
        "A program that does both: rooftop -- build/release/examples/transformer/transformer",
    };
    int y = r.y + 1;
    canvas_text(c, r.x, y, r.w,
                !m->snap           ? "…"
                : !model_bricks(m) ? "No instrumented program was found yet."
                                   : "No brick has told its bytes and FLOPs.",
                STYLE(STYLE_TITLE));
    y += 2;
    for (size_t i = 0; i < sizeof lines / sizeof *lines && y < r.y + r.h; i++)
        canvas_text(c, r.x, y++, r.w, lines[i], STYLE(lines[i][0] == ' ' ? STYLE_TEXT : STYLE_DIM));
}

static void draw(struct canvas *c, struct rect area, const struct model *m, struct view_state *st)
{
    const struct bricks *b = model_bricks(m);
    char title[96], right[96];
    st->sort = st->sort < 0 || st->sort >= SORTS ? 0 : st->sort;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (b)
        collect(b, st);
    snprintf(title, sizeof title, "roofline%s%s", b && st->mode ? ": " : "",
             b && st->mode ? b->roofline.roofs[st->mode - 1].name : "");
    snprintf(right, sizeof right, "%s%s%.30s%s", m->moment, st->filter[0] ? " filter '" : "",
             st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, right[0] ? right : NULL);
    if (!b || b->roofline.npoints == 0) {
        draw_empty(c, r, m);
        return;
    }
    canvas_text(c, r.x, r.y, r.w,
                "FLOPs and bytes as the program declares them; times measured; peaks as said",
                STYLE(STYLE_DIM));
    r.y++;
    r.h--;
    if (st->point > 0 && (size_t)st->point <= shown.n) {
        st->selected = st->point - 1;
        key(NULL, (size_t)st->selected, st->selected_key);
    }
    st->point = 0;
    struct rect list = r, plot = r;
    if (r.w >= BESIDE_FROM) {
        list.w = r.w * 9 / 20;
        list.x = r.x + r.w - list.w;
        plot.w = r.w - list.w - 2;
    } else {
        list.h = r.h / 3 < 6 ? (r.h > 12 ? 6 : r.h / 2) : r.h / 3;
        list.y = r.y + r.h - list.h;
        plot.h = r.h - list.h;
    }
    bool both = list.h > DETAIL_ROWS + 4; /* else the plot gives way to the details */
    list.h -= st->pane && both ? DETAIL_ROWS + 1 : 0;
    draw_list(c, list, st); /* first: it settles what is selected */
    if (st->pane)
        draw_details(
            c, both ? (struct rect){list.x, list.y + list.h + 1, list.w, DETAIL_ROWS} : plot, st);
    if (!st->pane || both)
        draw_plot(c, plot, st);
}

static enum view_result act(enum action a, const struct model *m, struct view_state *st)
{
    const struct bricks *b = model_bricks(m);
    if (a == ACTION_PLOT_MODE) {
        st->mode = b && b->roofline.nroofs > 1 ? (st->mode + 1) % ((int)b->roofline.nroofs + 1) : 0;
        return VIEW_HANDLED;
    }
    return plot_act(a, st, ZOOM_MAX) || table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool menu(const struct model *m, const struct view_state *st, const char *k,
                 struct menu *out)
{
    char text[MENU_COMMAND_MAX];
    (void)k;
    if (!model_bricks(m))
        return false;
    struct view_state as_shown = *st; /* what was drawn last may be gone */
    collect(model_bricks(m), &as_shown);
    if (st->selected < 0 || (size_t)st->selected >= shown.n)
        return false;
    const struct roof_point *p = shown.point[st->selected];
    snprintf(out->title, sizeof out->title, "%.60s", p->name);
    menu_action(out, 'z', ACTION_PLOT_ZOOM_IN, "zoom in on it");
    menu_filter(out, 'f', "name", p->name, "show all with this name");
    menu_filter(out, 'b', "backend", roof_of(p) ? roof_of(p)->name : "", "show its backend only");
    menu_deny(out, roof_of(p) ? NULL : "its backend has told no peaks");
    snprintf(text, sizeof text, "%.200s  %.4g GFLOP/s  %.4g GB/s  %.3g FLOP/byte", p->name,
             p->flops / 1e9, p->bytes / 1e9, p->intensity);
    menu_copy(out, 'y', text, "copy this row");
    menu_command(out, 's', "sort ", "sort by something else…");
    return true;
}

const struct view_ops view_roofline = {
    .name = "roofline",
    .title = "roofline",
    .select = ACTION_VIEW_ROOFLINE,
    .contexts = CONTEXT_LIST | CONTEXT_PLOT,
    .draw = draw,
    .act = act,
    .sorts = sorts,
    .menu = menu,
    .fields = fields,
};
