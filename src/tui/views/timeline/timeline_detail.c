/* The details of a span of the timeline. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace/graph_brief.h"
#include "engine/trace/trace.h"
#include "engine/value/timeline_scale.h"
#include "tui/views/timeline/timeline.h"
#include "tui/views/tree/tree.h"

enum { LINKS = 3, LABEL_W = 13 };

struct detail_lines {
    struct canvas *c;
    struct rect r;
    int y;
    const struct timeline *t;
};

static void print_span_line(struct detail_lines *l, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void print_span_line(struct detail_lines *l, const char *label, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    if (l->y >= l->r.y + l->r.h)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    canvas_text(l->c, l->r.x, l->y, LABEL_W, label, STYLE(STYLE_DIM));
    canvas_text(l->c, l->r.x + LABEL_W, l->y, l->r.w - LABEL_W, text, STYLE(STYLE_TEXT));
    l->y++;
}

static const char *write_span_time(const struct detail_lines *l, uint64_t ns,
                                   char out[VALUE_TEXT_MAX])
{
    return value_time((double)ns, l->c->ascii, out);
}

static void append_span_words(char *out, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void append_span_words(char *out, size_t size, const char *fmt, ...)
{
    size_t n = strlen(out);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out + n, size - n, fmt, ap);
    va_end(ap);
}

/* --- name, times --- */

/* The cells for the name in the first line. */
static int head_room(const struct detail_lines *l)
{
    return l->r.w > 70 ? l->r.w - 35 : l->r.w / 2;
}

static void draw_span_head(struct detail_lines *l, uint32_t v)
{
    const struct graph *g = l->t->calls;
    uint64_t slack = l->t->way->slack[v];
    char number[VALUE_TEXT_MAX];
    int w = 0, room = l->r.w;
    char name[512];
    bool critical = timeline_is_critical(l->t, v);
    int most = head_room(l);
    w += canvas_text(l->c, l->r.x, l->y, most,
                     graph_brief(g, v, most, l->c->ascii, name, sizeof name), STYLE(STYLE_TITLE));
    w += canvas_printf(l->c, l->r.x + w, l->y, room - w, STYLE(STYLE_DIM), "  %s  ",
                       timeline_kind_name(g, v));
    if (g->flags[v] & NODE_FAILED)
        w += canvas_text(l->c, l->r.x + w, l->y, room - w, "failed  ", STYLE(STYLE_CRIT));
    if (critical)
        canvas_text(l->c, l->r.x + w, l->y, room - w, "on the critical path", STYLE(STYLE_WARN));
    else if (slack != GRAPH_UNKNOWN)
        canvas_printf(l->c, l->r.x + w, l->y, room - w, STYLE(STYLE_TEXT), "slack %s",
                      write_span_time(l, slack, number));
    else
        canvas_text(l->c, l->r.x + w, l->y, room - w,
                    graph_is_context(g, v) ? "holds up nothing: a phase, not work of the queue"
                                           : "slack unknown",
                    STYLE(STYLE_DIM));
    l->y++;
}

enum { EXACT = 100 }; /* begin and end are told to this part of the span's length */

static void print_span_times(struct detail_lines *l, uint32_t v)
{
    const struct timeline *t = l->t;
    char number[VALUE_TEXT_MAX], from[TIMELINE_TIME_MAX], to[TIMELINE_TIME_MAX];
    uint64_t start = t->calls->start[v], end = timeline_end(t->calls, v);
    uint32_t lane = timeline_lane_of_row(t, t->row_of[v]);
    const uint64_t step = end - start >= EXACT ? (end - start) / EXACT : 1;
    timeline_time(start - t->from, step, t->to - t->from, from);
    timeline_time(end - t->from, step, t->to - t->from, to);
    print_span_line(l, "takes", "%s, from %s to %s", write_span_time(l, end - start, number), from,
                    to);
    print_span_line(l, "in", "%s / %s, row %u", timeline_group_name(t, t->lanes[lane].group),
                    timeline_lane_name(t, lane), t->row_of[v] - t->lanes[lane].first_row + 1);
}

/* --- facts by kind of span --- */

static void print_kernel_shape(struct detail_lines *l, const struct trace *trace, uint32_t v,
                               const struct graph_detail *d)
{
    char launch[LAUNCH_TEXT], bytes[VALUE_TEXT_MAX];
    struct trace_dispatch own, *x = trace && trace_dispatch_of(trace, v, &own) ? &own : NULL;
    char text[256] = "", said[320];
    append_span_words(text, sizeof text, "%s",
                      value_launch(d->kernel.grid, d->kernel.block, launch));
    if (d->kernel.shared_bytes)
        append_span_words(text, sizeof text, ", %s LDS",
                          value_text(d->kernel.shared_bytes, UNIT_BYTES, l->c->ascii, bytes));
    if (x && x->vgprs != TRACE_UNKNOWN)
        append_span_words(text, sizeof text, ", %u VGPRs", x->vgprs);
    if (x && x->sgprs != TRACE_UNKNOWN)
        append_span_words(text, sizeof text, ", %u SGPRs", x->sgprs);
    if (x && x->scratch_bytes != TRACE_UNKNOWN && x->scratch_bytes)
        append_span_words(text, sizeof text, ", %s scratch",
                          value_text(x->scratch_bytes, UNIT_BYTES, l->c->ascii, bytes));
    print_span_line(
        l, "shape", "%s",
        gpu_say(trace_words(trace, x ? x->agent : TRACE_UNKNOWN), text, said, sizeof said));
}

static void print_transfer(struct detail_lines *l, uint32_t v, const struct graph_detail *d)
{
    const struct graph *g = l->t->calls;
    char bytes[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];
    uint64_t ns = timeline_end(g, v) - g->start[v];
    struct value moved = value_ok((double)d->transfer.bytes, UNIT_BYTES);
    struct value speed =
        ns ? value_ok((double)d->transfer.bytes / (double)ns * 1e9, UNIT_BYTES_PER_S)
           : value_missing("it took no time", UNIT_BYTES_PER_S);
    if (d->transfer.bytes == GRAPH_UNKNOWN)
        moved = speed = value_missing("not in the profile", UNIT_BYTES);
    print_span_line(l, "moves", "%s, %s, from %s to %s", value_format(&moved, l->c->ascii, bytes),
                    value_format(&speed, l->c->ascii, rate),
                    d->transfer.from == GRAPH_NONE ? "?" : graph_text(g, d->transfer.from),
                    d->transfer.to == GRAPH_NONE ? "?" : graph_text(g, d->transfer.to));
}

static void of_its_kind(struct detail_lines *l, const struct trace *trace, uint32_t v)
{
    const struct graph *g = l->t->calls;
    const struct graph_detail *d = g->detail[v] == GRAPH_NONE ? NULL : &g->details[g->detail[v]];
    if (d && g->kind[v] == NODE_KERNEL)
        print_kernel_shape(l, trace, v, d);
    else if (d && g->kind[v] == NODE_TRANSFER)
        print_transfer(l, v, d);
    else if (d && g->kind[v] == NODE_FUNCTION && d->function.file != GRAPH_NONE)
        print_span_line(l, "source", "%s:%u", graph_text(g, d->function.file), d->function.line);
    else if (d && g->kind[v] == NODE_TASK)
        print_span_line(l, "polled", "%" PRIu64 " times", d->task.polls);
}

/* --- its dependencies --- */

/* The group of a span; GRAPH_NONE if it is no span. */
static uint32_t span_group_of(const struct timeline *t, uint32_t v)
{
    return t->row_of[v] == GRAPH_NONE ? GRAPH_NONE
                                      : t->lanes[timeline_lane_of_row(t, t->row_of[v])].group;
}

static void print_span_links(struct detail_lines *l, uint32_t v, const char *label,
                             enum edge_kind kind, bool out)
{
    const struct graph *g = l->t->calls;
    uint32_t to[LINKS], n = timeline_links(l->t, v, kind, out, to, LINKS);
    char text[400] = "", number[VALUE_TEXT_MAX], name[256];
    for (uint32_t i = 0; i < n && i < LINKS; i++) {
        append_span_words(text, sizeof text, "%s%.80s", i ? ", " : "",
                          graph_brief(g, to[i], 80, l->c->ascii, name, sizeof name));
        const uint32_t program = span_group_of(l->t, to[i]);
        if (program != GRAPH_NONE && program != span_group_of(l->t, v))
            append_span_words(text, sizeof text, " of %.60s", timeline_group_name(l->t, program));
        if (kind == EDGE_LAUNCHES) {
            uint32_t first = out ? v : to[i];
            uint32_t then = out ? to[i] : v;
            if (g->start[then] >= g->start[first])
                append_span_words(text, sizeof text, " (%s later)",
                                  write_span_time(l, g->start[then] - g->start[first], number));
        }
    }
    if (n > LINKS)
        append_span_words(text, sizeof text, " and %u more", n - LINKS);
    if (n)
        print_span_line(l, label, "%s", text);
}

/* Adds the whole name if the first line has it shortened. */
static void whole_name(struct detail_lines *l, uint32_t v)
{
    char brief[512];
    const char *whole = graph_name(l->t->calls, v);
    if (strcmp(graph_brief(l->t->calls, v, head_room(l), l->c->ascii, brief, sizeof brief),
               whole) != 0)
        print_span_line(l, "name", "%s", whole);
}

int timeline_detail(struct canvas *c, struct rect r, const struct timeline *t,
                    const struct trace *trace, uint32_t v)
{
    struct detail_lines l = {c, r, r.y, t};
    if (v == GRAPH_NONE) {
        canvas_text(c, r.x, r.y, r.w, "select a span with the arrows, or click on it",
                    STYLE(STYLE_DIM));
        return 1;
    }
    draw_span_head(&l, v);
    print_span_times(&l, v);
    of_its_kind(&l, trace, v);
    print_span_links(&l, v, "launched by", EDGE_LAUNCHES, false);
    print_span_links(&l, v, "launches", EDGE_LAUNCHES, true);
    print_span_links(&l, v, "waits for", EDGE_JOINS, false);
    print_span_links(&l, v, "began after", EDGE_DEPENDS, false);
    print_span_links(&l, v, "just after", EDGE_INFERRED, false); /* only the times suggest it */
    print_span_links(&l, v, "awaited by", EDGE_JOINS, true);
    whole_name(&l, v);
    return l.y - r.y;
}
