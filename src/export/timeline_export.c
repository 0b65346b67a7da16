/* Spans of a timeline in CSV and JSON. */
#include "export/timeline_export.h"

#include <inttypes.h>

#include "base/print.h"
#include "engine/graph/graph_syscalls.h"
#include "export/left_out_json.h"
#include "engine/value/document.h"

void timeline_export_each(const struct timeline_export *e,
                          void (*each)(void *ctx, uint32_t lane, uint32_t row, uint32_t node),
                          void *ctx)
{
    const struct timeline *t = e->t;
    for (uint32_t l = 0; l < t->nlanes; l++)
        for (uint32_t r = t->lanes[l].first_row; r < t->lanes[l].first_row + t->lanes[l].nrows;
             r++) {
            uint32_t i = timeline_lower(t, r, e->from), end = t->row_first[r + 1];
            if (i > t->row_first[r] && timeline_end(t->calls, t->spans[i - 1]) > e->from)
                i--; /* the previous span begins earlier and reaches into the window */
            /* a span of length 0 at the very end of the timeline belongs to the last window */
            for (; i < end && (t->calls->start[t->spans[i]] < e->to || e->to >= t->to); i++)
                if (!e->names || e->names->hit[t->calls->name[t->spans[i]]])
                    each(ctx, l, r - t->lanes[l].first_row, t->spans[i]);
        }
}

struct document {
    FILE *out;
    const struct timeline_export *e;
    bool any;
};

/* The system calls inside a span; NULL if they were not traced, or the span is a call itself. */
static const struct call_sum *span_calls_of(const struct graph *g, uint32_t v)
{
    return g->syscalls && v < g->syscalls->nnodes ? graph_syscalls_of(g, v) : NULL;
}

static void csv_calls(FILE *out, const struct call_sum *s)
{
    if (s)
        print_csv(out,
                  ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s",
                  s->n.calls, s->n.errors, s->n.ns, s->n.read, s->n.written, s->most_ns,
                  s->most_in ? s->most_in : "");
    else
        fputs(",,,,,,,", out);
}

static void json_calls(FILE *out, const struct call_sum *s)
{
    if (!s)
        return;
    print_json(out,
               ",\"syscalls\":%" PRIu64 ",\"syscall_errors\":%" PRIu64 ",\"syscalls_ns\":%" PRIu64
               ",\"read_bytes\":%" PRIu64 ",\"written_bytes\":%" PRIu64 ",\"most_ns\":%" PRIu64,
               s->n.calls, s->n.errors, s->n.ns, s->n.read, s->n.written, s->most_ns);
    if (s->most_in)
        print_json(out, ",\"most_in\":\"%s\"", s->most_in);
}

static void write_timeline_csv_row(void *ctx, uint32_t lane, uint32_t row, uint32_t v)
{
    struct document *d = ctx;
    const struct timeline *t = d->e->t;
    const struct graph *g = t->calls;
    print_csv_quoted(d->out, timeline_group_name(t, t->lanes[lane].group));
    fputc(',', d->out);
    print_csv_quoted(d->out, timeline_lane_name(t, lane));
    print_csv(d->out, ",%" PRIu32 ",%" PRIu32 ",%s,", row, v, timeline_kind_name(g, v));
    print_csv_quoted(d->out, graph_name(g, v));
    fprintf(d->out, ",%" PRIu64 ",%" PRIu64 ",%d,", g->start[v] - t->from,
            timeline_end(g, v) - g->start[v], timeline_is_critical(t, v));
    if (t->way->slack[v] != GRAPH_UNKNOWN)
        fprintf(d->out, "%" PRIu64, t->way->slack[v]);
    csv_calls(d->out, span_calls_of(g, v));
    fputs("\r\n", d->out);
}

void timeline_export_csv(FILE *out, const struct timeline_export *e)
{
    struct document d = {out, e, false};
    fputs("program,lane,row,node,kind,name,start_ns,duration_ns,critical,slack_ns,syscalls,"
          "syscall_errors,syscalls_ns,read_bytes,written_bytes,most_ns,most_in\r\n",
          out);
    timeline_export_each(e, write_timeline_csv_row, &d);
}

static void json_span(void *ctx, uint32_t lane, uint32_t row, uint32_t v)
{
    struct document *d = ctx;
    const struct timeline *t = d->e->t;
    const struct graph *g = t->calls;
    print_json(d->out,
               "%s\n{\"lane\":%" PRIu32 ",\"row\":%" PRIu32 ",\"node\":%" PRIu32
               ",\"kind\":\"%s\",\"name\":",
               d->any ? "," : "", lane, row, v, timeline_kind_name(g, v));
    print_json_quoted(d->out, graph_name(g, v));
    print_json(d->out,
               ",\"start_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64
               ",\"critical\":%s,\"slack_ns\":",
               g->start[v] - t->from, timeline_end(g, v) - g->start[v],
               timeline_is_critical(t, v) ? "true" : "false");
    if (t->way->slack[v] != GRAPH_UNKNOWN)
        fprintf(d->out, "%" PRIu64, t->way->slack[v]);
    else
        fputs("null", d->out);
    json_calls(d->out, span_calls_of(g, v));
    fputc('}', d->out);
    d->any = true;
}

enum { ARROWS = 256 }; /* limit of arrows to one span */

static void json_links(void *ctx, uint32_t lane, uint32_t row, uint32_t v)
{
    struct document *d = ctx;
    struct timeline_arrow arrows[ARROWS];
    const uint32_t n = timeline_arrows(d->e->t, v, false, arrows, ARROWS);
    (void)lane;
    (void)row;
    for (uint32_t i = 0; i < n; i++) {
        print_json(d->out, "%s\n{\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"kind\":\"%s\"}",
                   d->any ? "," : "", arrows[i].from, v,
                   edge_kind_name((enum edge_kind)arrows[i].kind));
        d->any = true;
    }
}

void timeline_export_json(FILE *out, const struct timeline_export *e)
{
    const struct timeline *t = e->t;
    struct document d = {out, e, false};
    fprintf(out,
            "{\"schema\":\"rooftop.timeline/1\",\"begin_ns\":%" PRIu64 ",\"length_ns\":%" PRIu64
            ",\"from_ns\":%" PRIu64 ",\"to_ns\":%" PRIu64 ",\"untimed\":%" PRIu32,
            t->from, t->to - t->from, e->from - t->from, e->to - t->from, t->untimed);
    left_out_json_write(out, e->trace);
    fputs(",\"lanes\":[", out);
    for (uint32_t l = 0; l < t->nlanes; l++) {
        print_json(out, "%s\n{\"program\":", l ? "," : "");
        print_json_quoted(out, timeline_group_name(t, t->lanes[l].group));
        fputs(",\"name\":", out);
        print_json_quoted(out, timeline_lane_name(t, l));
        print_json(out, ",\"kind\":\"%s\",\"rows\":%" PRIu32 ",\"spans\":%" PRIu32 "}",
                   t->lanes[l].node == GRAPH_NONE ? "outside"
                                                  : timeline_kind_name(t->calls, t->lanes[l].node),
                   t->lanes[l].nrows, t->lanes[l].nspans);
    }
    fputs("\n],\"spans\":[", out);
    timeline_export_each(e, json_span, &d);
    fputs("\n],\"links\":[", out);
    d.any = false;
    timeline_export_each(e, json_links, &d);
    fputs("\n]}\n", out);
}
