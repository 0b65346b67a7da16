/*
 * The repeated ranges of a profile (steps), one by one, and above them the times of each rank and
 * device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/text.h"
#include "base/watch.h"
#include "engine/analysis/steps_fields.h"
#include "engine/kernels/device_use.h"
#include "export/kernels/steps_export.h"
#include "tui/widgets/path_mix.h"
#include "tui/widgets/table.h"

enum {
    NAME_CELLS = 26,
    NAME_LEAST = 14,
    NUMBERS = 5, /* columns of numbers behind the name */
    LEAST_LIST = 6,
    NUMBER = 8,
    MIX_FROM = 96,   /* narrower lists have no room for ITS PATH and its legend */
    REASON_FROM = 30 /* in less room than this, a reason would say nothing */
};

/* --- ranks and devices --- */

static double find_step_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The cells of a device's name, which leave room for all numbers if there is. */
static int measure_device_name(int width)
{
    return limit_int(width - NUMBERS * NUMBER, NAME_LEAST, NAME_CELLS);
}

static void draw_device(struct canvas *c, int x, int y, int end, const struct device_use *r,
                        const char *name, struct style st)
{
    const int cells = measure_device_name(end - x);
    const double parts[NUMBERS] = {
        find_step_percent(r->compute, r->wall), find_step_percent(r->communication, r->wall),
        find_step_percent(r->both, r->wall), find_step_percent(r->copying, r->wall),
        find_step_percent(r->idle, r->wall)};
    char idle[256], memory[128];
    canvas_text(c, x, y, cells, name, st);
    x += cells;
    for (int i = 0; i < NUMBERS && x + NUMBER <= end; i++, x += NUMBER)
        canvas_printf(c, x, y, end - x, STYLE(STYLE_TEXT), "%*.1f", NUMBER, parts[i]);
    if (end - x < REASON_FROM)
        return;
    device_use_idle_text(r, idle, sizeof idle);
    device_use_memory_text(r, c->ascii, memory, sizeof memory);
    canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), "  %s%s%s", idle,
                  *idle && *memory ? "; memory " : "", memory);
}

/* Draws at most `room` lines. Returns their number. */
static int draw_devices(struct canvas *c, struct rect r, const struct device_uses *u, int room)
{
    static const char *const heads[NUMBERS] = {"COMPUTE", "COMMUN.", "BOTH", "COPIES", "IDLE"};
    char lines[DEVICE_USE_LINES][256], name[200];
    const int cells = measure_device_name(r.w);
    int y = r.y, end = r.x + r.w, x = r.x + cells, said = device_uses_say(u, lines);
    int fit = room - 1 - said, n = (int)u->n < fit ? (int)u->n : fit;
    if (u->n == 0 || n < 1)
        return 0;
    canvas_text(c, r.x, y, cells, "% OF ITS TIME", STYLE(STYLE_HEADING));
    for (int i = 0; i < NUMBERS && x + NUMBER <= end; i++, x += NUMBER)
        canvas_text_right(c, x, y, NUMBER, heads[i], STYLE(STYLE_HEADING));
    if (end - x >= REASON_FROM)
        canvas_text(c, x + 2, y, end - x - 2, "IDLE, BECAUSE", STYLE(STYLE_HEADING));
    if (n < (int)u->n)
        n--; /* one line says how many more there are */
    for (int i = 0; i < n; i++)
        draw_device(c, r.x, ++y, end, &u->rows[i], device_use_name(&u->rows[i], name, sizeof name),
                    STYLE((uint32_t)i == u->slowest ? STYLE_WARN : STYLE_TEXT));
    if (n < (int)u->n)
        canvas_printf(c, r.x, ++y, r.w, STYLE(STYLE_DIM), "… and %d more: rooftop report",
                      (int)u->n - n);
    for (int i = 0; i < said; i++)
        canvas_text(c, r.x, ++y, r.w, lines[i], STYLE(STYLE_TITLE));
    return y - r.y + 1;
}

/* --- steps --- */

struct shown { /* the argument of the table's functions */
    const struct steps *s;
    const struct table_fields *columns;
};

static void put_apart(const struct steps *s, const struct profile_step *r,
                      char text[TABLE_CELL_MAX], struct style *st)
{
    char apart[32];
    snprintf(text, TABLE_CELL_MAX, "%s%s%s", step_kind_name(r->kind), r->kind ? " " : "",
             step_distance(s, r, apart));
    *st = STYLE(r->kind == STEP_FAST ? STYLE_OK : STYLE_DIM);
    if (r->kind == STEP_SLOW)
        *st = STYLE(STYLE_WARN);
}

static void step_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct shown *shown = ctx;
    const struct profile_step *r = &shown->s->rows[i];
    const struct list_field *f = shown->columns->field[col];
    *st = STYLE(STYLE_DIM);
    switch (f - steps_fields) {
    case STEPS_FIELD_rank:
        snprintf(text, TABLE_CELL_MAX, "%s", shown->s->nranks > 1 ? r->rank : "");
        break;
    case STEPS_FIELD_unlike:
        put_apart(shown->s, r, text, st);
        break;
    case STEPS_FIELD_mix: /* paint_step draws it */
        break;
    case STEPS_FIELD_name:
    case STEPS_FIELD_length:
    case STEPS_FIELD_done:
        *st = STYLE(STYLE_TEXT); /* fall through */
    default:
        table_field_text(f, r, "-", text);
    }
}

static void paint_step(const void *ctx, size_t i, int col, struct canvas *c, struct rect cell)
{
    const struct shown *shown = ctx;
    if (shown->columns->field[col] == &steps_fields[STEPS_FIELD_mix])
        path_mix_draw(c, cell, &shown->s->rows[i].mix);
}

static void step_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct shown *shown = ctx;
    snprintf(out, VIEW_TEXT_MAX, "n:%" PRIu32, shown->s->rows[i].node);
}

static bool step_matches(const void *ctx, size_t i, const char *needle)
{
    const struct shown *shown = ctx;
    return table_contains(shown->s->rows[i].name, needle);
}

/* How long they take, shorter with each step of `brief`. */
static void write_step_times(const struct steps *s, int brief, char *out, size_t size)
{
    char mean[VALUE_TEXT_MAX], median[VALUE_TEXT_MAX], least[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX];
    size_t n = 0;
    if (brief == 0)
        n += (size_t)snprintf(out, size, "mean %s, ", value_time(s->done.mean, true, mean));
    n += (size_t)snprintf(out + n, size - n, "median %s", value_time(s->done.median, true, median));
    if (brief < 2)
        snprintf(out + n, size - n, ", %s to %s", value_time(s->done.min, true, least),
                 value_time(s->done.max, true, most));
}

/* The longest form that fits is drawn: how many are unlike the others is in all of them. */
static void draw_sums(struct canvas *c, struct rect r, const struct steps *s)
{
    static const char *const until[] = {", until their last work ends: ", ": ", ""};
    enum { TIMES = 3, LAST = 2 * TIMES /* without times */ };
    char head[128], times[4 * VALUE_TEXT_MAX + 32], apart[80] = "";
    int x = r.x;
    if (s->slow + s->fast)
        snprintf(apart, sizeof apart, "; unlike the others: %" PRIu32 " slow, %" PRIu32 " fast",
                 s->slow, s->fast);
    for (int form = 0; form <= LAST; form++) {
        snprintf(head, sizeof head, "%" PRIu32 " '%.40s'%s", s->n, s->range, until[form / TIMES]);
        write_step_times(s, form % TIMES, times, sizeof times);
        if (form == LAST)
            times[0] = '\0';
        if (text_width(head) + text_width(times) + text_width(apart) <= r.w)
            break;
    }
    x += canvas_text(c, x, r.y, r.w, head, STYLE(STYLE_TEXT));
    x += canvas_text(c, x, r.y, r.x + r.w - x, times, STYLE(STYLE_DIM));
    canvas_text(c, x, r.y, r.x + r.w - x, apart, STYLE(STYLE_WARN));
}

static void draw_steps(struct canvas *c, struct rect r, const struct steps *s,
                       struct view_state *st)
{
    struct table_fields columns;
    table_fields(&columns, steps_fields);
    const struct shown shown = {s, &columns};
    const struct table t = {.fields = &columns,
                            .ctx = &shown,
                            .nrows = s->n,
                            .cell = step_cell,
                            .paint = paint_step,
                            .key = step_key,
                            .match = step_matches};
    draw_sums(c, r, s);
    table_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, &t, st);
}

/* --- the view --- */

/* The line below the devices, with the names of the parts of ITS PATH where that is shown. */
static void draw_divider(struct canvas *c, struct rect r)
{
    canvas_fill(c, r, 0x2500, STYLE(STYLE_DIV));
    if (r.w < MIX_FROM)
        return;
    canvas_put(c, r.x + 2, r.y, ' ', STYLE(STYLE_TEXT));
    path_mix_legend(c, r.x + 3, r.y, r.w - 3);
}

static void draw_steps_view(struct canvas *c, struct rect area, const struct model *m,
                            struct view_state *st)
{
    const struct analysis_steps *found = m->profile ? m->profile->steps : NULL;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    canvas_box(c, area, STYLE(STYLE_BOX_NET), "ranks and steps", NULL);
    st->rows = st->page = 0;
    st->list = (struct rect){0};
    if (!found || !found->found) {
        canvas_text(c, r.x, r.y + 1, r.w, "Not found yet: I looks again.", STYLE(STYLE_TITLE));
        return;
    }
    int above = draw_devices(c, r, &m->profile->uses, found->steps.n ? r.h - LEAST_LIST - 1 : r.h);
    if (above && found->steps.n)
        draw_divider(c, (struct rect){r.x, r.y + above++, r.w, 1});
    r.y += above;
    r.h -= above;
    if (found->steps.n)
        draw_steps(c, r, &found->steps, st);
    else if (r.h > 2)
        canvas_text(c, r.x, r.y + 1, r.w,
                    "No range looks like a step: rooftop report steps --range NAME names one",
                    STYLE(STYLE_DIM));
}

static enum view_result act_in_steps(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    if (a == ACTION_WINDOW) {
        if (!st->selected_key[0] || (m->profile && m->profile->trace.window))
            snprintf(st->selected_key, sizeof st->selected_key, "whole");
        return VIEW_WINDOW;
    }
    return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool steps_menu(const struct model *m, const struct view_state *st, const char *k,
                       struct menu *out)
{
    const struct analysis_steps *found = m->profile ? m->profile->steps : NULL;
    const struct profile_step *r = NULL;
    char text[MENU_COMMAND_MAX], length[VALUE_TEXT_MAX];
    uint32_t node;
    (void)st;
    if (!found || !found->found || sscanf(k, "n:%" SCNu32, &node) != 1)
        return false;
    for (uint32_t i = 0; i < found->steps.n && !r; i++)
        r = found->steps.rows[i].node == node ? &found->steps.rows[i] : NULL;
    if (!r)
        return false;
    snprintf(out->title, sizeof out->title, "%.60s", r->name);
    for (int i = 0; i < 4; i++) {
        static const char *const to[] = {"path", "kernels", "timeline", "tree"};
        snprintf(text, sizeof text, "range #%" PRIu32 "; view %s", node, to[i]);
        menu_command(out, "pktr"[i], text, "analyse it alone: its %s", to[i]);
    }
    menu_command(out, 'o', "window off", "all of the profile again");
    menu_deny(out, m->profile->trace.window ? NULL : "it is shown");
    snprintf(text, sizeof text, "%.200s  %s", r->name, value_time((double)r->length, true, length));
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', r->name, "copy its name");
    return true;
}

/* Finds the steps before the view is seen: once, unless it fails or the user cancels it. */
static bool find_steps(const struct model *m, struct view_state *st, bool shown)
{
    struct error err = ERROR_INIT;
    char text[512];
    const struct analysis *p = shown ? m->profile : NULL;
    if (!p || !p->steps || p->steps->found)
        return false;
    const struct watch *before = watch_set(st->host->watch);
    const bool found = analysis_steps(p, &err);
    watch_set(before);
    if (!found)
        st->host->say(st->host->app, true, error_format(&err, text, sizeof text));
    return found;
}

static bool steps_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    const struct analysis_steps *s = m->profile ? m->profile->steps : NULL;
    return s && (s->likely || s->steps.n);
}

const struct view_ops view_steps = {
    .name = "steps",
    .title = "steps",
    .select = ACTION_VIEW_STEPS,
    .contexts = CONTEXTS_STEPS,
    .available = steps_available,
    .absent =
        "No profile with steps or devices was opened: rooftop FILE; rooftop report steps --range "
        "NAME FILE looks for a range",
    .draw = draw_steps_view,
    .act = act_in_steps,
    .follow = find_steps,
    .menu = steps_menu,
};
