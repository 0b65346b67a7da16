#include "export/path/path_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"
#include "base/print.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/graph/graph_export.h"
#include "export/path/path_export_impl.h"

#define LIST_ROW   struct path_step
#define LIST_FILE  "export/path/path_step_fields.def"
#define LIST_TABLE path_step_fields
#include "engine/value/list_field_table.h"

const struct path_export path_exports[] = {
    {"text", path_export_text}, {"json", path_export_json}, {"csv", path_export_csv},
    {"dot", path_export_dot},   {"svg", path_export_svg},   {0},
};

const struct path_export *path_export_find(const char *name)
{
    for (const struct path_export *e = path_exports; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

const struct critical_path *path_shown(const struct path_document *d)
{
    return d->what_if ? &d->what_if->path : d->path;
}

/* --- slack --- */

/* A flag for each node that is on the path or contains such a node. The caller frees it. */
static bool *path_nodes(const struct graph *g, const struct critical_path *p)
{
    bool *on = xcalloc(g->nnodes + 1u, sizeof *on);
    for (uint32_t i = 0; i < p->nsteps; i++)
        for (uint32_t n = p->steps[i].node; n != GRAPH_NONE && !on[n]; n = g->parent[n])
            on[n] = true;
    return on;
}

uint32_t path_count_nodes(const struct graph *g, const struct critical_path *p)
{
    bool *seen = xcalloc(g->nnodes + 1u, sizeof *seen);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        n += !seen[p->steps[i].node];
        seen[p->steps[i].node] = true;
    }
    free(seen);
    return n;
}

static const struct graph *sorting;

/* Orders equal slack by start, duration and name, so that the result does not depend on the order
 * of the nodes in a file. */
static int compare_path_slack(const void *a, const void *b)
{
    const struct path_slack *x = a, *y = b;
    const struct graph *g = sorting;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (g->start[x->node] != g->start[y->node])
        return g->start[x->node] < g->start[y->node] ? -1 : 1;
    if (g->duration[x->node] != g->duration[y->node])
        return g->duration[x->node] > g->duration[y->node] ? -1 : 1;
    int c = strcmp(graph_name(g, x->node), graph_name(g, y->node));
    return c ? c : order_uint32(&x->node, &y->node);
}

/* Spans with slack: work that could overlap with other work. */
uint32_t path_most_slack(const struct graph *g, const struct critical_path *p,
                         struct path_slack **out)
{
    bool *on = path_nodes(g, p);
    struct path_slack *s = xcalloc(g->nnodes + 1u, sizeof *s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (!on[i] && p->slack[i] != GRAPH_UNKNOWN && p->slack[i] > 0 &&
            g->duration[i] != GRAPH_UNKNOWN && g->duration[i] > 0)
            s[n++] = (struct path_slack){p->slack[i], i};
    sorting = g;
    qsort(s, n, sizeof *s, compare_path_slack);
    free(on);
    *out = s;
    return n;
}

static int by_extent(const void *a, const void *b)
{
    const struct path_beside *x = a, *y = b;
    const uint64_t nx = x->to - x->from, ny = y->to - y->from;
    if (nx != ny)
        return nx > ny ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

uint32_t path_lanes_beside(const struct graph *g, const struct critical_path *p,
                           struct path_beside **out)
{
    bool *on = path_nodes(g, p);
    struct path_beside *lanes = xcalloc(g->nnodes + 1u, sizeof *lanes), *to = lanes;
    uint32_t *lane = xcalloc(g->nnodes + 1u, sizeof *lane); /* the lane of each node */
    for (uint32_t v = 0; v < g->nnodes; v++) {              /* parents come before children */
        bool own = graph_is_lane(g, v) || g->parent[v] == GRAPH_NONE;
        lane[v] = own ? v : lane[g->parent[v]];
        struct path_beside *l = &lanes[lane[v]];
        if (v == lane[v] || !graph_has_time(g, v))
            continue;
        const uint64_t end = g->start[v] + g->duration[v];
        l->from = l->spans == 0 || g->start[v] < l->from ? g->start[v] : l->from;
        l->to = end > l->to ? end : l->to;
        l->spans++;
    }
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (graph_is_lane(g, v) && lanes[v].spans && !on[v]) {
            *to = lanes[v];
            to->lane = v;
            to++;
        }
    }
    qsort(lanes, (size_t)(to - lanes), sizeof *lanes, by_extent);
    free(lane);
    free(on);
    *out = lanes;
    return (uint32_t)(to - lanes);
}

void path_export_csv(FILE *out, const struct path_document *d)
{
    const struct graph *g = d->trace->calls;
    const struct critical_path *p = path_shown(d);
    const struct list_field *columns[FIELDS_MAX];
    const int n = list_fields(path_step_fields, FIELD_CSV, columns);
    list_fields_csv_head(out, columns, n);
    fputs("\r\n", out);
    bool *seen = xcalloc(g->nnodes + (size_t)1, sizeof *seen);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct path_step step = path_step_at(d->trace, p, i, seen);
        list_fields_csv_row(out, columns, n, &step);
        fputs("\r\n", out);
    }
    free(seen);
}

void path_export_dot(FILE *out, const struct path_document *d)
{
    const struct graph *g = d->trace->calls;
    const struct critical_path *p = path_shown(d);
    bool *on = path_nodes(g, p);
    fputs("digraph CriticalPath {\n  rankdir=LR;\n  node [shape=box];\n\n", out);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        char label[512];
        graph_label(g, i, false, label, sizeof label);
        print_dot(out, "  n%u [label=\"%s\"%s];\n", i, label, on[i] ? ",color=red,penwidth=2" : "");
    }
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->parent[i] != GRAPH_NONE)
            fprintf(out, "  n%u -> n%u [style=dashed];\n", g->parent[i], i);
    for (uint32_t i = 0; i < g->nedges; i++)
        print_dot(out, "  n%u -> n%u%s;\n", g->edge_from[i], g->edge_to[i],
                  g->edge_kind[i] == EDGE_INFERRED ? " [style=dotted,label=inferred]" : "");
    for (uint32_t i = 0; i + 1 < p->nsteps; i++)
        fprintf(out, "  n%u -> n%u [color=red,penwidth=2,constraint=false];\n", p->steps[i].node,
                p->steps[i + 1].node);
    fputs("}\n", out);
    free(on);
}

/* --- transfers --- */

/* The host memory of a transfer, which transfers in both directions have. */
static uint32_t host_memory_of(const struct graph *g, uint32_t node)
{
    const struct graph_detail *d = &g->details[g->detail[node]];
    return d->transfer.direction == 0 ? d->transfer.from : d->transfer.to;
}

struct transfer {
    uint32_t memory, node;
    uint64_t start;
};

static int by_memory(const void *a, const void *b)
{
    const struct transfer *x = a, *y = b;
    if (x->memory != y->memory)
        return x->memory < y->memory ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool undoes_transfer(const struct graph *g, uint32_t a, uint32_t b)
{
    const struct graph_detail *x = &g->details[g->detail[a]], *y = &g->details[g->detail[b]];
    return x->transfer.direction + y->transfer.direction == 1 &&
           x->transfer.bytes == y->transfer.bytes && x->transfer.from == y->transfer.to &&
           x->transfer.to == y->transfer.from;
}

size_t graph_ping_pong(const struct graph *g, struct ping_pong *out, size_t max)
{
    struct transfer *t = xcalloc(g->nnodes + 1u, sizeof *t);
    size_t n = 0, found = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->kind[i] == NODE_TRANSFER && g->detail[i] != GRAPH_NONE)
            t[n++] = (struct transfer){host_memory_of(g, i), i, g->start[i]};
    qsort(t, n, sizeof *t, by_memory);
    for (size_t i = 1; i < n; i++)
        if (t[i].memory == t[i - 1].memory && undoes_transfer(g, t[i - 1].node, t[i].node)) {
            if (found < max)
                out[found] = (struct ping_pong){t[i - 1].node, t[i].node};
            found++;
        }
    free(t);
    return found;
}
