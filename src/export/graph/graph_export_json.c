/* The graph as one JSON document, schema "rooftop.tree/2": docs/TREE.md. Nodes are a flat list in
 * order, each with the index of its parent, so that a reader needs no recursion. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/print.h"
#include "engine/graph/graph_clocks.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/left_out_json.h"
#include "export/graph/graph_export.h"

static void put_graph_count(FILE *out, const char *key, uint64_t v)
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
        put_graph_count(out, "transfer_bytes", d->transfer.bytes);
        break;
    case NODE_FUNCTION:
        if (d->function.file != GRAPH_NONE) {
            fputs(",\"file\":", out);
            print_json_quoted(out, graph_text(g, d->function.file));
            fprintf(out, ",\"line\":%u", d->function.line);
        }
        break;
    case NODE_TASK:
        put_graph_count(out, "polls", d->task.polls);
        put_graph_count(out, "yields", d->task.yields);
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

static void write_json_node(FILE *out, const struct list_members *members,
                            const struct graph_item *r)
{
    const struct graph *g = r->g;
    const struct graph_extra *x = graph_extra_of(g, r->node);
    fputc('{', out);
    list_fields_json_write(out, members, r, 1, GRAPH_OF_ALL);
    if (graph_work_of(g, r->node)) {
        list_fields_json_write(out, members, r, GRAPH_OF_ALL + 1, GRAPH_OF_SUMS);
        if (x->budget)
            print_json(out, ",\"over_budget\":%s",
                       graph_mean(g, r->node) > (double)x->budget ? "true" : "false");
        graph_export_counts_json(out, g->counters, graph_counts_of(g, r->node));
    }
    const struct graph_clock clock = graph_clock_of(g, r->node);
    if (g->detail[r->node] != GRAPH_NONE)
        put_detail(out, g, r->node);
    if (clock.entry)
        print_json(out, ",\"lamport\":[%" PRIu64 ",%" PRIu64 "]", clock.entry, clock.returned);
    if (r->slack)
        list_fields_json_write(out, members, r, GRAPH_OF_SUMS + 1, UINT8_MAX);
    fputc('}', out);
}

static void put_edge(FILE *out, const struct graph *g, uint32_t i, bool first)
{
    char from[32], to[32];
    fputs(first ? "\n{\"from\":" : ",\n{\"from\":", out);
    fputs(whole_text(g->edge_from[i], from), out); /* raw: digits */
    fputs(",\"to\":", out);
    fputs(whole_text(g->edge_to[i], to), out); /* raw: digits */
    fputs(",\"kind\":", out);
    print_json_quoted(out, edge_kind_name(g->edge_kind[i]));
    fputc('}', out);
}

static void put_call_count(FILE *out, const char *name, const struct call_count *n)
{
    print_json(out,
               "\"%s\":{\"syscalls\":%" PRIu64 ",\"syscall_errors\":%" PRIu64
               ",\"syscalls_ns\":%" PRIu64 ",\"read_bytes\":%" PRIu64 ",\"written_bytes\":%" PRIu64
               "},",
               name, n->calls, n->errors, n->ns, n->read, n->written);
}

void graph_export_json(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    bool first = true, *on = graph_on_path(g, o->path);
    struct graph_item item = graph_export_item(g, o, on);
    struct list_members members;
    list_members(&members, graph_fields);
    fputs("{\"schema\":\"rooftop.tree/2\"", out);
    left_out_json_write(out, o->trace);
    fputc(',', out);
    if (o->path)
        fprintf(out, "\"path_ns\":%" PRIu64 ",", o->path->length);
    if (g->syscalls) {
        put_call_count(out, "syscalls", &g->syscalls->total);
        put_call_count(out, "elsewhere", &g->syscalls->elsewhere);
        fprintf(out, "\"outlasting\":%" PRIu64 ",\"dropped_syscalls\":%" PRIu64 ",",
                g->syscalls->outlasting, g->syscalls->dropped);
    }
    graph_export_counters_json(out, g->counters);
    fputs("\"nodes\":[", out);
    for (item.node = graph_export_first(g, o); item.node != GRAPH_NONE;
         item.node = graph_walk(g, item.node, o->root, &item.depth)) {
        fputs(first ? "\n" : ",\n", out);
        write_json_node(out, &members, &item);
        first = false;
    }
    free(on);
    fputs("\n],\"edges\":[", out);
    first = true;
    for (uint32_t i = 0; i < g->nedges; i++) {
        if (!graph_below(g, g->edge_from[i], o->root) || !graph_below(g, g->edge_to[i], o->root))
            continue;
        put_edge(out, g, i, first);
        first = false;
    }
    fputs("\n]}\n", out);
}
