/*
 * Swap, cache, network and disks of the overview: one line, a second one for devices if there is
 * room, and everything in the expanded box.
 */
#include <stdio.h>
#include <string.h>

#include "tui/views/overview/overview.h"
#include "tui/widgets/area.h"
#include "tui/widgets/meter.h"

enum { TEXT = 96, WIDE = 114, SPARK = 12, PIECES = 5 };

/* A part of the line: "net in 1.20 MB/s out 30.0 kB/s". */
struct io_piece {
    const char *label;
    char text[TEXT];
    const char *series; /* it is drawn beside it if there is room; NULL: none */
    enum style_role role;
};

static const struct value *rate_named(const struct snapshot *s, const char *name)
{
    static const struct value none = {.why = "not measured", .unit = UNIT_BYTES_PER_S};
    const struct counter *c = snapshot_counter(s, "system", name);
    return c ? &c->rate : &none;
}

static bool has_swap_space(const struct snapshot *s)
{
    return s->memory.swap_total.validity == VALUE_OK && s->memory.swap_total.v > 0;
}

static void both_ways(char out[TEXT], const char *in_name, const struct value *in,
                      const char *out_name, const struct value *sent, bool ascii)
{
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    snprintf(out, TEXT, "%s %s %s %s", in_name, value_format(in, ascii, a), out_name,
             value_format(sent, ascii, b));
}

/* The parts in order of importance. Those that do not fit are dropped from the end. */
static int write_io_pieces(const struct snapshot *s, bool ascii, bool wide, bool memory,
                           struct io_piece p[PIECES])
{
    const struct memory *m = &s->memory;
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    int n = 0;
    if (memory && m->used.validity == VALUE_OK) {
        p[n] = (struct io_piece){.label = "mem"};
        snprintf(p[n++].text, TEXT, "%s of %s", value_format(&m->used, ascii, a),
                 value_format(&m->total, ascii, b));
    }
    if (has_swap_space(s) && (wide || (m->swap_used.validity == VALUE_OK && m->swap_used.v > 0))) {
        p[n] = (struct io_piece){.label = "swap"};
        value_format(&m->swap_used, ascii, a);
        snprintf(p[n++].text, TEXT, wide ? "%s of %s" : "%s", a,
                 value_format(&m->swap_total, ascii, b));
    }
    p[n] = (struct io_piece){.label = "net", .series = "io.network", .role = STYLE_GRAD_DOWN};
    both_ways(p[n++].text, "in", rate_named(s, "network-receive"), "out",
              rate_named(s, "network-transmit"), ascii);
    p[n] = (struct io_piece){.label = "disk", .series = "io.disk", .role = STYLE_GRAD_UP};
    both_ways(p[n++].text, "r", rate_named(s, "disk-read"), "w", rate_named(s, "disk-write"),
              ascii);
    if (m->cached.validity == VALUE_OK) {
        p[n] = (struct io_piece){.label = "cache"};
        value_format(&m->cached, ascii, a);
        snprintf(p[n++].text, TEXT,
                 wide && m->buffers.validity == VALUE_OK ? "%s buffers %s" : "%s", a,
                 value_format(&m->buffers, ascii, b));
    }
    return n;
}

static int piece_width(const struct io_piece *p, bool sparks)
{
    return text_width(p->label) + 1 + text_width(p->text) + (sparks && p->series ? SPARK + 1 : 0);
}

static int draw_piece(struct canvas *c, int x, int y, const struct io_piece *p, bool sparks,
                      const struct model *m)
{
    float v[SPARK];
    int at = x, w = text_width(p->label);
    canvas_text(c, at, y, w, p->label, STYLE(STYLE_DIM));
    canvas_zone(c, (struct rect){at, y, w, 1}, ACTION_EXPAND, BOX_IO + 1);
    at += w + 1;
    at += canvas_text(c, at, y, TEXT, p->text, STYLE(STYLE_TEXT));
    if (sparks && p->series && m->series) {
        live_series_get(m->series, p->series, v, SPARK);
        sparkline_draw(c, at + 1, y, SPARK, v, SPARK, 0, p->role);
    }
    return piece_width(p, sparks);
}

/*
 * Draws the devices with traffic, each with both rates, and at the end the number of devices that
 * do not fit.
 */
static void devices_line(struct canvas *c, struct rect r, const struct snapshot *s)
{
    enum { MORE = 9 };
    int x = r.x + 1, end = r.x + r.w - 1, left = 0;
    for (size_t i = 0; i < s->nio; i++)
        left += s->io[i].counted;
    for (size_t i = 0; i < s->nio && left; i++) {
        const struct io_device *d = &s->io[i];
        char text[TEXT];
        if (!d->counted)
            continue;
        both_ways(text, d->kind == IO_DISK ? "r" : "in", &d->in, d->kind == IO_DISK ? "w" : "out",
                  &d->out, c->ascii);
        int need = text_width(d->name) + 1 + text_width(text);
        if (x + need > end - (left > 1 ? MORE : 0))
            break;
        x += canvas_text(c, x, r.y, end - x, d->name, STYLE(STYLE_DIM)) + 1;
        x += canvas_text(c, x, r.y, end - x, text, STYLE(STYLE_TEXT)) + 3;
        left--;
    }
    if (left)
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), "+%d more", left);
}

void overview_io(struct canvas *c, struct rect r, const struct model *m, bool memory)
{
    struct io_piece p[PIECES];
    if (r.h == 0)
        return;
    if (!m->snap) {
        canvas_text(c, r.x + 1, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
        return;
    }
    int n = write_io_pieces(m->snap, c->ascii, r.w >= WIDE, memory, p), x = r.x + 1, need = 0;
    for (int i = 0; i < n; i++)
        need += piece_width(&p[i], true) + 3;
    bool sparks = need < r.w;
    for (int i = 0; i < n && x + piece_width(&p[i], sparks) <= r.x + r.w - 1; i++)
        x += draw_piece(c, x, r.y, &p[i], sparks, m) + (sparks ? 3 : 2);
    if (r.h > 1)
        devices_line(c, (struct rect){r.x, r.y + 1, r.w, 1}, m->snap);
}

int overview_io_rows(struct rect area, const struct snapshot *s)
{
    int devices = 0;
    for (size_t i = 0; s && i < s->nio; i++)
        devices += s->io[i].counted;
    return area.w >= WIDE && area.h >= 34 && devices > 2 ? 2 : 1;
}

/* --- the expanded box --- */

static void memory_lines(struct canvas *c, struct rect r, const struct memory *m)
{
    const struct {
        const char *name;
        const struct value *v, *of;
        enum style_role role;
    } part[] = {
        {"memory used", &m->used, &m->total, STYLE_GRAD_USED},
        {"cache", &m->cached, &m->total, STYLE_GRAD_CACHED},
        {"buffers", &m->buffers, &m->total, STYLE_GRAD_CACHED},
        {"available", &m->available, &m->total, STYLE_GRAD_FREE},
        {"swap used", &m->swap_used, &m->swap_total, STYLE_GRAD_USED},
    };
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    for (int i = 0; i < (int)(sizeof part / sizeof *part) && i < r.h; i++) {
        bool share = part[i].v->validity == VALUE_OK && part[i].of->validity == VALUE_OK &&
                     part[i].of->v > 0;
        if (part[i].of == &m->swap_total && !share)
            continue;
        struct value percent = share ? value_ok(100 * part[i].v->v / part[i].of->v, UNIT_PERCENT)
                                     : value_missing(part[i].v->why, UNIT_PERCENT);
        canvas_text(c, r.x + 1, r.y + i, 14, part[i].name, STYLE(STYLE_DIM));
        canvas_text_right(c, r.x + 14, r.y + i, 10, value_format(part[i].v, c->ascii, a),
                          STYLE(STYLE_TEXT));
        canvas_printf(c, r.x + 25, r.y + i, 14, STYLE(STYLE_DIM), "of %s",
                      value_format(part[i].of, c->ascii, b));
        if (r.w > 60)
            meter_draw(c, r.x + 39, r.y + i, r.w - 41, &percent, part[i].role);
    }
}

static void device_lines(struct canvas *c, struct rect r, const struct snapshot *s)
{
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    for (int i = 0; i < (int)s->nio && i < r.h; i++) {
        const struct io_device *d = &s->io[i];
        bool disk = d->kind == IO_DISK;
        canvas_text(c, r.x + 1, r.y + i, 8, disk ? "disk" : "network", STYLE(STYLE_DIM));
        canvas_text(c, r.x + 9, r.y + i, 16, d->name, STYLE(d->counted ? STYLE_TEXT : STYLE_DIM));
        canvas_text(c, r.x + 26, r.y + i, 7, disk ? "read" : "in", STYLE(STYLE_DIM));
        canvas_text_right(c, r.x + 32, r.y + i, 10, value_format(&d->in, c->ascii, a),
                          STYLE(STYLE_TEXT));
        canvas_text(c, r.x + 44, r.y + i, 7, disk ? "written" : "out", STYLE(STYLE_DIM));
        canvas_text_right(c, r.x + 52, r.y + i, 10, value_format(&d->out, c->ascii, b),
                          STYLE(STYLE_TEXT));
        const char *why = d->counted ? NULL : "not in the sum: another device hands it on";
        if (d->in.validity == VALUE_MISSING)
            why = d->in.why;
        else if (d->out.validity == VALUE_MISSING)
            why = d->out.why;
        if (why)
            canvas_text(c, r.x + 64, r.y + i, r.w - 65, why, STYLE(STYLE_DIM));
    }
}

static void draw_io_graph(struct canvas *c, struct rect r, const char *title, const char *series,
                          enum style_role role, const struct model *m)
{
    float v[LIVE_SERIES_LEN];
    size_t n = area_samples((struct rect){r.x, r.y + 1, r.w, r.h - 1});
    n = n > LIVE_SERIES_LEN ? LIVE_SERIES_LEN : n;
    canvas_text(c, r.x + 1, r.y, r.w - 1, title, STYLE(STYLE_TITLE));
    if (!m->series)
        return;
    live_series_get(m->series, series, v, n);
    area_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1},
              &(struct area){.v = v,
                             .n = n,
                             .unit = UNIT_BYTES_PER_S,
                             .role = role,
                             .span_s = m->interval_s * (double)n,
                             .end = m->moment[0] ? m->moment : NULL});
}

void overview_io_tall(struct canvas *c, struct rect r, const struct model *m)
{
    enum { MEMORY_ROWS = 5, GRAPH_LEAST = 5, GRAPH_MOST = 14 };
    if (!m->snap || r.h <= MEMORY_ROWS)
        return;
    memory_lines(c, (struct rect){r.x, r.y, r.w, MEMORY_ROWS}, &m->snap->memory);
    int y = r.y + MEMORY_ROWS + 1, left = r.y + r.h - y;
    int devices = (int)m->snap->nio, h = left - devices - 1;
    if (h > GRAPH_MOST)
        h = GRAPH_MOST;
    else if (h < left / 2)
        h = left / 2;
    if (h >= GRAPH_LEAST) {
        draw_io_graph(c, (struct rect){r.x, y, r.w / 2, h}, "network, both ways", "io.network",
                      STYLE_GRAD_DOWN, m);
        draw_io_graph(c, (struct rect){r.x + r.w / 2, y, r.w - r.w / 2, h}, "disks, both ways",
                      "io.disk", STYLE_GRAD_UP, m);
        y += h + 1;
    }
    if (y < r.y + r.h)
        device_lines(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, m->snap);
}
