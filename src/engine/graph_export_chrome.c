/*
 * The trace event format of Chrome and Perfetto: complete events ("X") in microseconds, names of
 * processes and threads ("M"), and arrows along dependencies ("s", "f").
 *   Source: "Trace Event Format", Google, docs in the catapult project; JSON object form.
 * A graph of sums has no starts: its nodes are laid out one after another inside their parent.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/export.h"
#include "engine/graph_export.h"

struct lane {
    int64_t pid, tid;
};

static void text(FILE *out, const char *value)
{
    char *clean = export_utf8(value, strlen(value));
    for (const unsigned char *c = (unsigned char *)clean; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    free(clean);
}

static int64_t id_of(const struct graph *g, uint32_t node)
{
    return g->detail[node] == GRAPH_NONE ? 0 : g->details[g->detail[node]].thread.id;
}

static void name_lane(FILE *out, const char *what, const struct lane *l, const char *name)
{
    fprintf(out,
            ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
            ",\"args\":{\"name\":\"",
            what, l->pid, l->tid);
    text(out, name);
    fputs("\"}}", out);
}

static void print_span(FILE *out, const struct graph *g, uint32_t n, const struct lane *l,
                       uint64_t start, uint64_t base)
{
    char label[512];
    graph_label(g, n, false, label, sizeof label);
    fprintf(out, ",\n{\"ph\":\"X\",\"name\":\"");
    text(out, graph_name(g, n));
    fprintf(out,
            "\",\"cat\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%.3f,\"dur\":%.3f",
            node_kind_name(g->kind[n]), l->pid, l->tid, (double)(start - base) / 1e3,
            (double)g->duration[n] / 1e3);
    fputs(",\"args\":{\"label\":\"", out);
    text(out, label);
    fputs("\"}}", out);
}

static void print_arrows(FILE *out, const struct graph *g, const struct graph_export_options *o,
                         const struct lane *lanes, uint64_t base)
{
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t a = g->edge_from[i], b = g->edge_to[i];
        if (g->edge_kind[i] == EDGE_SEQUENCE || g->start[a] == GRAPH_UNKNOWN ||
            g->duration[a] == GRAPH_UNKNOWN || g->start[b] == GRAPH_UNKNOWN ||
            !graph_below(g, a, o->root) || !graph_below(g, b, o->root))
            continue;
        const char *kind = edge_kind_name(g->edge_kind[i]);
        fprintf(out,
                ",\n{\"ph\":\"s\",\"id\":%" PRIu32
                ",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                ",\"ts\":%.3f}",
                i, kind, kind, lanes[a].pid, lanes[a].tid,
                (double)(g->start[a] + g->duration[a] - base) / 1e3);
        fprintf(out,
                ",\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":%" PRIu32
                ",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                ",\"ts\":%.3f}",
                i, kind, kind, lanes[b].pid, lanes[b].tid, (double)(g->start[b] - base) / 1e3);
    }
}

static uint64_t earliest(const struct graph *g)
{
    uint64_t first = GRAPH_UNKNOWN;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->start[i] < first)
            first = g->start[i];
    return first == GRAPH_UNKNOWN ? 0 : first;
}

/* Where a node of sums begins: where its parent does, after its earlier siblings. */
struct layout {
    uint64_t *start, *used;
};

static uint64_t place(struct layout *l, const struct graph *g, uint32_t n, uint64_t *roots)
{
    uint32_t p = g->parent[n];
    uint64_t *used = p == GRAPH_NONE ? roots : &l->used[p];
    l->start[n] = (p == GRAPH_NONE ? 0 : l->start[p]) + *used;
    *used += g->duration[n] == GRAPH_UNKNOWN ? 0 : g->duration[n];
    return l->start[n];
}

void graph_export_chrome(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0;
    uint64_t base = earliest(g), roots = 0;
    struct layout layout = {xcalloc(g->nnodes + 1u, sizeof(uint64_t)),
                            xcalloc(g->nnodes + 1u, sizeof(uint64_t))};
    struct lane *lanes = xcalloc(g->nnodes + 1u, sizeof *lanes);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"name\":\"trace\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"rooftop\"}}",
          out);
    for (uint32_t n = g->first_root; n != GRAPH_NONE; n = graph_walk(g, n, GRAPH_NONE, &depth)) {
        lanes[n] = g->parent[n] == GRAPH_NONE ? (struct lane){1, 1} : lanes[g->parent[n]];
        if (g->kind[n] == NODE_PROGRAM) {
            lanes[n] = (struct lane){id_of(g, n), id_of(g, n)};
            name_lane(out, "process_name", &lanes[n], graph_name(g, n));
        } else if (g->kind[n] == NODE_THREAD) {
            lanes[n].tid = id_of(g, n);
            name_lane(out, "thread_name", &lanes[n], graph_name(g, n));
        }
        bool measured = g->start[n] != GRAPH_UNKNOWN;
        uint64_t start = place(&layout, g, n, &roots);
        if (g->kind[n] != NODE_PROGRAM && g->kind[n] != NODE_THREAD &&
            g->duration[n] != GRAPH_UNKNOWN && graph_below(g, n, o->root))
            print_span(out, g, n, &lanes[n], measured ? g->start[n] : start, measured ? base : 0);
    }
    print_arrows(out, g, o, lanes, base);
    fputs("\n]}\n", out);
    free(layout.start);
    free(layout.used);
    free(lanes);
}
