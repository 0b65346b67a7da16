/* The graph as one JSON document, schema "rooftop.tree/1": docs/TREE.md. Nodes are a flat list in
 * order, each with the index of its parent, so that a reader needs no recursion. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "export/graph/graph_export.h"

static void put_count(FILE *out, const char *key, uint64_t v)
{
    if (v == GRAPH_UNKNOWN)
        print_json(out, ",\"%s\":null", key);
    else
        print_json(out, ",\"%s\":%" PRIu64, key, v);
}

static void put_detail(FILE *out, const struct graph *g, uint32_t n)
{
    const struct graph_detail *d = &g->details[g->detail[n]];
    switch (g->kind[n]) {
    case NODE_KERNEL:
        fprintf(out,
                ",\"hash\":\"%016" PRIx64 "\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],"
                "\"shared_bytes\":%u",
                d->kernel.hash, d->kernel.grid[0], d->kernel.grid[1], d->kernel.grid[2],
                d->kernel.block[0], d->kernel.block[1], d->kernel.block[2], d->kernel.shared_bytes);
        break;
    case NODE_TRANSFER:
        fputs(",\"from\":", out);
        print_json_quoted(out,
                          d->transfer.from == GRAPH_NONE ? "" : graph_text(g, d->transfer.from));
        fputs(",\"to\":", out);
        print_json_quoted(out, d->transfer.to == GRAPH_NONE ? "" : graph_text(g, d->transfer.to));
        put_count(out, "transfer_bytes", d->transfer.bytes);
        break;
    case NODE_FUNCTION:
        if (d->function.file != GRAPH_NONE) {
            fputs(",\"file\":", out);
            print_json_quoted(out, graph_text(g, d->function.file));
            fprintf(out, ",\"line\":%u", d->function.line);
        }
        break;
    case NODE_TASK:
        put_count(out, "polls", d->task.polls);
        put_count(out, "yields", d->task.yields);
        break;
    case NODE_BACKEND:
        json_write_number(out, "peak_flops",
                          d->backend.peak_flops > 0 ? d->backend.peak_flops : NAN);
        json_write_number(out, "peak_bytes",
                          d->backend.peak_bytes > 0 ? d->backend.peak_bytes : NAN);
        fputs(",\"peaks_from\":", out);
        print_json_quoted(out, d->backend.how == GRAPH_NONE ? "" : graph_text(g, d->backend.how));
        break;
    default:
        break;
    }
}

/* 0 means that the program did not say. */
static uint64_t told(uint64_t v)
{
    return v ? v : GRAPH_UNKNOWN;
}

static void sums(FILE *out, const struct graph *g, uint32_t n)
{
    const struct graph_work *w = graph_work_of(g, n);
    put_count(out, "count", w->count);
    put_count(out, "self_ns", graph_self(g, n));
    json_write_number(out, "mean_ns", graph_mean(g, n));
    put_count(out, "min_ns", w->min);
    put_count(out, "max_ns", w->max);
    json_write_number(out, "stddev_ns", graph_deviation(g, n));
    json_write_number(out, "p50_ns", graph_quantile(g, n, 0.5));
    json_write_number(out, "p95_ns", graph_quantile(g, n, 0.95));
    json_write_number(out, "p99_ns", graph_quantile(g, n, 0.99));
    const struct graph_extra *x = graph_extra_of(g, n);
    put_count(out, "elements", told(x->elements));
    put_count(out, "declared_bytes", told(x->bytes));
    put_count(out, "declared_flops", told(x->flops));
    if (x->budget) {
        put_count(out, "budget_ns", x->budget);
        print_json(out, ",\"over_budget\":%s",
                   graph_mean(g, n) > (double)x->budget ? "true" : "false");
    }
}

static void node(FILE *out, const struct graph *g, uint32_t n, const struct graph_export_options *o,
                 const bool *on)
{
    uint32_t root = o->root;
    fprintf(out, "{\"id\":%" PRIu32 ",\"parent\":", n);
    if (g->parent[n] == root || g->parent[n] == GRAPH_NONE)
        fputs("null", out);
    else
        print_json(out, "%" PRIu32 ",\"via\":\"%s\"", g->parent[n], edge_kind_name(g->via[n]));
    print_json(out, ",\"kind\":\"%s\",\"name\":", node_kind_name(g->kind[n]));
    print_json_quoted(out, graph_name(g, n));
    if (g->kind[n] == NODE_BRICK)
        print_json(out, ",\"category\":\"%s\"", node_category_name(g->category[n]));
    put_count(out, "duration_ns", g->duration[n]);
    if (g->start[n] != GRAPH_UNKNOWN)
        put_count(out, "start_ns", g->start[n]);
    if (g->flags[n] & NODE_DEVICE_TIME)
        fputs(",\"clock\":\"device\"", out);
    if (graph_work_of(g, n))
        sums(out, g, n);
    if (g->detail[n] != GRAPH_NONE)
        put_detail(out, g, n);
    graph_export_slack(out, o->path, on, n);
    fputc('}', out);
}

void graph_export_json(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0;
    bool first = true, *on = graph_on_path(g, o->path);
    fputs("{\"schema\":\"rooftop.tree/1\",", out);
    if (o->path)
        fprintf(out, "\"path_ns\":%" PRIu64 ",", o->path->length);
    fputs("\"nodes\":[", out);
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;
         n = graph_walk(g, n, o->root, &depth)) {
        fputs(first ? "\n" : ",\n", out);
        node(out, g, n, o, on);
        first = false;
    }
    free(on);
    fputs("\n],\"edges\":[", out);
    first = true;
    for (uint32_t i = 0; i < g->nedges; i++) {
        if (!graph_below(g, g->edge_from[i], o->root) || !graph_below(g, g->edge_to[i], o->root))
            continue;
        print_json(out, "%s\n{\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"kind\":\"%s\"}",
                   first ? "" : ",", g->edge_from[i], g->edge_to[i],
                   edge_kind_name(g->edge_kind[i]));
        first = false;
    }
    fputs("\n]}\n", out);
}
