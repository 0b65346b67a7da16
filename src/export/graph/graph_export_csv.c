/* One row for each node (RFC 4180). An unknown value is an empty field. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "export/graph/graph_export.h"

static void print_count(FILE *out, uint64_t v, bool known)
{
    if (known && v != GRAPH_UNKNOWN)
        fprintf(out, ",%" PRIu64, v);
    else
        fputc(',', out);
}

static void print_row(FILE *out, const struct graph *g, uint32_t n, unsigned depth,
                      const struct graph_export_options *o, const bool *on)
{
    uint32_t root = o->root;
    const struct graph_work none = {0}, *own = graph_work_of(g, n), *w = own ? own : &none;
    bool sums = own;
    fprintf(out, "%" PRIu32, n);
    print_count(out, g->parent[n], g->parent[n] != root && g->parent[n] != GRAPH_NONE);
    print_csv(out, ",%u,%s,%s,", depth, node_kind_name(g->kind[n]),
              g->kind[n] == NODE_BRICK ? node_category_name(g->category[n]) : "");
    print_csv_quoted(out, graph_name(g, n));
    print_count(out, sums ? w->count : 1, sums || g->start[n] != GRAPH_UNKNOWN);
    print_count(out, g->duration[n], true);
    print_count(out, graph_self(g, n), g->duration[n] != GRAPH_UNKNOWN);
    csv_write_number(out, graph_mean(g, n));
    print_count(out, w->min, sums && w->count);
    print_count(out, w->max, sums && w->count);
    csv_write_number(out, graph_deviation(g, n));
    csv_write_number(out, graph_quantile(g, n, 0.5));
    csv_write_number(out, graph_quantile(g, n, 0.95));
    csv_write_number(out, graph_quantile(g, n, 0.99));
    const struct graph_extra *x = graph_extra_of(g, n);
    /* 0 means that the program did not say, not that there were none */
    print_count(out, x->elements, x->elements > 0);
    print_count(out, x->bytes, x->bytes > 0);
    print_count(out, x->flops, x->flops > 0);
    print_count(out, x->budget, x->budget > 0);
    print_count(out, g->start[n], true);
    if (o->path) {
        fprintf(out, ",%d", on[n]);
        print_count(out, o->path->slack[n], true);
    }
    fputs("\r\n", out);
}

void graph_export_csv(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0;
    bool *on = graph_on_path(g, o->path);
    fputs(
        "id,parent,depth,kind,category,name,count,total_ns,self_ns,mean_ns,min_ns,max_ns,stddev_ns,"
        "p50_ns,p95_ns,p99_ns,elements,bytes,flops,budget_ns,start_ns",
        out);
    fputs(o->path ? ",critical,slack_ns\r\n" : "\r\n", out);
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;) {
        print_row(out, g, n, depth, o, on);
        n = graph_walk(g, n, o->root, &depth);
    }
    free(on);
}
