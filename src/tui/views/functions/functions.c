/* Hot functions: where CPU time went in the window, as a flat list, a call tree or a flame graph.
 */
#include "tui/views/functions/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions/hot_hint.h"
#include "engine/value/query.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum { REMARK = 640 };
static const char *const mode_names[] = {"flat list", "call tree", "flame graph"};

/* --- shared by the three ways of drawing --- */

const char *functions_mark(const struct hot_symbol *s)
{
    if (s->inlined)
        return "i";
    switch ((enum hot_where)s->where) {
    case HOT_KERNEL:
        return "k";
    case HOT_JIT:
        return "j";
    case HOT_VDSO:
        return "v";
    case HOT_UNKNOWN:
        return "?";
    case HOT_USER:
        break;
    }
    return "";
}

void functions_number(const struct hot_stacks *p, uint64_t samples, char text[TABLE_CELL_MAX])
{
    char number[HOT_AMOUNT_MAX];
    snprintf(text, TABLE_CELL_MAX, "%s", hot_number(p, samples, false, number));
}

const char *functions_number_title(const struct hot_stacks *p)
{
    static const char *const titles[HOT_WEIGHTS] = {"SAMPLES", "TIME",  "CALLS",
                                                    "TIME",    "BYTES", "EVENTS"};
    return titles[p->weight < HOT_WEIGHTS ? p->weight : HOT_SAMPLES];
}

bool functions_match(const struct hot_symbol *s, const char *needle)
{
    return table_contains(s->name, needle) || table_contains(s->module, needle) ||
           table_contains(s->file, needle);
}

struct style functions_percent_style(double percent)
{
    if (percent < 0.05)
        return STYLE(STYLE_DIM);
    return STYLE_LEVEL(STYLE_GRAD_PROC, percent > 100 ? 100 : percent);
}

bool functions_pass(const struct functions *f, const struct function_row *row,
                    const struct view_state *st)
{
    const struct functions_item item = {f->stacks, row};
    return query_match(st->query, &item);
}

void functions_key(const struct hot_symbol *s, char out[VIEW_TEXT_MAX])
{
    snprintf(out, VIEW_TEXT_MAX, "f:%016" PRIx64, functions_symbol_id(s));
}

uint32_t functions_find(const struct functions *f, const char *key)
{
    if (!f->stacks || strncmp(key, "f:", 2) != 0)
        return FUNCTIONS_NONE;
    uint64_t id = strtoull(key + 2, NULL, 16);
    for (size_t i = 0; i < f->nrows; i++)
        if (functions_symbol_id(&f->stacks->symbols[f->rows[i].symbol]) == id)
            return f->rows[i].symbol;
    return FUNCTIONS_NONE;
}

int32_t functions_node(const struct functions *f, uint64_t id)
{
    for (size_t i = 0; f->stacks && id && i < f->stacks->nnodes; i++)
        if (f->node_id[i] == id)
            return (int32_t)i;
    return -1;
}

/* --- the lines above --- */

static void window_text(const struct functions *f, const char *moment, char out[64])
{
    if (f->window_s > 0)
        snprintf(out, 64, "%g s up to %s", f->window_s, moment[0] ? moment : "now");
    else
        snprintf(out, 64, "all up to %s", moment[0] ? moment : "now");
}

static const char *callgraph_text(const struct hot_stacks *p)
{
    if (p->callgraph == CALLGRAPH_DWARF)
        return "callers by DWARF";
    return p->callgraph == CALLGRAPH_FP ? "callers by frame pointer" : "no callers";
}

/* Draws how many samples of which event there are, and what is missing. */
static void draw_sample_numbers(struct canvas *c, int x, int y, int w, const struct functions *f)
{
    const struct hot_stacks *p = f->stacks;
    int end = x + w;
    if (f->file) {
        x += canvas_text(c, x, y, end - x, f->summary, STYLE(STYLE_TITLE));
        canvas_printf(c, x, y, end - x, STYLE(STYLE_WARN), "%s%s", f->missing[0] ? "; " : "",
                      f->missing);
        return;
    }
    x += canvas_printf(c, x, y, end - x, STYLE(STYLE_TITLE), "%" PRIu64 " sample%s", p->samples,
                       p->samples == 1 ? "" : "s");
    x += canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), " in %.1f s", p->seconds);
    x += canvas_printf(c, x, y, end - x, STYLE(p->lost ? STYLE_WARN : STYLE_DIM),
                       ", %" PRIu64 " lost%s", p->lost, p->lost ? "!" : "");
    x += canvas_printf(c, x, y, end - x, STYLE(p->throttled ? STYLE_WARN : STYLE_DIM),
                       ", throttled %" PRIu64 "x", p->throttled);
    x += canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), " · %s at %g Hz", p->event, p->hz);
    if (end - x > 30)
        canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), " · %s", callgraph_text(p));
}

/*
 * A remark about the profile: why it is not the one that was asked for, that sampling has ended,
 * that samples are missing, or what would name more functions. "" = none.
 */
static void write_profile_remark(const struct functions *f, char out[REMARK])
{
    const struct hot_stacks *p = f->stacks;
    struct hot_hint hint;
    size_t n = 0;
    out[0] = '\0';
    if (p->weight == HOT_TIME || p->weight == HOT_CALLS) {
        snprintf(out, REMARK, "%s",
                 p->weight == HOT_TIME
                     ? "shares: of the time in calls; ] shows those of their number"
                     : "shares: of the number of calls; [ shows those of their time");
        return;
    }
    if (!f->asked && !f->file)
        n += (size_t)snprintf(out, REMARK, "sampling is off: F turns it on");
    if (p->why && n < REMARK)
        n += (size_t)snprintf(out + n, REMARK - n, "%s%s, not cycles: %s", n ? "; " : "", p->event,
                              p->why);
    if (f->folded && n < REMARK)
        n += (size_t)snprintf(out + n, REMARK - n,
                              "%s%" PRIu64 " samples in [other]: too many call paths",
                              n ? "; " : "", f->folded);
    hot_hint(p, &hint);
    if (hint.text[0] && n < REMARK)
        snprintf(out + n, REMARK - n, "%s%s", n ? "; " : "", hint.text);
}

/* --- nothing to show yet --- */

static void draw_notices(struct canvas *c, struct rect r, int y, const struct snapshot *s)
{
    for (size_t i = 0; s && i < s->nnotices && y < r.y + r.h - 1; i++) {
        const struct notice *n = &s->notices[i];
        if (strncmp(n->id, "sampler", 7) != 0)
            continue;
        y += wrap_draw(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, n->text, STYLE(STYLE_WARN));
        if (n->help && y < r.y + r.h) {
            int used = canvas_text(c, r.x, y, r.w, "  → ", STYLE(STYLE_DIM));
            y += wrap_draw(c, (struct rect){r.x + used, y, r.w - used, r.y + r.h - y}, n->help,
                           STYLE(STYLE_TEXT));
        }
    }
}

static bool sampling_refused(const struct snapshot *s)
{
    for (size_t i = 0; s && i < s->nnotices; i++)
        if (strcmp(s->notices[i].id, "sampler.refused") == 0)
            return true;
    return false;
}

static void draw_off(struct canvas *c, struct rect r, const struct model *m,
                     const struct functions *f)
{
    double hz = m->snap && m->snap->sampling.hz > 0 ? m->snap->sampling.hz : SAMPLING_HZ;
    char rate[96];
    snprintf(rate, sizeof rate, "It interrupts each busy CPU %g times a second, and keeps the", hz);
    const char *const lines[] = {
        "Where CPU time goes, by function: rooftop samples call stacks.",
        "",
        rate,
        "stack it finds; what rooftop itself spends is in the footer. Programs",
        "need no change; names come from symbols and debug information.",
    };
    int y = r.y + 1;
    if (!m->snap)
        canvas_text(c, r.x, y, r.w, "…", STYLE(STYLE_DIM));
    else if (m->moment[0])
        canvas_printf(c, r.x, y, r.w, STYLE(STYLE_TITLE), "No samples up to %s.", m->moment);
    else if (f->asked && sampling_refused(m->snap))
        canvas_text(c, r.x, y, r.w, "Nothing is sampled; the reason is below.", STYLE(STYLE_WARN));
    else if (f->asked && f->stacks && f->stacks->seconds >= m->interval_s / 2)
        canvas_text(c, r.x, y, r.w, "No samples: nothing that is watched ran in this time.",
                    STYLE(STYLE_TITLE));
    else if (f->asked)
        canvas_text(c, r.x, y, r.w, "Sampling: the first samples are on their way …",
                    STYLE(STYLE_TITLE));
    else if (m->playback)
        canvas_text(c, r.x, y, r.w, "No stacks were sampled (rooftop record --functions).",
                    STYLE(STYLE_TITLE));
    else {
        int used = canvas_text(c, r.x, y, r.w, "Sampling is off: ", STYLE(STYLE_TITLE));
        used += canvas_text(c, r.x + used, y, r.w - used, "F", STYLE(STYLE_HOT));
        canvas_text(c, r.x + used, y, r.w - used, " turns it on.", STYLE(STYLE_TITLE));
    }
    y += 2;
    for (size_t i = 0; i < sizeof lines / sizeof *lines && y < r.y + r.h - 1; i++)
        canvas_text(c, r.x, y++, r.w, lines[i], STYLE(STYLE_DIM));
    draw_notices(c, r, y + 1, m->snap);
}

/* --- the view --- */

static struct rect take_right(struct rect *r, int w)
{
    struct rect side = {r->x + r->w - w, r->y, w, r->h};
    r->w -= w + 1;
    return side;
}

static struct rect take_bottom(struct rect *r, int h)
{
    struct rect side = {r->x, r->y + r->h - h, r->w, h};
    r->h -= h;
    return side;
}

uint32_t functions_selected(const struct functions *f, const struct view_state *st)
{
    if (st->mode == FUNCTIONS_FLAT)
        return functions_find(f, st->selected_key);
    int32_t node = functions_node(f, st->at);
    return node < 0 ? FUNCTIONS_NONE : f->stacks->nodes[node].symbol;
}

/*
 * Places the callers and callees beside the list if there is room; otherwise below it, if the user
 * asked for them.
 */
static bool split_calls_side(struct rect *r, const struct view_state *st, struct rect *side)
{
    enum { SIDE_FROM = 110 };
    bool beside = r->w >= SIDE_FROM;
    if (st->mode == FUNCTIONS_ICICLE || beside == (st->pane != 0) || r->h < 8)
        return false;
    *side = beside ? take_right(r, r->w / 3) : take_bottom(r, r->h / 2);
    return true;
}

static void draw_profile(struct canvas *c, struct rect r, struct view_state *st)
{
    static void (*const draws[])(struct canvas *, struct rect, const struct functions *,
                                 struct view_state *) = {functions_flat_draw, functions_tree_draw,
                                                         functions_icicle_draw};
    const struct functions *f = functions_of(st);
    char text[REMARK];
    struct rect side;
    draw_sample_numbers(c, r.x, r.y, r.w, f);
    write_profile_remark(f, text);
    int head = 1 + wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, 3}, text,
                             STYLE(f->asked || f->file ? STYLE_DIM : STYLE_WARN));
    r.y += head;
    r.h -= head;
    bool calls = split_calls_side(&r, st, &side);
    draws[st->mode](c, r, f, st);
    if (calls)
        functions_calls_draw(c, side, f, functions_selected(f, st));
}

static void draw_functions(struct canvas *c, struct rect area, const struct model *m,
                           struct view_state *st)
{
    const struct functions *f = functions_refresh(m, st);
    char title[96], window[64], right[160];
    st->mode = (st->mode % FUNCTIONS_MODES + FUNCTIONS_MODES) % FUNCTIONS_MODES;
    const bool calls =
        f->stacks && (f->stacks->weight == HOT_TIME || f->stacks->weight == HOT_CALLS);
    snprintf(title, sizeof title, "%s: %s%s%s",
             calls ? "functions in system calls" : "hot functions", mode_names[st->mode],
             st->mode == FUNCTIONS_FLAT ? " by " : "",
             st->mode == FUNCTIONS_FLAT ? functions_sort_name(st) : "");
    if (f->file && f->stacks)
        snprintf(window, sizeof window, "by %s", hot_weight_name(f->stacks));
    else
        window_text(f, m->moment, window);
    snprintf(right, sizeof right, "%s%s%.30s%s", window, st->filter[0] ? "  filter '" : "",
             st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_PROC), title, right);
    struct rect inner = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (f->stacks && (f->stacks->samples || f->file))
        draw_profile(c, inner, st);
    else
        draw_off(c, inner, m, f);
}

/* Changes the way of drawing. The cursor stays on its function. */
static void change_mode(const struct functions *f, struct view_state *st)
{
    uint32_t symbol = f->stacks ? functions_selected(f, st) : FUNCTIONS_NONE;
    int32_t node = functions_node(f, st->at);
    st->mode = (st->mode + 1) % FUNCTIONS_MODES;
    if (symbol == FUNCTIONS_NONE)
        return;
    functions_key(&f->stacks->symbols[symbol], st->selected_key);
    st->follow = true;
    if (node >= 0 && f->stacks->nodes[node].symbol == symbol)
        return;
    for (size_t i = 0; i < f->stacks->nnodes; i++) /* the function's frame with most samples */
        if (f->stacks->nodes[i].symbol == symbol &&
            (node < 0 || f->node_total[i] > f->node_total[node] ||
             f->stacks->nodes[node].symbol != symbol))
            node = (int32_t)i;
    st->at = f->node_id[node];
}

static enum view_result open_function(const struct functions *f, struct view_state *st)
{
    uint32_t symbol = f->stacks ? functions_selected(f, st) : FUNCTIONS_NONE;
    if (symbol == FUNCTIONS_NONE)
        return VIEW_IGNORED;
    functions_key(&f->stacks->symbols[symbol], st->selected_key);
    st->host->open(st->host->app, &functions_code, st->selected_key);
    return VIEW_HANDLED;
}

static enum view_result act_in_functions(enum action a, const struct model *m,
                                         struct view_state *st)
{
    static bool (*const acts[])(enum action, const struct functions *, struct view_state *) = {
        functions_flat_act, functions_tree_act, functions_icicle_act};
    const struct functions *f = functions_refresh(m, st);
    const enum view_result done = functions_sum_act(a, m, st);
    if (done != VIEW_IGNORED)
        return done;
    if (a == ACTION_FUNCTIONS_MODE) {
        change_mode(f, st);
        return VIEW_HANDLED;
    }
    if (a == ACTION_CALLERS) {
        st->pane = !st->pane;
        return VIEW_HANDLED;
    }
    if (f->stacks && acts[st->mode](a, f, st))
        return VIEW_HANDLED;
    if (a == ACTION_ANNOTATE || a == ACTION_OPEN_FUNCTION)
        return open_function(f, st);
    if (a == ACTION_EXPLAIN && f->stacks) {
        uint32_t symbol = functions_selected(f, st);
        if (symbol == FUNCTIONS_NONE)
            return VIEW_IGNORED;
        functions_key(&f->stacks->symbols[symbol], st->selected_key);
        return VIEW_EXPLAIN;
    }
    return VIEW_IGNORED;
}

static bool functions_take(enum action a, const struct model *m, const struct view_state *st)
{
    if (a == ACTION_SAMPLING) /* only what runs can be sampled */
        return !m->playback && !functions_of_file(m);
    return functions_available(m, st);
}

static void begin_functions(void *own)
{
    functions_sum_begin(&((struct functions_state *)own)->sum);
}

static void free_functions(void *own)
{
    struct functions_state *o = own;
    functions_sum_end(&o->sum);
    rows_free(&o->rows);
    free(o->tree.first);
    free(o->tree.next);
    free(o->tree.hit);
    free(o->tree.rows);
    icicle_free(&o->icicle);
}

const struct view_ops view_functions = {
    .own_size = sizeof(struct functions_state),
    .begin = begin_functions,
    .end = free_functions,
    .sample = functions_sum_sample,
    .chosen = functions_chosen,
    .command = functions_command,
    .name = "functions",
    .title = "functions",
    .select = ACTION_VIEW_FUNCTIONS,
    .contexts = CONTEXTS_FUNCTIONS,
    .available = functions_available,
    .draw = draw_functions,
    .act = act_in_functions,
    .takes = functions_take,
    .menu = functions_menu,
    .explain = functions_explain,
    .fields = functions_fields,
};
