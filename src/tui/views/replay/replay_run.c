/* A running or finished replay. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/replay/replay.h"
#include "tui/widgets/area.h"
#include "tui/widgets/meter.h"
#include "tui/widgets/wrap.h"

enum { SPARK_MAX = 256, BUCKETS_MAX = 64, NUMBERS = 34, PROGRESS = 44, RATIO = 18 };

/* Where the next row is drawn. */
struct pen {
    struct canvas *c;
    struct rect r;
    int y;
};

static bool has_pen_room(const struct pen *p)
{
    return p->y < p->r.y + p->r.h;
}

static const char *write_replay_bytes(uint64_t n, char out[VALUE_TEXT_MAX])
{
    struct value v = value_ok((double)n, UNIT_BYTES);
    return value_format(&v, true, out);
}

static const char *write_replay_rate(double rate, char out[VALUE_TEXT_MAX])
{
    struct value v = value_ok(rate, UNIT_BYTES_PER_S);
    return value_format(&v, true, out);
}

/* --- while it runs --- */

static void draw_stages(struct pen *p, const struct replay_run *run)
{
    int x = p->r.x;
    bool over = replay_run_over(run);
    if (!has_pen_room(p))
        return;
    for (int i = 0; i < REPLAY_STAGES; i++) {
        const char *name = replay_stage_name((enum replay_stage)i);
        bool seen = run->stages >> i & 1, here = (int)run->stage == i && seen;
        bool done = seen && (!here || run->state == REPLAY_DONE);
        bool failed = here && over && !done;
        enum style_role role = here ? STYLE_HOT : STYLE_DIM;
        const char *mark = here ? "▸" : " ";
        if (failed) {
            role = STYLE_CRIT;
            mark = "✗";
        } else if (done) {
            role = STYLE_OK;
            mark = "✓";
        }
        if (x + 2 + text_width(name) > p->r.x + p->r.w)
            break;
        canvas_text(p->c, x, p->y, 1, mark, STYLE(role));
        x += 1 + canvas_text(p->c, x + 1, p->y, 12, name, STYLE(role)) + 1;
    }
    p->y++;
}

static void draw_meter(struct pen *p, const struct replay_run *run, uint64_t now_ns)
{
    char text[REPLAY_PROGRESS_MAX];
    if (!has_pen_room(p) || !run->total || replay_run_over(run))
        return;
    replay_run_progress(run, now_ns, p->c->ascii, text);
    struct value percent = value_ok(100 * (double)run->done / (double)run->total, UNIT_PERCENT);
    int w = p->r.w - PROGRESS - 8;
    meter_draw(p->c, p->r.x, p->y, w, &percent, STYLE_GRAD_CPU);
    canvas_printf(p->c, p->r.x + w + 1, p->y, 6, STYLE(STYLE_TITLE), "%3.0f %%", percent.v);
    canvas_text(p->c, p->r.x + w + 8, p->y, PROGRESS, text, STYLE(STYLE_DIM));
    p->y++;
}

/* --- times --- */

struct times_spread {
    double min, max, mean;
};

static struct times_spread find_times_spread(const double *v, size_t n)
{
    struct times_spread s = {v[0], v[0], 0};
    for (size_t i = 0; i < n; i++) {
        s.min = v[i] < s.min ? v[i] : s.min;
        s.max = v[i] > s.max ? v[i] : s.max;
        s.mean += v[i] / (double)n;
    }
    return s;
}

/* Draws the last iterations, one cell each; the longest is as high as the row. */
static void draw_spark(struct pen *p, const double *v, size_t n, const struct times_spread *s)
{
    float last[SPARK_MAX];
    char low[24], high[24];
    const struct replay_timing known = {.known = true};
    int w = p->r.w - NUMBERS - 11;
    size_t k = n < (size_t)w ? n : (size_t)w;
    if (!has_pen_room(p) || w < 8)
        return;
    k = k < SPARK_MAX ? k : SPARK_MAX;
    for (size_t i = 0; i < k; i++)
        last[i] = (float)v[n - k + i];
    canvas_text(p->c, p->r.x, p->y, 10, "each", STYLE(STYLE_DIM));
    sparkline_draw(p->c, p->r.x + 10, p->y, w, last, k, s->max, STYLE_GRAD_CPU);
    canvas_printf(p->c, p->r.x + w + 11, p->y, NUMBERS, STYLE(STYLE_DIM), "%s to %s",
                  replay_time_text(&known, s->min, p->c->ascii, low),
                  replay_time_text(&known, s->max, p->c->ascii, high));
    p->y++;
}

static void draw_histogram(struct pen *p, const double *v, size_t n, const struct times_spread *s)
{
    float bucket[BUCKETS_MAX] = {0};
    char mean[24];
    const struct replay_timing known = {.known = true};
    int w = p->r.w - NUMBERS - 11;
    w = w < BUCKETS_MAX ? w : BUCKETS_MAX;
    if (!has_pen_room(p) || w < 8 || n < 8 || !(s->max > s->min))
        return;
    float top = 0;
    for (size_t i = 0; i < n; i++) {
        int b = (int)((v[i] - s->min) / (s->max - s->min) * (w - 1) + 0.5);
        bucket[b] += 1;
        top = bucket[b] > top ? bucket[b] : top;
    }
    canvas_text(p->c, p->r.x, p->y, 10, "histogram", STYLE(STYLE_DIM));
    sparkline_draw(p->c, p->r.x + 10, p->y, w, bucket, (size_t)w, (double)top, STYLE_GRAD_PROC);
    canvas_printf(p->c, p->r.x + p->r.w - NUMBERS, p->y, NUMBERS, STYLE(STYLE_DIM),
                  "shortest to longest; mean %s",
                  replay_time_text(&known, s->mean, p->c->ascii, mean));
    p->y++;
}

/* --- its result --- */

static void draw_line(struct pen *p, enum style_role role, const char *text)
{
    if (has_pen_room(p))
        p->y += wrap_draw(p->c, (struct rect){p->r.x, p->y, p->r.w, p->r.y + p->r.h - p->y}, text,
                          STYLE(role));
}

static void draw_fault(struct pen *p, const struct replay_run *run, const struct replay_row *row)
{
    char text[256];
    const struct capture *c = row ? row->capture : NULL;
    const struct capture_region *g = c ? capture_region_at(c, run->address) : NULL;
    if (!run->has_address)
        return;
    if (g)
        snprintf(text, sizeof text,
                 "address 0x%" PRIx64 " lies in the region 0x%" PRIx64 " + 0x%" PRIx64 " (%" PRIu64
                 " bytes): m shows it",
                 run->address, g->base, run->address - g->base, g->size);
    else if (run->region)
        snprintf(text, sizeof text, "address 0x%" PRIx64 " belongs to the region 0x%" PRIx64,
                 run->address, run->region);
    else
        snprintf(text, sizeof text, "address 0x%" PRIx64 " lies in no captured region",
                 run->address);
    draw_line(p, STYLE_WARN, text);
}

static void draw_verify(struct pen *p, const struct replay_verify *v)
{
    char text[320], tolerance[48] = "", size[VALUE_TEXT_MAX];
    if (!v->reported)
        return;
    if (!v->exact)
        snprintf(tolerance, sizeof tolerance, " %s the tolerance (%.8s)",
                 v->equal ? "within" : "beyond", v->type);
    snprintf(text, sizeof text, "memory after: %s%s in %" PRIu64 " regions, %s",
             v->equal ? "equal" : "DIFFERS", tolerance, v->regions,
             write_replay_bytes(v->bytes, size));
    draw_line(p, v->equal ? STYLE_OK : STYLE_CRIT, text);
    for (size_t i = 0; i < v->n && has_pen_room(p); i++) {
        const struct replay_difference *d = &v->differences[i];
        snprintf(text, sizeof text,
                 "  0x%" PRIx64 " (region 0x%" PRIx64 " + 0x%" PRIx64
                 "): %.40s, not %.40s; %" PRIu64 " differ",
                 d->address, d->region, d->offset, d->found, d->expected, d->count);
        if (i == 3 && v->n > 4) {
            snprintf(text, sizeof text, "  and %zu more places; m and ] in it show them", v->n - i);
            i = v->n;
        }
        draw_line(p, STYLE_WARN, text);
    }
}

/* The style of a verdict; a difference that may be chance has no colour. */
static enum style_role verdict_role(const struct replay_variant *v)
{
    if (strcmp(v->verdict, "faster") == 0)
        return STYLE_DIFF_DOWN;
    return strcmp(v->verdict, "slower") == 0 ? STYLE_DIFF_UP : STYLE_DIM;
}

static void draw_variants(struct pen *p, const struct replay_result *r)
{
    char text[320], number[24];
    for (size_t i = 0; i < r->nvariants && has_pen_room(p); i++) {
        const struct replay_variant *v = &r->variants[i];
        const char *slash = strrchr(v->path, '/');
        snprintf(text, sizeof text, "%c  %-10s %s%.40s%s%s", (char)('A' + i % 26),
                 replay_time_text(&v->timing, v->timing.average, p->c->ascii, number),
                 v->equal == 0 ? "OUTPUT DIFFERS  " : "", slash ? slash + 1 : v->path,
                 v->why[0] ? ": " : "", v->why);
        canvas_text(p->c, p->r.x, p->y, p->r.w - RATIO - 1, text,
                    STYLE(v->why[0] || v->equal == 0 ? STYLE_CRIT : STYLE_TEXT));
        if (i > 0 && isfinite(v->ratio))
            canvas_printf(p->c, p->r.x + p->r.w - RATIO, p->y, RATIO, STYLE(verdict_role(v)),
                          "%7.3f x %-8s", v->ratio, v->verdict);
        p->y++;
    }
}

static void draw_reserve(struct pen *p, const struct replay_reserve *r)
{
    char text[160];
    if (!r->reported)
        return;
    snprintf(text, sizeof text,
             "addresses: %" PRIu64 " exact, %" PRIu64 " elsewhere, %" PRIu64
             " refused, of %" PRIu64,
             r->exact, r->relocated, r->failed, r->total);
    draw_line(p, r->exact == r->total ? STYLE_OK : STYLE_CRIT, text);
}

static void draw_outcome(struct pen *p, const struct replay_run *run, const struct replay_row *row)
{
    char text[REPLAY_TEXT_MAX + 64], rate[VALUE_TEXT_MAX];
    const struct replay_result *r = &run->result;
    if (run->state == REPLAY_FAILED) {
        snprintf(text, sizeof text, "%s: %s", replay_kind_name(run->kind), run->message);
        draw_line(p, STYLE_CRIT, text);
        draw_fault(p, run, row);
        return;
    }
    if (run->state != REPLAY_DONE)
        return;
    draw_verify(p, &r->verify);
    draw_reserve(p, &r->reserve);
    draw_variants(p, r);
    if (!r->restore_reported || !has_pen_room(p))
        return;
    snprintf(text, sizeof text, "restored %" PRIu64 " regions at %s%s", r->restore_regions,
             r->restore_rate > 0 ? write_replay_rate(r->restore_rate, rate) : "a rate not told",
             strcmp(r->mode, "stateful") == 0 ? "; not between iterations" : " before each");
    draw_line(p, STYLE_DIM, text);
}

/* --- the whole --- */

static void draw_job_head(struct pen *p, const struct replays *all)
{
    static const char *const states[] = {
        [REPLAY_RUNNING] = "running", [REPLAY_STOPPING] = "being ended", [REPLAY_DONE] = "done",
        [REPLAY_FAILED] = "FAILED",   [REPLAY_CANCELLED] = "cancelled",
    };
    const struct replay_run *run = all->run;
    bool over = replay_run_over(run);
    uint64_t end = over ? run->ended_ns : all->now_ns;
    double s = end > run->began_ns ? (double)(end - run->began_ns) / 1e9 : 0;
    enum style_role role = run->state == REPLAY_DONE ? STYLE_OK : STYLE_HOT;
    if (run->state == REPLAY_FAILED)
        role = STYLE_CRIT;
    if (!has_pen_room(p))
        return;
    int x = p->r.x + canvas_printf(p->c, p->r.x, p->y, 40, STYLE(role), "%s: %s",
                                   replay_job_name(run->job), states[run->state]);
    x += canvas_printf(p->c, x + 2, p->y, 20, STYLE(STYLE_DIM), "%.1f s", s) + 2;
    if (run->has_result && run->result.emulated)
        canvas_text(p->c, x + 2, p->y, 12, " EMULATED ", STYLE(STYLE_BANNER));
    if (!over) {
        int w = text_width("x cancels");
        canvas_text(p->c, p->r.x + p->r.w - w, p->y, 1, "x", STYLE(STYLE_HOT));
        canvas_text(p->c, p->r.x + p->r.w - w + 2, p->y, w, "cancels", STYLE(STYLE_DIM));
        canvas_zone(p->c, (struct rect){p->r.x + p->r.w - w, p->y, w, 1}, ACTION_REPLAY_CANCEL, 0);
    }
    p->y++;
}

int replay_run_draw(struct canvas *c, struct rect r, const struct replays *all,
                    const struct replay_row *row)
{
    struct pen p = {c, r, r.y};
    const struct replay_run *run = all->run;
    draw_job_head(&p, all);
    draw_stages(&p, run);
    draw_meter(&p, run, all->now_ns);
    if (run->n && run->job != REPLAY_COMPARE) {
        struct times_spread s = find_times_spread(run->samples, run->n);
        draw_spark(&p, run->samples, run->n, &s);
        draw_histogram(&p, run->samples, run->n, &s);
    }
    draw_outcome(&p, run, row);
    return p.y - r.y;
}
