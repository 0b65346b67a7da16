/*
 * A run of rooftop optimize as it goes on: its candidates, the newest first, what became of each,
 * and the intervals of their times on a common scale. Enter opens one (optimize_page.c).
 */
#include "tui/views/optimize/optimize.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum { LABEL = 10, PAGE_LABEL = 12, BAR_MOST = 41 };
enum {
    COLUMN_NUMBER,
    COLUMN_BASE,
    COLUMN_PROPOSER,
    COLUMN_WORD,
    COLUMN_FACTOR,
    COLUMN_BAR,
    COLUMN_PAIRS,
    COLUMN_NOTE,
    COLUMNS
};

struct shown { /* the argument of the table's functions */
    const struct run_snapshot *p;
    struct optimize_record now; /* the record under way; its outcome is none yet */
    bool under_way;
    double reach; /* the logarithm at both ends of the scale */
    int bar;      /* cells of the scale; odd */
};

static size_t count_optimize_rows(const struct shown *s)
{
    return s->p->log.n + s->under_way;
}

/* The record of a row; the one under way is the first. */
static const struct optimize_record *row_record_of(const struct shown *s, size_t row)
{
    return s->under_way && row == 0 ? &s->now
                                    : &s->p->log.list[s->p->log.n - 1 - (row - s->under_way)];
}

static bool is_now(const struct shown *s, size_t row)
{
    return s->under_way && row == 0;
}

/* --- the scale --- */

static bool is_drawn(const struct interval *i)
{
    return isfinite(i->low) && isfinite(i->high) && i->low > 0 && i->high > 0;
}

/* The scale is the same for all rows, and as far to both sides of 1. */
static double find_ratio_reach(const struct shown *s)
{
    double reach = log(1.05);
    for (size_t i = 0; i < count_optimize_rows(s); i++) {
        const struct interval *f = optimize_record_factor(row_record_of(s, i));
        if (is_drawn(f))
            reach = fmax(reach, fmax(fabs(log(f->low)), fabs(log(f->high))));
    }
    return fmin(reach, log(16));
}

static int ratio_cell_of(const struct shown *s, double factor)
{
    const int middle = s->bar / 2;
    const double at = log(factor) / s->reach * middle;
    return middle + (int)lround(fmax(-middle, fmin(middle, at)));
}

static void write_ratio_bar(const struct shown *s, const struct interval *i,
                            char text[TABLE_CELL_MAX])
{
    const int from = is_drawn(i) ? ratio_cell_of(s, i->low) : s->bar;
    const int to = is_drawn(i) ? ratio_cell_of(s, i->high) : -1;
    const int at = isfinite(i->estimate) && i->estimate > 0 ? ratio_cell_of(s, i->estimate) : -1;
    size_t used = 0;
    for (int x = 0; x < s->bar; x++) {
        const char *glyph = x == s->bar / 2 ? "│" : " ";
        if (x == at)
            glyph = "●";
        else if (x >= from && x <= to)
            glyph = "─";
        used += (size_t)snprintf(text + used, TABLE_CELL_MAX - used, "%s", glyph);
    }
}

/* --- cells --- */

static const char *stage_of_shown_run(const struct shown *s)
{
    return optimize_stage_text(s->p->progress.stage);
}

static void optimize_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                          struct style *st)
{
    const struct shown *s = ctx;
    const struct optimize_record *r = row_record_of(s, row);
    const struct interval *f = optimize_record_factor(r);
    *text = '\0';
    *st = STYLE(STYLE_TEXT);
    if (col == COLUMN_NUMBER)
        snprintf(text, TABLE_CELL_MAX, "%u", r->number);
    else if (col == COLUMN_BASE && r->step == OPTIMIZE_CANDIDATE)
        snprintf(text, TABLE_CELL_MAX, "%u", r->base);
    else if (col == COLUMN_PROPOSER)
        snprintf(text, TABLE_CELL_MAX, "%s", r->proposer);
    else if (col == COLUMN_WORD && is_now(s, row))
        snprintf(text, TABLE_CELL_MAX, "%s", stage_of_shown_run(s));
    else if (col == COLUMN_WORD)
        *st = optimize_word(r, text, TABLE_CELL_MAX);
    else if (col == COLUMN_FACTOR && isfinite(f->estimate))
        snprintf(text, TABLE_CELL_MAX, "%.3f", f->estimate);
    else if (col == COLUMN_BAR)
        write_ratio_bar(s, f, text);
    else if (col == COLUMN_PAIRS && r->pairs)
        snprintf(text, TABLE_CELL_MAX, "%" PRIu64, r->pairs);
    else if (col == COLUMN_NOTE)
        snprintf(text, TABLE_CELL_MAX, "%.120s%s%.120s", r->evidence,
                 *r->evidence && *r->note ? "; " : "", r->note);
    if (is_now(s, row) && col != COLUMN_BAR)
        *st = STYLE(STYLE_TITLE);
    if (col == COLUMN_PROPOSER || col == COLUMN_BASE || col == COLUMN_NOTE)
        *st = STYLE(STYLE_DIM);
}

/* A record's place in the log is its identity. */
static void optimize_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct shown *s = ctx;
    if (is_now(s, row))
        snprintf(out, VIEW_TEXT_MAX, "now");
    else
        snprintf(out, VIEW_TEXT_MAX, "%" PRIu64,
                 s->p->first + (s->p->log.n - 1 - (row - s->under_way)));
}

static int optimize_find(const void *ctx, const char *key, int last)
{
    const struct shown *s = ctx;
    (void)last;
    if (strcmp(key, "now") == 0)
        return 0;
    const uint64_t at = strtoull(key, NULL, 10);
    return at >= s->p->first && at - s->p->first < s->p->log.n
               ? (int)(s->p->log.n - 1 - (at - s->p->first)) + s->under_way
               : -1;
}

static bool optimize_match(const void *ctx, size_t row, const char *needle)
{
    const struct optimize_record *r = row_record_of(ctx, row);
    char word[PROPOSAL_WORD * 2];
    optimize_word(r, word, sizeof word);
    return table_contains(word, needle) || table_contains(r->proposer, needle) ||
           table_contains(r->evidence, needle) || table_contains(r->note, needle);
}

static void draw_candidates(struct canvas *c, struct rect r, struct shown *s, struct view_state *st)
{
    char scale[BAR_MOST + 8];
    s->bar = r.w < 150 ? 25 : BAR_MOST;
    if (r.w < 100)
        s->bar = 15;
    s->reach = find_ratio_reach(s);
    snprintf(scale, sizeof scale, "%-*.2f1%*.2f", s->bar / 2, exp(-s->reach), s->bar / 2,
             exp(s->reach));
    const struct column columns[COLUMNS] = {
        {"NO", 4, false, true, 0},         {"BASE", 4, false, true, 2},
        {"PROPOSER", 11, false, false, 3}, {"WHAT", 21, false, false, 0},
        {"RATIO", 7, false, true, 0},      {scale, s->bar, false, false, 0},
        {"PAIRS", 6, false, true, 4},      {"EVIDENCE, NOTE", 12, true, false, 0},
    };
    const struct table t = {.columns = columns,
                            .ncolumns = COLUMNS,
                            .sort = -1,
                            .ctx = s,
                            .nrows = count_optimize_rows(s),
                            .cell = optimize_cell,
                            .key = optimize_key,
                            .find = optimize_find,
                            .match = optimize_match};
    table_draw(c, r, &t, st);
}

/* --- head --- */

static int label_draw(struct canvas *c, struct rect r, int y, const char *label)
{
    canvas_text(c, r.x, y, LABEL, label, STYLE(STYLE_DIM));
    return r.x + LABEL;
}

static void draw_best(struct canvas *c, struct rect r, int y, const struct run_snapshot *p)
{
    const struct interval *f = &p->factor;
    const int x = label_draw(c, r, y, "best"), w = r.w - LABEL;
    if (!p->best)
        canvas_text(c, x, y, w, "the source itself", STYLE(STYLE_TEXT));
    else if (!is_drawn(f))
        canvas_printf(c, x, y, w, STYLE(STYLE_OK), "candidate %u", p->best);
    else
        canvas_printf(c, x, y, w, STYLE(STYLE_OK),
                      "candidate %u: %.2f times as fast (%.2f to %.2f), %s", p->best,
                      1 / f->estimate, 1 / f->high, 1 / f->low,
                      p->best_confirmed ? "confirmed" : "not confirmed yet");
}

/* Returns how many rows it took. */
static int draw_counts(struct canvas *c, struct rect r, int y, const struct run_snapshot *p)
{
    const double now = p->running ? (double)env_wall_ns() / 1e9 : p->ended_s;
    char text[512];
    const int x = label_draw(c, r, y, "tried");
    size_t n = (size_t)snprintf(text, sizeof text, "%" PRIu64, p->tried);
    if (now >= p->began_s)
        n += (size_t)snprintf(text + n, sizeof text - n, " in %.0f s", now - p->began_s);
    n += (size_t)snprintf(text + n, sizeof text - n, ": %" PRIu64 " accepted", p->accepted);
    if (p->rolled_back)
        n += (size_t)snprintf(text + n, sizeof text - n, " (%" PRIu64 " rolled back)",
                              p->rolled_back);
    for (int o = 0; o < OPTIMIZE_OUTCOMES; o++)
        if (o != OPTIMIZE_FASTER && p->outcomes[o])
            n += (size_t)snprintf(text + n, sizeof text - n, ", %" PRIu64 " %s", p->outcomes[o],
                                  optimize_outcome_name((enum optimize_outcome)o));
    return wrap_draw(c, (struct rect){x, y, r.w - LABEL, 2}, text, STYLE(STYLE_TEXT));
}

static void draw_status(struct canvas *c, struct rect r, int y, const struct run_snapshot *p)
{
    const int x = label_draw(c, r, y, "state"), w = r.w - LABEL;
    const struct optimize_progress *now = &p->progress;
    if (p->running && !p->has_progress)
        canvas_text(c, x, y, w, "running", STYLE(STYLE_BANNER));
    else if (p->running)
        canvas_printf(c, x, y, w, STYLE(STYLE_BANNER), "running: %s: %s %u",
                      optimize_stage_text(now->stage), optimize_step_name(now->step), now->number);
    else if (p->log.stop != OPTIMIZE_RUNS)
        canvas_printf(c, x, y, w, STYLE(STYLE_TEXT), "ended: %s: %s%s",
                      optimize_stop_name(p->log.stop), optimize_stop_text(p->log.stop),
                      p->log.winner ? "" : "; no gain");
    else
        canvas_text(c, x, y, w, "stopped without an end; rooftop optimize --resume goes on",
                    STYLE(STYLE_WARN));
}

/* Whether the drawn factors come from a model, not from a measurement. */
static bool is_modelled(const struct run_snapshot *p)
{
    const struct optimize_log *l = &p->log;
    return (p->running && p->has_progress && p->progress.modelled) ||
           (l->n && l->list[l->n - 1].modelled);
}

/* Returns how many rows it took. */
static int draw_optimize_head(struct canvas *c, struct rect r, const struct run_snapshot *p)
{
    const struct optimize_begin *b = &p->log.begin;
    int y = r.y, x = label_draw(c, r, y, "source");
    canvas_printf(c, x, y++, r.w - LABEL, STYLE(STYLE_TITLE), "%s%s%s, judged by its %s%s",
                  b->source, *b->function ? ", function " : "", b->function, b->target,
                  is_modelled(p) ? ": costs are modelled" : "");
    draw_status(c, r, y++, p);
    draw_best(c, r, y++, p);
    y += draw_counts(c, r, y, p);
    if (p->log.partial && !p->running) {
        x = label_draw(c, r, y, "log");
        canvas_printf(c, x, y++, r.w - LABEL, STYLE(STYLE_WARN),
                      "its last line was not finished: %zu bytes", p->log.partial);
    }
    if (p->failed[0])
        y += wrap_draw(c, (struct rect){r.x, y, r.w, 2}, p->failed, STYLE(STYLE_CRIT));
    return y - r.y;
}

/* --- the view --- */

static const char absent[] =
    "No run of rooftop optimize has its folder here. rooftop optimize SOURCE --harness FILE starts "
    "one, in SOURCE.optimize: this view follows it, in whichever terminal it runs.";

static void draw_optimize_title(struct canvas *c, struct rect area, const struct run_snapshot *p)
{
    char right[64] = "";
    if (p && p->all_folders > 1)
        snprintf(right, sizeof right, "run %zu of %zu: [ and ]", p->at + 1, p->all_folders);
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), NULL, *right ? right : NULL);
    /* not as the box's title, where "_" would mark a letter */
    canvas_printf(c, area.x + 2, area.y, area.w - 8 - (int)strlen(right), STYLE(STYLE_TITLE),
                  " optimize: %s ", p && p->at < p->nfolders ? p->folders[p->at] : "no run");
}

/* The record that is opened; NULL: none, or it is gone. */
static const struct optimize_record *opened_record(const struct run_snapshot *p,
                                                   const struct run_request *w)
{
    return w->opened && w->record >= p->first && w->record - p->first < p->log.n
               ? &p->log.list[w->record - p->first]
               : NULL;
}

static void draw_page(struct canvas *c, struct rect area, const struct run_snapshot *p,
                      const struct optimize_record *r, struct optimize_state *own)
{
    const struct run_detail *d =
        p->detail && p->detail->record == own->request.record ? p->detail : NULL;
    char title[64];
    snprintf(title, sizeof title, r->step == OPTIMIZE_BASELINE ? "the source" : "%s %u",
             optimize_step_name(r->step), r->number);
    page_reset(&own->page);
    optimize_page(&own->page, r, d);
    page_draw(c, area, title, &own->page, PAGE_LABEL, &own->scroll);
}

static void draw_optimize(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    (void)m;
    struct optimize_state *own = st->own;
    const struct run_snapshot *p = own->shown;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (!p || !p->nfolders) {
        st->rows = st->page = 0;
        st->list = (struct rect){0};
        draw_optimize_title(c, area, NULL);
        wrap_draw(c, r, p ? absent : "…", STYLE(STYLE_TITLE));
        return;
    }
    struct shown s = {.p = p, .under_way = p->running && p->has_progress};
    if (s.under_way) {
        const struct optimize_progress *now = &p->progress;
        s.now = (struct optimize_record){.step = now->step,
                                         .number = now->number,
                                         .base = now->base,
                                         .warm = now->factor,
                                         .confirmed = {NAN, NAN, NAN},
                                         .pairs = now->pairs};
        snprintf(s.now.proposer, sizeof s.now.proposer, "%s", now->proposer);
    }
    draw_optimize_title(c, area, p);
    const int used = draw_optimize_head(c, r, p) + 1;
    draw_candidates(c, (struct rect){r.x, r.y + used, r.w, r.h - used}, &s, st);
    const struct optimize_record *opened = opened_record(p, &own->request);
    own->request.opened = opened != NULL;
    if (opened)
        draw_page(c, area, p, opened, own);
}

/* --- keys --- */

static bool scroll_page(enum action a, struct optimize_state *own, int page)
{
    enum { FAR = 1 << 20 };
    const struct {
        enum action a;
        int by;
    } steps[] = {{ACTION_UP, -1},          {ACTION_DOWN, 1},   {ACTION_PAGE_UP, -page},
                 {ACTION_PAGE_DOWN, page}, {ACTION_TOP, -FAR}, {ACTION_BOTTOM, FAR}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].a == a) {
            own->scroll = own->scroll + steps[i].by > 0 ? own->scroll + steps[i].by : 0;
            return true;
        }
    return false;
}

static enum view_result step_run(struct optimize_state *own, int by)
{
    const struct run_snapshot *p = own->shown;
    if (!p || p->nfolders < 2)
        return VIEW_IGNORED;
    const size_t to = (p->at + (by > 0 ? 1 : p->nfolders - 1)) % p->nfolders;
    own->request = (struct run_request){.opened = false};
    memcpy(own->request.folder, p->folders[to], sizeof own->request.folder);
    return VIEW_HANDLED;
}

static enum view_result open_candidate(struct view_state *st)
{
    struct optimize_state *own = st->own;
    const struct run_snapshot *p = own->shown;
    if (!p || !p->log.n || strcmp(st->selected_key, "now") == 0 || !st->selected_key[0])
        return VIEW_IGNORED;
    own->request.record = strtoull(st->selected_key, NULL, 10);
    own->request.opened = true;
    own->scroll = 0;
    memcpy(own->request.folder, p->folders[p->at], sizeof own->request.folder);
    return VIEW_HANDLED;
}

static enum view_result act_in_optimize(enum action a, const struct model *m, struct view_state *st)
{
    struct optimize_state *own = st->own;
    (void)m;
    if (own->request.opened && (a == ACTION_OPTIMIZE_CLOSE || a == ACTION_BACK)) {
        own->request.opened = false;
        return VIEW_HANDLED;
    }
    if (own->request.opened && scroll_page(a, own, st->page > 1 ? st->page : 1))
        return VIEW_HANDLED;
    if (a == ACTION_OPTIMIZE_OLDER || a == ACTION_OPTIMIZE_NEWER)
        return step_run(own, a == ACTION_OPTIMIZE_OLDER ? 1 : -1);
    if (a == ACTION_OPTIMIZE_OPEN || a == ACTION_MENU || a == ACTION_EXPLAIN)
        return open_candidate(st);
    return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool optimize_takes(enum action a, const struct model *m, const struct view_state *st)
{
    const struct optimize_state *own = st->own;
    (void)m;
    if (a == ACTION_OPTIMIZE_CLOSE)
        return own->request.opened;
    if (a == ACTION_OPTIMIZE_OLDER || a == ACTION_OPTIMIZE_NEWER)
        return own->shown && own->shown->nfolders > 1;
    return own->shown && own->shown->nfolders && !own->request.opened;
}

static bool optimize_available(const struct model *m, const struct view_state *st)
{
    const struct run_snapshot *p = ((const struct optimize_state *)st->own)->shown;
    (void)m;
    return p && p->nfolders;
}

/* --- what looks at the run --- */

static void free_optimize(void *state)
{
    struct optimize_state *own = state;
    run_follower_free(own->follower);
    run_look_free(own->look);
    run_snapshot_free(own->shown);
    page_free(&own->page);
}

static bool take_run_snapshot(struct optimize_state *own, struct run_snapshot *p)
{
    if (!p)
        return false;
    run_snapshot_free(own->shown);
    own->shown = p;
    return true;
}

static int optimize_fd(const void *own)
{
    const struct run_follower *f = ((const struct optimize_state *)own)->follower;
    return f ? run_follower_fd(f) : -1;
}

static bool poll_optimize(struct view_state *st)
{
    struct optimize_state *own = st->own;
    return own->follower && take_run_snapshot(own, run_follower_take(own->follower));
}

/* Looks at the run on the calling thread. */
static bool look_now(struct optimize_state *own)
{
    bool more = true, got = false;
    if (!own->look)
        own->look = run_look_new(".");
    while (more)
        got |= take_run_snapshot(own, run_look(own->look, &own->request, &more));
    return got;
}

static bool follow_run(const struct model *m, struct view_state *st, bool shown)
{
    struct optimize_state *own = st->own;
    struct error err = ERROR_INIT;
    char text[256];
    (void)m;
    if (shown && st->host->at_once)
        return look_now(own);
    if (shown && !own->follower && run_follower_new(&own->follower, ".", &err) != 0)
        st->host->say(st->host->app, true, error_format(&err, text, sizeof text));
    if (own->follower)
        run_follower_want(own->follower, shown, shown ? &own->request : NULL);
    return false;
}

const struct view_ops view_optimize = {
    .own_size = sizeof(struct optimize_state),
    .end = free_optimize,
    .fd = optimize_fd,
    .poll = poll_optimize,
    .follow = follow_run,
    .name = "optimize",
    .title = "optimize",
    .select = ACTION_VIEW_OPTIMIZE,
    .contexts = CONTEXTS_OPTIMIZE,
    .available = optimize_available,
    .draw = draw_optimize,
    .act = act_in_optimize,
    .takes = optimize_takes,
};
