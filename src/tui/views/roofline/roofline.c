/* Bricks and kernels under the roofs of their backends, or of the GPU they ran on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/roofline/roofline_reason.h"
#include "tui/model/captures.h"
#include "tui/model/jumps.h"
#include "tui/views/roofline/roofline.h"
#include "tui/widgets/plot.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum { BESIDE_FROM = 112, LETTERS = 52, ZOOM_MAX = 8, LIST_LEAST = 5, LOAD_FROM = 32 };

struct roofline_item roofline_item(const struct roofline_shown *shown, const struct roof_point *p)
{
    return (struct roofline_item){shown->r, shown->g, p, shown->level, GRAPH_UNKNOWN};
}

double roofline_bytes(const struct roofline_shown *shown, const struct roof_point *p)
{
    return p->work && shown->level ? p->work->bytes_s[shown->level - 1] : p->bytes;
}

/* --- which, in which order --- */

static int compare_sorted_points(const void *a, const void *b, void *ctx)
{
    const struct roofline_sorted *x = a, *y = b;
    const struct view_state *st = ctx;
    const struct roofline_item p = roofline_item(st->own, x->p), q = roofline_item(st->own, y->p);
    int c = list_field_compare(list_fields_sort(roofline_fields, st->sort), &p, &q);
    if (!c)
        return (x->rank > y->rank) - (x->rank < y->rank);
    return st->reverse ? -c : c;
}

/* The letters a to z and A to Z, by time; later points have a dot. */
static char point_letter_of(unsigned rank)
{
    if (rank < 26)
        return (char)('a' + rank);
    return rank < LETTERS ? (char)('A' + rank - 26) : '.';
}

static bool is_roofline_live(const struct model *m)
{
    return m->snap && !m->profile && !model_file_alone(m);
}

/* The roofs of this host; NULL: it is not shown, or has none. */
static const struct cpu_host *find_live_roofs(const struct model *m)
{
    const struct cpu_host *roofs = is_roofline_live(m) ? m->snap->roofs : NULL;
    return roofs && roofs->cpu.cpus ? roofs : NULL;
}

/* What is known of the CPU, from the snapshot or the opened file. */
static void find_host(const struct model *m, const struct bricks *b, struct roofline_shown *s)
{
    s->live = is_roofline_live(m);
    s->host = find_live_roofs(m);
    s->cpu = b ? b->roofline.cpu : NULL;
    if (s->host)
        s->cpu = &s->host->cpu;
    if (s->live)
        s->work = watched_work_of(m->snap);
}

static void collect_points(const struct model *m, const struct bricks *b, struct view_state *st)
{
    struct roofline_shown *s = st->own;
    s->r = &b->roofline;
    s->g = b->tree;
    s->t = m->profile ? &m->profile->trace : NULL;
    s->counters = false;
    for (uint32_t i = 0; i < b->roofline.npoints; i++)
        s->counters |= b->roofline.points[i].work != NULL;
    if (st->mode > (int)b->roofline.nroofs || st->mode < 0)
        st->mode = 0;
    /* of a GPU: a level of memory; of a CPU: its roofs, or DRAM under load */
    if (st->level < 0 || st->level > (s->counters ? WORK_LEVELS : 1))
        st->level = 0;
    s->mode = st->mode;
    s->level = s->counters ? st->level : 0;
    s->loaded = !s->counters && st->level;
    s->total = roofline_whole(&b->roofline, b->tree);
    s->n = 0;
    for (uint32_t i = 0; i < b->roofline.npoints && s->n < POINTS_MAX; i++) {
        const struct roof_point *p = &b->roofline.points[i];
        const struct roofline_item item = roofline_item(s, p);
        if ((st->mode && p->roof != (uint32_t)(st->mode - 1)) || !query_match(st->query, &item))
            continue;
        s->list[s->n] = (struct roofline_sorted){p, (uint16_t)s->n};
        s->n++;
    }
    /* the points are ordered by time already */
    if (s->n > 1 && (st->sort || st->reverse))
        qsort_r(s->list, s->n, sizeof *s->list, compare_sorted_points, st);
    for (size_t i = 0; i < s->n; i++) {
        unsigned rank = s->list[i].rank;
        s->point[i] = s->list[i].p;
        s->rank[i] = s->list[i].rank;
        s->letter[i] = point_letter_of(rank);
        s->by_time[rank] = (uint16_t)i;
    }
}

/* --- the view --- */

static void draw_no_points(struct canvas *c, struct rect r, const struct model *m)
{
    static const char *const bricks[] = {
        "A brick or kernel is drawn here when its program says what it did:",
        "",
        "    rooftop_stop_work(t, elements, bytes, flops);",
        "",
        "and under this host's roofs once they were measured:",
        "",
        "    rooftop lab roofs",
        "",
        "A program to try it on is examples/transformer of rooftop's sources (make run).",
    };
    static const char *const kernels[] = {
        "A kernel is drawn here when the profile has counters of its dispatches:",      "",
        "    rocprofv3 --pmc SQ_INSTS_VALU_MFMA_MOPS_F16 FETCH_SIZE WRITE_SIZE -- ...", "",
        "Which ones make FLOPs and bytes, by architecture: docs/ROOFLINE.md",
    };
    static const char *const no_counters[] = {
        "A kernel is drawn here when the profile has counters of its dispatches;",
        "exports of Nsight Systems and traces of PyTorch have none.",
        "A brick is drawn when its program says what it did:",
        "",
        "    rooftop_stop_work(t, elements, bytes, flops);",
    };
    const struct trace *t = m->profile ? &m->profile->trace : NULL;
    bool counters = !t || trace_words_all(t)->counters;
    const char *none = model_bricks(m) ? "No brick has told its bytes or FLOPs."
                                       : "No instrumented program was found yet.";
    char why[200];
    if (!t && model_file_alone(m))
        none = "The opened file has nothing for this view.";
    if (t && t->ndispatches)
        lines_draw(c, r, roofline_why_empty(t, why, sizeof why), counters ? kernels : no_counters,
                   counters ? sizeof kernels / sizeof *kernels
                            : sizeof no_counters / sizeof *no_counters);
    else
        lines_draw(c, r, m->snap || m->profile ? none : "…", bricks,
                   sizeof bricks / sizeof *bricks);
}

/* The line above the plot: parts that do not fit are left out, never cut. */
struct roofline_note {
    char text[400];
    int room;
};

static void add_note_part(struct roofline_note *n, const char *part)
{
    const char *gap = n->text[0] ? "   " : "";
    const size_t used = strlen(n->text);
    if (text_width(n->text) + text_width(gap) + text_width(part) <= n->room)
        snprintf(n->text + used, sizeof n->text - used, "%s%s", gap, part);
}

/* Adds the meaning of the marks in the list. */
static void add_note_marks(struct roofline_note *n, const struct roofline_shown *shown)
{
    bool above = false, busiest = false, edge = false, missing = false;
    for (size_t i = 0; i < shown->n; i++) {
        above |= roofline_above(shown->point[i]);
        missing |= roofline_incomplete(shown->point[i]);
        busiest |= shown->point[i]->over == OVER_BUSIEST;
        edge |= roofline_why_no_intensity(shown->point[i]) != NULL;
    }
    if (missing)
        add_note_part(n, "?: counters are missing");
    if (above)
        add_note_part(n, "!: above its roof, d: why");
    if (busiest)
        add_note_part(n, "~: over the time of the busiest thread");
    if (edge)
        add_note_part(n, "at the edge: no FLOP/B, d: why");
}

/* Adds the roof and whether it was measured or is theoretical; of how, the beginning where the
 * other parts need the room. */
static void add_note_roof(struct roofline_note *n, const struct roof *roof)
{
    enum { ROOMY = 100 };
    char part[200];
    const size_t how = n->room < ROOMY ? strcspn(roof->how, ":") : strlen(roof->how);
    snprintf(part, sizeof part, "%.60s, %.*s", roof->name, how < 100 ? (int)how : 100, roof->how);
    add_note_part(n, part);
}

static void add_note_counters(struct roofline_note *n, const struct roofline_shown *shown)
{
    const struct roofline *all = shown->r;
    char part[64];
    snprintf(part, sizeof part, "%u kernel%s without counters", all->uncounted,
             all->uncounted == 1 ? "" : "s");
    if (all->uncounted)
        add_note_part(n, part);
    if (all->nroofs == 1 || shown->mode)
        add_note_roof(n, &all->roofs[shown->mode ? shown->mode - 1 : 0]);
    add_note_marks(n, shown);
    add_note_part(n, "l: level of memory");
}

static void draw_note(const struct roofline_shown *shown, struct canvas *c, struct rect r)
{
    struct roofline_note n = {.room = r.w};
    const struct roofline *all = shown->r;
    if (all->unmeasured) {
        canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_WARN), "no roofs: %s", all->unmeasured);
        return;
    }
    if (shown->counters) {
        add_note_counters(&n, shown);
    } else {
        add_note_part(&n, all->nroofs && all->roofs[0].threads
                              ? "declared: FLOPs, bytes; measured: times, roofs"
                              : "declared: FLOPs, bytes, peaks; measured: times");
        add_note_marks(&n, shown);
        if (shown->cpu && shown->cpu->nloads)
            add_note_part(&n, "l: load");
    }
    canvas_text(c, r.x, r.y, r.w, n.text, STYLE(STYLE_DIM));
}

/*
 * Draws the list beside or below the plot, and the details below the list or in place of the plot.
 */
static void draw_roofline_parts(struct canvas *c, struct rect r, struct view_state *st)
{
    const struct roofline_shown *shown = st->own;
    struct rect below = r, plot = r;
    int rows = roofline_detail_rows(shown);
    if (r.w >= BESIDE_FROM) {
        below.w = r.w * 9 / 20;
        below.x = r.x + r.w - below.w;
        plot.w = r.w - below.w - 2;
    } else {
        below.h = r.h / 3;
        if (below.h < 6)
            below.h = r.h > 12 ? 6 : r.h / 2;
        below.y = r.y + r.h - below.h;
        plot.h = r.h - below.h;
    }
    /* the curve is that of a CPU's memory, so it does not stand below kernels of a GPU */
    bool curve = plot.h >= LOAD_FROM && !shown->counters && shown->cpu && shown->cpu->nloads &&
                 !shown->loaded;
    struct rect load = {plot.x, plot.y + plot.h * 3 / 5, plot.w, plot.h - plot.h * 3 / 5};
    bool both = below.h > rows + LIST_LEAST - 1; /* otherwise the details replace the plot */
    if (both && shown->counters && below.h - rows > 12)
        rows += (below.h - rows - 12) / 2; /* more rows, for its dispatches */
    below.h -= st->pane && both ? rows + 1 : 0;
    roofline_list(c, below, st); /* first, because drawing the list finds the selected row */
    if (st->pane)
        roofline_detail(
            c, both ? (struct rect){below.x, below.y + below.h + 1, below.w, rows} : plot, st);
    if (st->pane && !both)
        return;
    if (shown->loaded) {
        roofline_load(c, plot, st);
        return;
    }
    plot.h = curve ? load.y - plot.y - 1 : plot.h;
    roofline_plot(c, plot, st);
    if (curve)
        roofline_load(c, load, st);
}

static void draw_roofline(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    struct roofline_shown *shown = st->own;
    const struct bricks *b = model_bricks(m);
    char title[128], right[96];
    st->sort = list_fields_sort(roofline_fields, st->sort) ? st->sort : 0;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    find_host(m, b, shown);
    if (b)
        collect_points(m, b, st);
    bool points = b && b->roofline.npoints;
    if (!points) { /* nothing but the host's roofs, or DRAM under load */
        shown->counters = false;
        st->level = st->level == 1;
    }
    const char *level = "";
    if (st->level)
        level =
            shown->counters ? work_level_name((enum work_level)(st->level - 1)) : "DRAM under load";
    snprintf(title, sizeof title, "roofline%s%.40s%s%s", points && st->mode ? ": " : "",
             b && points && st->mode ? b->roofline.roofs[st->mode - 1].name : "",
             st->level ? ", " : "", level);
    snprintf(right, sizeof right, "%s%s%.30s%s", m->moment, st->filter[0] ? " filter '" : "",
             st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, right[0] ? right : NULL);
    if (!b || !points) {
        if (shown->host)
            roofline_host(c, r, m, st);
        else
            draw_no_points(c, r, m);
        return;
    }
    draw_note(shown, c, r);
    r.y++;
    r.h--;
    if (st->point > 0 && (size_t)st->point <= shown->n) {
        st->selected = st->point - 1;
        roofline_key(shown, (size_t)st->selected, st->selected_key);
    }
    st->point = 0;
    draw_roofline_parts(c, r, st);
}

static enum view_result act_in_roofline(enum action a, const struct model *m, struct view_state *st)
{
    const struct bricks *b = model_bricks(m);
    if (a == ACTION_PLOT_MODE) {
        st->mode = b && b->roofline.nroofs > 1 ? (st->mode + 1) % ((int)b->roofline.nroofs + 1) : 0;
        return VIEW_HANDLED;
    }
    if (a == ACTION_ROOF_LEVEL) { /* drawing resets it if there are fewer levels */
        st->level = (st->level + 1) % (WORK_LEVELS + 1);
        return VIEW_HANDLED;
    }
    return plot_act(a, st, ZOOM_MAX) || table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool roofline_menu(const struct model *m, const struct view_state *st, const char *k,
                          struct menu *out)
{
    const struct roofline_shown *shown = st->own;
    char text[MENU_COMMAND_MAX], flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX],
        intensity[VALUE_TEXT_MAX];
    (void)k;
    if (!model_bricks(m))
        return false;
    struct view_state as_shown = *st; /* the points that were drawn last may be gone */
    collect_points(m, model_bricks(m), &as_shown);
    if (st->selected < 0 || (size_t)st->selected >= shown->n)
        return false;
    const struct roof_point *p = shown->point[st->selected];
    const struct roof *roof = roofline_roof(shown, p);
    snprintf(out->title, sizeof out->title, "%.60s", p->name);
    if (p->work)
        menu_action(out, 'd', ACTION_DETAILS, "details: every ceiling, its dispatches");
    menu_action(out, 'z', ACTION_PLOT_ZOOM_IN, "zoom in on it");
    jumps_menu(m, out, "roofline", p->name);
    captures_menu(m, out, 'c', (enum node_kind)shown->g->kind[p->node], p->name);
    menu_filter(out, 'f', "name", p->name, "show all with this name");
    menu_filter(out, 'b', "backend", roof ? roof->name : "", "show its %s only",
                p->work ? "GPU" : "backend");
    menu_deny(out, roof ? NULL : roofline_why_no_roof(shown->r));
    value_text(p->flops, UNIT_FLOP_PER_S, true, flops);
    value_text(p->bytes, UNIT_BYTES_PER_S, true, bytes);
    snprintf(text, sizeof text, "%.200s  %s  %s  %s", p->name, flops, bytes,
             value_text(p->intensity, UNIT_FLOP_PER_BYTE, true, intensity));
    if (roofline_why_no_intensity(p))
        snprintf(text, sizeof text, "%.200s  %s", p->name, isnan(p->flops) ? bytes : flops);
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', p->name, "copy its name");
    menu_command(out, 's', "sort ", "sort by something else…");
    return true;
}

static bool roofline_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    const struct bricks *b = model_bricks(m);
    return (b && b->roofline.npoints) || find_live_roofs(m);
}

static bool roofline_takes(enum action a, const struct model *m, const struct view_state *st)
{
    const struct bricks *b = model_bricks(m);
    if (!b || !b->roofline.npoints)
        return a == ACTION_ROOF_LEVEL && roofline_available(m, st);
    return a != ACTION_PLOT_MODE || b->roofline.nroofs > 1;
}

const struct view_ops view_roofline = {
    .name = "roofline",
    .title = "roofline",
    .select = ACTION_VIEW_ROOFLINE,
    .contexts = CONTEXT_LIST | CONTEXT_PLOT,
    .available = roofline_available,
    .own_size = sizeof(struct roofline_shown),
    .draw = draw_roofline,
    .act = act_in_roofline,
    .takes = roofline_takes,
    .menu = roofline_menu,
    .fields = roofline_fields,
};
