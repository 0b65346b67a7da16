#include "tui/app/app_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limit.h"
#include "engine/session/ring.h"
#include "tui/app/app_state.h"

enum { FAR_SAMPLES = 30, SPEED_MIN = -4, SPEED_MAX = 10, FRAME_MS = 40 };

void app_time_init(struct app *a)
{
    a->time = (struct app_time){.live = true, .speed = 1, .series = live_series_new()};
    a->model.past = ring_new(RING_BYTES);
}

static void drop_past(struct app *a)
{
    if (!a->time.lent)
        recording_free(a->model.past);
    a->model.past = NULL;
}

void app_time_free(struct app *a)
{
    drop_past(a);
    live_series_free(a->time.series);
}

struct recording *app_past(const struct app *a)
{
    return a->model.past;
}

size_t app_past_bytes(const struct app *a)
{
    return a->time.file ? 0 : ring_bytes(a->model.past);
}

struct app_cost *app_cost(struct app *a)
{
    return &a->cost;
}

int app_view(const struct app *a)
{
    return a->view;
}

const struct snapshot *app_shown(const struct app *a)
{
    return a->model.snap;
}

void app_time_push(struct app *a, const struct snapshot *s)
{
    if (!a->time.file)
        ring_push(a->model.past, s);
}

static size_t find_newest_frame(const struct app *a)
{
    size_t n = recording_count(a->model.past);
    return n ? n - 1 : 0;
}

size_t app_time_at(const struct app *a)
{
    return a->time.live || !recording_count(a->model.past)
               ? find_newest_frame(a)
               : recording_find(a->model.past, a->time.time_ns);
}

/* --- moving the cursor --- */

struct rebuild {
    struct live_series *series;
    const struct snapshot *last;
};

static bool push_to_series(void *ctx, const struct snapshot *s)
{
    live_series_push(((struct rebuild *)ctx)->series, s);
    return true;
}

/*
 * Makes the graphs end at the cursor. If their present end is shortly before it, only the frames
 * between are added; else they are built again.
 */
static int rebuild_series(struct app *a, size_t at, struct error *err)
{
    struct app_time *t = &a->time;
    size_t from = at + 1 > LIVE_SERIES_LEN ? at + 1 - LIVE_SERIES_LEN : 0;
    size_t had = t->series_valid ? recording_find(a->model.past, t->series_ns) : 0;
    bool on = t->series_valid && recording_time(a->model.past, had) == t->series_ns && had <= at &&
              had + 1 >= from;
    if (!on) {
        live_series_free(t->series);
        t->series = live_series_new();
    }
    t->series_valid = false;
    struct rebuild ctx = {.series = t->series};
    int rc = 0;
    if (!on || had < at)
        rc = recording_scan(a->model.past, on ? had + 1 : from, at + 1, RECORDING_NUMBERS,
                            push_to_series, &ctx, err);
    t->series_valid = rc == 0;
    t->series_ns = recording_time(a->model.past, at);
    return rc;
}

/* Writes the time of day of a frame, computed from that of the shown frame. */
static void clock_text(const struct app *a, uint64_t time_ns, char out[16])
{
    const struct snapshot *s = a->model.snap;
    /* unsigned arithmetic also gives times before s */
    uint64_t wall = s->wall_ns + (time_ns - s->time_ns);
    time_t t = (time_t)(wall / 1000000000u);
    struct tm tm;
    strcpy(out, "?");
    if (localtime_r(&t, &tm))
        strftime(out, 16, "%H:%M:%S", &tm);
}

static void show_snapshot(struct app *a, size_t at)
{
    struct app_time *t = &a->time;
    struct error err = ERROR_INIT;
    char text[640];
    if (recording_count(a->model.past) == 0)
        return;
    at = at > find_newest_frame(a) ? find_newest_frame(a) : at;
    const struct snapshot *s = recording_frame(a->model.past, at, &err);
    if (!s || rebuild_series(a, at, &err) != 0)
        app_message(a, true, error_format(&err, text, sizeof text));
    if (!s)
        return;
    t->live = false;
    t->line.stale = true; /* the picture stays the same until the next step */
    t->time_ns = recording_time(a->model.past, at);
    snapshot_unref(a->model.snap);
    a->model.snap = s;
    app_follow_target(a);
    a->model.series = t->series;
    clock_text(a, t->time_ns, a->model.moment);
    if (t->file)
        app_set_interval(a, s->asked_interval_s);
}

static void app_time_live(struct app *a)
{
    struct app_time *t = &a->time;
    t->playing = false;
    if (t->file) {
        show_snapshot(a, find_newest_frame(a));
        return;
    }
    t->live = true;
    t->series_valid = false;
    if (a->model.newest) {
        snapshot_unref(a->model.snap);
        a->model.snap = snapshot_ref(a->model.newest);
    }
    a->model.series = a->series;
    a->model.moment[0] = '\0';
}

void app_time_show(struct app *a, size_t i)
{
    if (i > find_newest_frame(a) && !a->time.file)
        app_time_live(a);
    else
        show_snapshot(a, i);
}

static void show_recording(struct app *a, struct recording *r, bool lent)
{
    a->model.playback = true;
    drop_past(a);
    a->model.past = r;
    a->time.lent = lent;
    a->time.file = true;
    a->time.series_valid = false;
}

void app_play(struct app *a, struct recording *r)
{
    show_recording(a, r, false);
    show_snapshot(a, 0);
    a->time.playing = recording_count(r) > 1;
}

void app_lend(struct app *a, struct recording *r)
{
    if (r == a->model.past)
        return;
    show_recording(a, r, true);
    a->time.playing = false;
    show_snapshot(a, find_newest_frame(a));
}

/* --- playing --- */

int app_due_ms(const struct app *a)
{
    const struct app_time *t = &a->time;
    size_t at = app_time_at(a);
    if (!t->playing || at >= find_newest_frame(a))
        return -1;
    double gap = (double)(recording_time(a->model.past, at + 1) - t->time_ns) / 1e9 - t->ahead_s;
    double ms = ceil(gap / t->speed * 1e3);
    return (int)limit_double(ms, FRAME_MS, 3600e3);
}

unsigned app_elapsed(struct app *a, double seconds)
{
    struct app_time *t = &a->time;
    if (!t->playing)
        return 0;
    t->ahead_s += seconds * t->speed;
    uint64_t until = t->time_ns + (uint64_t)(t->ahead_s * 1e9);
    size_t at = app_time_at(a), to = recording_find(a->model.past, until);
    if (to <= at)
        return 0;
    t->ahead_s -= (double)(recording_time(a->model.past, to) - t->time_ns) / 1e9;
    t->ahead_s = t->ahead_s < 0 ? 0 : t->ahead_s;
    bool over = to == find_newest_frame(a);
    if (over && !t->file)
        app_time_live(a);
    else
        show_snapshot(a, to);
    if (over)
        t->playing = false;
    return APP_REDRAW;
}

static void set_time_playing(struct app *a, bool on)
{
    a->time.playing = on;
    a->time.ahead_s = 0;
    if (on && app_time_at(a) == find_newest_frame(a) && a->time.file)
        show_snapshot(a, 0); /* starts again at the first frame */
}

static unsigned change_speed(struct app *a, int step)
{
    char text[64];
    double speed = a->time.speed * (step > 0 ? 2 : 0.5);
    if (speed >= ldexp(1, SPEED_MIN) && speed <= ldexp(1, SPEED_MAX))
        a->time.speed = speed;
    snprintf(text, sizeof text, "speed %g times", a->time.speed);
    app_message(a, false, text);
    return APP_REDRAW;
}

static void step_time(struct app *a, long by)
{
    size_t at = app_time_at(a);
    a->time.playing = false;
    if (by < 0)
        app_time_show(a, (size_t)-by > at ? 0 : at - (size_t)-by);
    else if (!a->time.live)
        app_time_show(a, at + (size_t)by);
}

/* The frame for a cell of the time line as last drawn. */
static size_t frame_of_cell(const struct app *a, int x)
{
    const struct time_line *l = &a->time.line;
    double share = l->w > 1 ? (double)x / (l->w - 1) : 1;
    uint64_t at = l->first_ns + (uint64_t)((double)(l->end_ns - l->first_ns) * share);
    return x >= l->w - 1 ? recording_find(a->model.past, l->end_ns)
                         : recording_find(a->model.past, at);
}

static unsigned pause_or_play(struct app *a, bool p)
{
    struct app_time *t = &a->time;
    if (t->file || (!p && !t->live))
        set_time_playing(a, !t->playing);
    else if (!t->live)
        app_time_live(a);
    else
        show_snapshot(a, find_newest_frame(a));
    return APP_REDRAW;
}

unsigned app_time_action(struct app *a, int action, int arg)
{
    if (recording_count(a->model.past) == 0)
        return APP_REDRAW;
    switch ((enum action)action) {
    case ACTION_PAUSE:
    case ACTION_PLAY:
        return pause_or_play(a, action == ACTION_PAUSE);
    case ACTION_TIME_BACK:
        step_time(a, -1);
        break;
    case ACTION_TIME_FORWARD:
        step_time(a, 1);
        break;
    case ACTION_TIME_BACK_FAR:
        step_time(a, -FAR_SAMPLES);
        break;
    case ACTION_TIME_FORWARD_FAR:
        step_time(a, FAR_SAMPLES);
        break;
    case ACTION_TIME_START:
        a->time.playing = false;
        show_snapshot(a, 0);
        break;
    case ACTION_TIME_END:
        app_time_live(a);
        break;
    case ACTION_TIME_SCRUB:
        a->time.playing = false;
        app_time_show(a, frame_of_cell(a, arg));
        break;
    /* a click into a graph: two samples per cell, the newest on the right */
    case ACTION_TIME_GRAPH:
        step_time(a, -2L * arg - (a->time.live && arg == 0 ? 1 : 0));
        break;
    case ACTION_FASTER: /* '-' */
        return change_speed(a, -1);
    case ACTION_SLOWER: /* '+' */
        return change_speed(a, 1);
    default:
        return 0;
    }
    return APP_REDRAW;
}

/* --- "-30s", "12:03:10", "40%" --- */

static bool parse_span(const char *s, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1},     {"m", 60}, {"min", 60},
                 {"h", 3600},  {"d", 86400}, {"", 1}};
    char *end;
    *seconds = strtod(s, &end);
    while (*end == ' ')
        end++;
    for (size_t i = 0; end != s && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *seconds *= units[i].seconds;
            return isfinite(*seconds);
        }
    return false;
}

/* Reads a time of day: the last one at or before the newest sample. */
static bool parse_clock(const struct app *a, const char *s, double *back_s)
{
    int h, m, sec = 0;
    char rest;
    int n = sscanf(s, "%2d:%2d:%2d%c", &h, &m, &sec, &rest);
    if ((n != 2 && n != 3) || h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 60)
        return false;
    const struct snapshot *at = a->model.snap;
    time_t now = (time_t)(at->wall_ns / 1000000000u);
    struct tm tm;
    if (!localtime_r(&now, &tm))
        return false;
    double newest_s = (double)recording_time(a->model.past, find_newest_frame(a)) / 1e9;
    double now_s =
        tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec + newest_s - (double)at->time_ns / 1e9;
    *back_s = fmod(now_s - (h * 3600 + m * 60 + sec) + 2 * 86400, 86400);
    return true;
}

int app_seek(struct app *a, const char *where, struct error *err)
{
    double v;
    size_t n = recording_count(a->model.past);
    while (*where == ' ')
        where++;
    if (n == 0)
        return error_set(err, ERROR_USAGE, ENODATA, "wait for the first sample", "seek",
                         "there is no past yet");
    uint64_t first = recording_time(a->model.past, 0), last = recording_time(a->model.past, n - 1);
    uint64_t now = recording_time(a->model.past, app_time_at(a)), to;
    size_t len = strlen(where);
    char percent[32];
    snprintf(percent, sizeof percent, "%.*s", len ? (int)len - 1 : 0, where);
    if (strcmp(where, "start") == 0)
        to = first;
    else if (strcmp(where, "end") == 0 || strcmp(where, "now") == 0)
        to = UINT64_MAX;
    else if (len > 1 && len < sizeof percent && where[len - 1] == '%' && parse_span(percent, &v) &&
             v >= 0 && v <= 100)
        to = first + (uint64_t)((double)(last - first) * v / 100);
    else if ((*where == '-' || *where == '+') && parse_span(where, &v) && fabs(v) < 1e9)
        to = v < 0 && (double)(now - first) < -v * 1e9 ? first : (uint64_t)((double)now + v * 1e9);
    else if (strchr(where, ':') && parse_clock(a, where, &v))
        to = (double)(last - first) < v * 1e9 ? first : last - (uint64_t)(v * 1e9);
    else
        return error_set(err, ERROR_USAGE, EINVAL, "-30s, +5m, 12:03:10, 40%, start or end", "seek",
                         "'%.40s' is no time", where);
    a->time.playing = false;
    if (to > last)
        app_time_live(a);
    else
        show_snapshot(a, recording_find(a->model.past, to));
    return 0;
}

/* --- the time line --- */

bool app_time_scrubber(const struct app *a)
{
    return !a->time.live && recording_count(a->model.past) > 0;
}

static void span_text(double s, char out[24])
{
    if (s < 60)
        snprintf(out, 24, "%.1f s", s);
    else if (s < 3600)
        snprintf(out, 24, "%dm%02ds", (int)s / 60, (int)s % 60);
    else
        snprintf(out, 24, "%dh%02dm", (int)(s / 3600), (int)(s / 60) % 60);
}

/* The busiest of the frames of a cell. If there are very many, only some of them are read. */
static int cell_level(const struct app *a, size_t from, size_t to)
{
    int level = -1;
    size_t stride = (to - from) / 32 + 1;
    for (size_t i = from; i < to; i += stride) {
        int v = recording_level(a->model.past, i);
        level = v <= 100 && v > level ? v : level;
    }
    return level;
}

/* Computes the line: w cells from the first to the last frame. */
static void renew_line(struct app *a, int w)
{
    struct time_line *l = &a->time.line;
    struct recording *past = a->model.past;
    size_t n = recording_count(past), at = app_time_at(a);
    if (l->w == w && !l->stale)
        return;
    *l = (struct time_line){.w = w,
                            .n = n,
                            .at = at,
                            .first_ns = recording_time(past, 0),
                            .end_ns = recording_time(past, n - 1),
                            .cursor = n > 1 ? (int)lround((double)at * (w - 1) / (double)(n - 1))
                                            : w - 1};
    for (int x = 0; x < w && x < TIME_LINE_MAX; x++) {
        size_t from = (size_t)((double)n * x / w), to = (size_t)((double)n * (x + 1) / w);
        int level = cell_level(a, from, to > from ? to : from + 1);
        l->level[x] = (uint8_t)(level < 0 ? 255 : level);
    }
}

static void draw_time_line(const struct app *a, struct canvas *c, struct rect r)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct time_line *l = &a->time.line;
    for (int x = 0; x < r.w; x++) {
        int level = l->level[x];
        if (x == l->cursor)
            canvas_put(c, r.x + x, r.y, c->ascii ? '|' : 0x2503, STYLE(STYLE_TIME_CURSOR));
        else if (level == 255)
            canvas_put(c, r.x + x, r.y, c->ascii ? ' ' : 0xb7, STYLE(STYLE_DIM));
        else
            canvas_text(c, r.x + x, r.y, 1, bars[level * 7 / 100],
                        STYLE_LEVEL(STYLE_GRAD_CPU, level));
    }
    canvas_zone(c, r, ACTION_TIME_SCRUB, ZONE_FROM_LEFT);
}

/* Draws "12:03:10 ▁▂▃┃▂▁ 12:13:10  12:05:00  -8m10s  1100/6000". */
void app_time_draw(struct app *a, struct canvas *c, struct rect r)
{
    enum { CLOCK = 8, RIGHT = 48, LEAST = 8 };
    char first[16], last[16], now[16], span[24], right[96];
    const struct app_time *t = &a->time;
    int line_w = r.w - 2 - 2 * (CLOCK + 1) - RIGHT;
    line_w = limit_int(line_w, LEAST, TIME_LINE_MAX);
    renew_line(a, line_w);
    const struct time_line *l = &t->line;
    clock_text(a, l->first_ns, first);
    clock_text(a, l->end_ns, last);
    clock_text(a, t->time_ns, now);
    span_text((double)(l->end_ns - t->time_ns) / 1e9, span);
    snprintf(right, sizeof right, "%s  %s%s  %zu/%zu", now, l->end_ns > t->time_ns ? "-" : "", span,
             l->at + 1, l->n);
    if (t->file || t->playing)
        snprintf(right + strlen(right), 16, "  x%g", t->speed);
    int x = r.x + 1, end = r.x + r.w - 1;
    canvas_text_right(c, end - RIGHT, r.y, RIGHT, right, STYLE(STYLE_TITLE));
    if (x + 2 * (CLOCK + 1) + line_w + text_width(right) > end) /* narrow: the numbers only */
        return;
    x += canvas_text(c, x, r.y, CLOCK, first, STYLE(STYLE_DIM)) + 1;
    draw_time_line(a, c, (struct rect){x, r.y, line_w, 1});
    canvas_text(c, x + line_w + 1, r.y, CLOCK, last, STYLE(STYLE_DIM));
}
