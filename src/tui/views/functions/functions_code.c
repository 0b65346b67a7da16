/* Source or instructions of one function, with the share of the samples of each line. */
#include "tui/views/functions/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "tui/app/app_state.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum { COL_SHARE, COL_SAMPLES, COL_AT, COL_TEXT };

/* The number of samples of each line of the shown code. */
struct code_share {
    uint64_t *samples, highest, sum;
    size_t cap;
};

struct code_shown { /* a->overlay_own */
    struct code_share share;
    bool assembly;
    bool jump;           /* go to the hottest line when the lines have come */
    bool chosen;         /* the user chose between source and instructions */
    char no_source[400]; /* why instructions are shown although source was wanted; "" */
    char file[512];      /* the source file that is read or shown */
    char function[256];  /* its function */
};

struct code_drawing {
    const struct code *code;
    const struct code_share *share;
    const struct functions *f;
    bool assembly;
};

/* --- which function --- */

/*
 * The function that contains the code of an inlined one: the one in which most of its samples were
 * taken.
 */
static uint32_t find_holding_function(const struct functions *f, uint32_t symbol)
{
    const struct hot_stacks *p = f->stacks;
    size_t best = p->nnodes;
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].symbol == symbol &&
            (best == p->nnodes || f->node_total[i] > f->node_total[best]))
            best = i;
    for (int32_t at = best < p->nnodes ? (int32_t)best : -1; at >= 0; at = p->nodes[at].parent)
        if (!p->symbols[p->nodes[at].symbol].inlined)
            return p->nodes[at].symbol;
    return symbol;
}

/*
 * The symbol's own source file; if it is unknown, the file with most of its samples, which may be
 * that of an inlined function.
 */
static const char *find_symbol_source(const struct hot_stacks *p, uint32_t symbol)
{
    const char *file = p->symbols[symbol].file;
    uint64_t most = 0;
    for (size_t i = 0; !file[0] && i < p->nplaces; i++)
        if (p->places[i].symbol == symbol && p->places[i].samples > most && p->places[i].file[0]) {
            most = p->places[i].samples;
            file = p->places[i].file;
        }
    return file;
}

static bool start_job(struct app *a)
{
    struct code_shown *k = a->overlay_own;
    const struct functions *f = functions_refresh(&a->model, app_view_state(a, &view_functions));
    uint32_t symbol = functions_find(f, a->overlay_key);
    if (symbol == FUNCTIONS_NONE)
        return false;
    uint32_t whole = find_holding_function(f, symbol);
    const struct hot_symbol *s = &f->stacks->symbols[k->assembly ? whole : symbol];
    snprintf(k->function, sizeof k->function, "%s", s->name);
    snprintf(k->file, sizeof k->file, "%s", find_symbol_source(f->stacks, symbol));
    struct code_request r = {.assembly = k->assembly,
                             .file = k->file,
                             .line = s->line,
                             .path = s->path,
                             .address = s->address,
                             .size = s->size};
    if (!a->code.job)
        a->code.job = code_job_new();
    code_free(a->code.code);
    a->code.code = NULL;
    k->jump = true;
    code_job_start(a->code.job, &r);
    a->overlay_state = (struct view_state){0};
    return true;
}

static void code_opened(struct app *a)
{
    uint32_t symbol =
        functions_find(functions_of(app_view_state(a, &view_functions)), a->overlay_key);
    const struct hot_stacks *p = functions_of(app_view_state(a, &view_functions))->stacks;
    ((struct code_shown *)a->overlay_own)->assembly =
        symbol != FUNCTIONS_NONE && !find_symbol_source(p, symbol)[0];
    start_job(a);
}

static void code_closed(struct app *a)
{
    if (a->code.job)
        code_job_cancel(a->code.job);
    code_free(a->code.code);
    a->code.code = NULL;
    free(((struct code_shown *)a->overlay_own)->share.samples);
}

/* Shows instructions if the source cannot be read, unless the user asked for the source. */
static void fall_through(struct app *a)
{
    struct code_shown *k = a->overlay_own;
    if (k->assembly || k->chosen || a->code.code->n)
        return;
    snprintf(k->no_source, sizeof k->no_source, "no source: %.380s", a->code.code->why);
    k->assembly = true;
    if (!start_job(a))
        k->assembly = false;
}

/* --- shares --- */

/* The line of address `at`: an instruction begins at or before a sampled address. */
static size_t find_code_line(const struct code *c, uint64_t at, bool exact)
{
    size_t lo = 1;
    SEARCH_FIRST(lo, c->n, c->lines[lo].at <= at);
    lo--;
    if (c->n == 0 || c->lines[lo].at > at || (exact && c->lines[lo].at != at))
        return SIZE_MAX;
    while (c->lines[lo].heading && lo + 1 < c->n && c->lines[lo + 1].at <= at)
        lo++;
    return lo;
}

static void count_samples(struct code_shown *k, const struct code *c, const struct functions *f,
                          const char *key)
{
    const struct hot_stacks *p = f->stacks;
    struct code_share *share = &k->share;
    uint32_t symbol = functions_find(f, key), whole;
    share->highest = share->sum = 0;
    if (c->n > share->cap) {
        share->cap = c->n;
        share->samples = xrealloc(share->samples, share->cap, sizeof *share->samples);
    }
    if (c->n)
        memset(share->samples, 0, c->n * sizeof *share->samples);
    if (symbol == FUNCTIONS_NONE || c->n == 0)
        return;
    whole = find_holding_function(f, symbol);
    const struct hot_symbol *s = &p->symbols[whole];
    for (size_t i = 0; i < p->nplaces; i++) {
        const struct hot_place *q = &p->places[i];
        size_t line = SIZE_MAX;
        if (!k->assembly && q->line > 0 && strcmp(q->file, k->file) == 0)
            line = find_code_line(c, (uint64_t)q->line, true);
        else if (k->assembly && strcmp(p->symbols[q->symbol].path, s->path) == 0 &&
                 q->address >= s->address && q->address - s->address < s->size)
            line = find_code_line(c, q->address, false);
        if (line == SIZE_MAX)
            continue;
        share->samples[line] += q->samples;
        share->sum += q->samples;
        if (share->samples[line] > share->highest)
            share->highest = share->samples[line];
    }
}

static int find_hottest_line(const struct code *c, const struct code_share *share)
{
    for (size_t i = 0; i < c->n && share->highest; i++)
        if (share->samples[i] == share->highest)
            return (int)i;
    return -1;
}

/* Goes to the next line with samples, and from the end to the start. */
static void next_hot(struct view_state *st, const struct code *c, const struct code_share *share,
                     int step)
{
    int n = (int)c->n;
    for (int k = 1; k <= n; k++) {
        int row = ((st->selected + step * k) % n + n) % n;
        if (share->samples[row]) {
            st->selected = row;
            st->follow = true;
            st->selected_key[0] = '\0';
            return;
        }
    }
}

/* --- drawing --- */

static void line_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct code_drawing *d = ctx;
    const struct code_line *l = &d->code->lines[row];
    uint64_t n = d->share->samples[row];
    double percent = functions_percent(d->f->stacks, n);
    switch (col) {
    case COL_SHARE:
        if (n)
            snprintf(text, TABLE_CELL_MAX, "%.1f", percent);
        *st = functions_percent_style(percent);
        break;
    case COL_SAMPLES:
        if (n)
            functions_number(d->f->stacks, n, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_AT:
        if (!l->heading)
            snprintf(text, TABLE_CELL_MAX, d->assembly ? "%" PRIx64 : "%" PRIu64, l->at);
        *st = STYLE(STYLE_DIM);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", l->text);
        *st = STYLE(n ? STYLE_TITLE : STYLE_TEXT);
        if (l->heading)
            *st = STYLE(STYLE_DIM);
    }
}

static void line_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    (void)ctx;
    snprintf(out, VIEW_TEXT_MAX, "%zu", row);
}

static void draw_code_table(struct app *a, struct canvas *c, struct rect r)
{
    const struct code_shown *k = a->overlay_own;
    const struct column columns[] = {
        [COL_SHARE] = {"SHARE %", 7, false, true, 0},
        [COL_SAMPLES] = {functions_number_title(
                             functions_of(app_view_state(a, &view_functions))->stacks),
                         8, false, true, 1},
        [COL_AT] = {k->assembly ? "ADDRESS" : "LINE", k->assembly ? 9 : 6, false, true, 0},
        [COL_TEXT] = {k->assembly ? "INSTRUCTION" : "SOURCE", 20, true, false, 0},
    };
    struct code_drawing d = {a->code.code, &k->share,
                             functions_of(app_view_state(a, &view_functions)), k->assembly};
    const struct table t = {.columns = columns,
                            .ncolumns = sizeof columns / sizeof *columns,
                            .ctx = &d,
                            .nrows = a->code.code->n,
                            .sort = -1,
                            .cell = line_cell,
                            .key = line_key};
    table_draw(c, r, &t, &a->overlay_state);
}

/* Puts the hottest line in the middle of the page when it is first shown. */
static void scroll_to_hottest(struct app *a, int page)
{
    struct code_shown *k = a->overlay_own;
    struct view_state *st = &a->overlay_state;
    int row = find_hottest_line(a->code.code, &k->share);
    if (row < 0)
        return;
    st->selected = row;
    st->scroll = row > page / 2 ? row - page / 2 : 0;
    st->follow = true;
    st->selected_key[0] = '\0';
    k->jump = false;
}

static void draw_reason(struct canvas *c, struct rect r, const struct code_shown *k,
                        const struct code *code)
{
    if (!code) {
        canvas_text(c, r.x, r.y + 1, r.w, k->assembly ? "disassembling …" : "reading …",
                    STYLE(STYLE_TITLE));
        canvas_text(c, r.x, r.y + 3, r.w, "Esc cancels", STYLE(STYLE_DIM));
        return;
    }
    int rows = wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, 6}, code->why, STYLE(STYLE_WARN));
    const char *instead =
        k->assembly ? "v shows the source instead" : "v shows the instructions instead";
    canvas_text(c, r.x, r.y + 2 + rows, r.w, k->no_source[0] ? k->no_source : instead,
                STYLE(STYLE_DIM));
}

static void draw_code(struct app *a, struct canvas *c, struct rect area)
{
    struct code_shown *k = a->overlay_own;
    const struct functions *f = functions_of(app_view_state(a, &view_functions));
    canvas_fill(c, area, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), k->assembly ? "instructions" : "source",
               k->assembly || !k->file[0] ? NULL : k->file);
    struct rect inner = {area.x + 2, area.y + 2, area.w - 4, area.h - 4};
    int used = canvas_text(c, inner.x, area.y + 1, inner.w,
                           k->function[0] ? k->function : "it has no samples in this window",
                           STYLE(STYLE_TITLE));
    const char *note = a->code.code ? a->code.code->note : "";
    if (k->no_source[0] && k->assembly)
        note = k->no_source;
    canvas_text(c, inner.x + used + 2, area.y + 1, inner.w - used - 2, note,
                STYLE(k->assembly && !k->no_source[0] ? STYLE_DIM : STYLE_WARN));
    const char *hint = k->assembly ? "v source   n N next and previous hot line   Esc close"
                                   : "v instructions   n N next and previous hot line   Esc close";
    canvas_text(c, inner.x, inner.y + inner.h, inner.w, hint, STYLE(STYLE_DIM));
    if (!a->code.code || a->code.code->n == 0 || !f->stacks) {
        draw_reason(c, inner, k, a->code.code);
        return;
    }
    count_samples(k, a->code.code, f, a->overlay_key);
    if (k->jump)
        scroll_to_hottest(a, inner.h - 1);
    draw_code_table(a, c, inner);
    char text[64];
    if (f->stacks->weight == HOT_SAMPLES)
        snprintf(text, sizeof text, "%" PRIu64 " samples here", k->share.sum);
    else /* a line has what was called there, which other lines may have too */
        snprintf(text, sizeof text, "%s made at each line", hot_weight_name(f->stacks));
    if (inner.w > text_width(hint) + 2 + text_width(text))
        canvas_text_right(c, inner.x, inner.y + inner.h, inner.w, text, STYLE(STYLE_DIM));
}

static unsigned act_in_code(struct app *a, enum action act)
{
    /* lines have no menu; Enter opened this overlay, and a second one must not close it */
    if (act == ACTION_MENU)
        return APP_REDRAW;
    return a->code.code && a->code.code->n && table_act(act, &a->overlay_state) ? APP_REDRAW : 0;
}

/* Keys of the functions view work here too. */
static unsigned on_key(struct app *a, const struct key_event *ev)
{
    struct code_shown *k = a->overlay_own;
    switch (key_action(ev, CONTEXT_GLOBAL | CONTEXT_OVERLAY | CONTEXT_FUNCTIONS)) {
    case ACTION_ANNOTATE:
        k->assembly = !k->assembly;
        k->chosen = true;
        k->no_source[0] = '\0';
        if (!start_job(a))
            k->assembly = !k->assembly;
        return APP_REDRAW;
    case ACTION_SEARCH_NEXT:
    case ACTION_SEARCH_PREV:
        if (a->code.code && a->code.code->n && k->share.cap >= a->code.code->n)
            next_hot(&a->overlay_state, a->code.code, &k->share,
                     key_action(ev, CONTEXT_GLOBAL) == ACTION_SEARCH_PREV ? -1 : 1);
        return APP_REDRAW;
    default:
        return 0;
    }
}

const struct overlay_ops functions_code = {
    .name = "code",
    .own_size = sizeof(struct code_shown),
    .opened = code_opened,
    .closed = code_closed,
    .code_came = fall_through,
    .draw = draw_code,
    .act = act_in_code,
    .key = on_key,
};
