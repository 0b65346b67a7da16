/* The details of a capture: its origin, the running replay, and the kept results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/views/replay/replay.h"
#include "tui/widgets/wrap.h"

/* --- its origin --- */

static int draw_capture(struct canvas *c, struct rect r, const struct replay_row *row)
{
    const struct capture *k = row->capture;
    char size[VALUE_TEXT_MAX];
    struct value bytes = value_ok((double)k->bytes, UNIT_BYTES);
    int y = r.y;
    canvas_text(c, r.x, y++, r.w, row->name, STYLE(STYLE_TITLE));
    canvas_printf(c, r.x, y++, r.w, STYLE(STYLE_DIM), "%zu regions, %s%s · %s%s%s%s · %s",
                  k->nregions, value_format(&bytes, c->ascii, size),
                  k->has_after ? " before and after" : "",
                  k->product_name[0] ? k->product_name : "GPU not told", k->host[0] ? " · " : "",
                  k->host, k->drained ? "" : " · other work was not drained", row->path);
    if (row->why[0])
        y += wrap_draw(c, (struct rect){r.x, y, r.w, 3}, row->why,
                       STYLE(row->can == REPLAY_CANNOT ? STYLE_CRIT : STYLE_WARN));
    return y - r.y;
}

/* --- results --- */

int replay_base(const struct replay_row *row, const struct view_state *st)
{
    for (size_t i = 0; i < row->past.n; i++)
        if (st->at && row->past.rows[i].time_ns == st->at)
            return (int)i;
    return row->past.n > 1 ? 1 : (int)row->past.n - 1;
}

static void when_text(uint64_t time_ns, char out[24])
{
    time_t t = (time_t)(time_ns / 1000000000u);
    struct tm tm;
    out[0] = '\0';
    if (gmtime_r(&t, &tm))
        strftime(out, 24, "%m-%d %H:%M:%S", &tm);
}

static void what_text(const struct replay_past *p, char out[48])
{
    const char *slash = strrchr(p->hsaco, '/');
    const char *code = slash ? slash + 1 : p->hsaco;
    const char *what = strcmp(p->mode, "stateful") == 0 ? "stateful" : "replayed";
    if (p->job == REPLAY_COMPARE)
        what = "compared";
    snprintf(out, 48, "%s%s%.32s", what, *code ? " " : "", code);
}

enum { W_WHEN = 15, W_TIME = 9, W_COUNT = 7, W_DIFF = 17 };

/* Draws "+12.3 % p 0.001", or why the two results cannot be compared. */
static void draw_difference(struct canvas *c, int x, int y, int w, const struct replay_past *base,
                            const struct replay_past *p)
{
    struct replay_difference_of d;
    if (base == p) {
        canvas_text(c, x, y, w, "◂ compared with", STYLE(STYLE_HOT));
        return;
    }
    const char *why = replay_past_compare(base, p, &d);
    if (why) {
        canvas_text(c, x, y, w, why, STYLE(STYLE_DIM));
        return;
    }
    bool sure = d.p < 0.05;
    enum style_role role = STYLE_DIM;
    if (sure)
        role = d.percent > 0 ? STYLE_DIFF_UP : STYLE_DIFF_DOWN;
    int used = canvas_printf(c, x, y, w, STYLE(role), "%+.1f %%", d.percent);
    if (d.low > d.high)
        canvas_text(c, x + used + 1, y, w - used - 1, "too few", STYLE(STYLE_DIM));
    else
        canvas_printf(c, x + used + 1, y, w - used - 1, STYLE(STYLE_DIM), "p %.2g", d.p);
}

static void draw_past(struct canvas *c, struct rect r, const struct replay_past *base,
                      const struct replay_past *p)
{
    char text[48], number[24];
    const double v[] = {p->timing.average, p->timing.min, p->timing.max};
    int x = r.x, end = r.x + r.w, ntimes = r.w >= 76 ? 3 : 1;
    when_text(p->time_ns, text);
    canvas_text(c, x, r.y, W_WHEN - 1, text, STYLE(STYLE_DIM));
    x += W_WHEN;
    for (int i = 0; i < ntimes; i++, x += W_TIME + 1)
        canvas_text_right(c, x, r.y, W_TIME, replay_time_text(&p->timing, v[i], c->ascii, number),
                          STYLE(i ? STYLE_DIM : STYLE_TITLE));
    canvas_printf(c, x, r.y, W_COUNT, STYLE(STYLE_DIM), "%6" PRIu64, p->timing.iterations);
    x += W_COUNT;
    draw_difference(c, x + 1, r.y, W_DIFF, base, p);
    x += W_DIFF + 2;
    if (p->verify >= 0 && x + 8 < end) {
        const char *equal = p->verify == REPLAY_TOLERATED ? "≈ equal" : "✓ equal";
        bool differs = p->verify == REPLAY_DIFFERENT;
        canvas_text(c, x, r.y, 8, differs ? "✗ DIFFERS" : equal,
                    STYLE(differs ? STYLE_CRIT : STYLE_OK));
    }
    x += 9;
    if (p->emulated && x + 9 < end)
        x += canvas_text(c, x, r.y, end - x, "EMULATED", STYLE(STYLE_WARN)) + 1;
    what_text(p, text);
    if (x < end)
        canvas_text(c, x, r.y, end - x, text, STYLE(STYLE_DIM));
}

static void draw_past_head(struct canvas *c, struct rect r)
{
    static const char *const times[] = {"MEAN", "MIN", "MAX"};
    int x = r.x + W_WHEN, ntimes = r.w >= 76 ? 3 : 1;
    canvas_text(c, r.x, r.y, W_WHEN, "RESULTS (UTC)", STYLE(STYLE_HEADING));
    for (int i = 0; i < ntimes; i++, x += W_TIME + 1)
        canvas_text_right(c, x, r.y, W_TIME, times[i], STYLE(STYLE_HEADING));
    canvas_text_right(c, x, r.y, W_COUNT - 1, "N", STYLE(STYLE_HEADING));
    x += W_COUNT;
    canvas_text(c, x + 1, r.y, W_DIFF, "DIFFERENCE [ ]", STYLE(STYLE_HEADING));
    x += W_DIFF + 2;
    if (x + 8 < r.x + r.w)
        canvas_text(c, x, r.y, r.x + r.w - x, "MEMORY", STYLE(STYLE_HEADING));
}

/* Draws the results. The one that the others are compared with stays visible. */
static void draw_results(struct canvas *c, struct rect r, const struct replay_row *row,
                         const struct view_state *st)
{
    int base = replay_base(row, st), n = (int)row->past.n, rows = r.h - 1, from = 0;
    if (r.h < 2)
        return;
    if (n == 0) {
        canvas_text(c, r.x, r.y, r.w, "not replayed yet: R asks for the options, V verifies",
                    STYLE(STYLE_DIM));
        return;
    }
    draw_past_head(c, r);
    if (base >= rows)
        from = base - rows + 1;
    for (int i = from; i < n && i - from < rows; i++)
        draw_past(c, (struct rect){r.x, r.y + 1 + i - from, r.w, 1}, &row->past.rows[base],
                  &row->past.rows[i]);
}

void replay_detail_draw(struct canvas *c, struct rect r, const struct replays *all,
                        const struct replay_row *row, struct view_state *st)
{
    if (!row || r.h < 1)
        return;
    if (!row->capture) {
        canvas_text(c, r.x, r.y, r.w, row->path, STYLE(STYLE_TITLE));
        wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, row->why, STYLE(STYLE_CRIT));
        return;
    }
    int used = draw_capture(c, r, row) + (r.h > 14);
    struct rect rest = {r.x, r.y + used, r.w, r.h - used};
    if (all->run && strcmp(all->run_path, row->path) == 0) {
        used = replay_run_draw(c, rest, all, row) + (r.h > 14);
        rest.y += used;
        rest.h -= used;
    }
    draw_results(c, rest, row, st);
}
