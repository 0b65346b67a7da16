#include "export/graph/graph_export.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/code/kernel_brief.h"
#include "export/stacks/export_flame.h"
#include "export/stacks/export_folded.h"
#include "export/stacks/export_pprof.h"
#include "export/stacks/export_speedscope.h"

const struct graph_export graph_exports[] = {
    {"text", .write = graph_export_text},
    {"json", .write = graph_export_json},
    {"csv", .write = graph_export_csv},
    {"dot", .write = graph_export_dot},
    {"chrome", .write = graph_export_chrome},
    {"svg", .write = graph_export_svg, .write_stacks = export_flame},
    {"folded", .write_stacks = export_folded},
    {"speedscope", .write_stacks = export_speedscope},
    {"pprof", .write_stacks = export_pprof},
    {.name = NULL},
};

const struct graph_export *graph_export_find(const char *name)
{
    for (const struct graph_export *e = graph_exports; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

int graph_export_write(const struct graph_export *e, FILE *out, const struct graph *g,
                       const struct graph_export_options *o, struct error *err)
{
    if (!e->write)
        return graph_export_stacks(out, g, o, e->write_stacks, err);
    e->write(out, g, o);
    return 0;
}

uint32_t graph_export_first(const struct graph *g, const struct graph_export_options *o)
{
    return o->root == GRAPH_NONE ? g->first_root : g->first_child[o->root];
}

bool graph_below(const struct graph *g, uint32_t node, uint32_t root)
{
    if (root == GRAPH_NONE)
        return true;
    for (uint32_t i = g->parent[node]; i != GRAPH_NONE; i = g->parent[i])
        if (i == root)
            return true;
    return false;
}

uint32_t graph_walk(const struct graph *g, uint32_t node, uint32_t root, unsigned *depth)
{
    if (g->first_child[node] != GRAPH_NONE) {
        ++*depth;
        return g->first_child[node];
    }
    while (g->next_sibling[node] == GRAPH_NONE) {
        node = g->parent[node];
        if (node == root) /* root may be GRAPH_NONE too */
            return GRAPH_NONE;
        --*depth;
    }
    return g->next_sibling[node];
}

bool *graph_on_path(const struct graph *g, const struct critical_path *p)
{
    if (!p)
        return NULL;
    bool *on = xcalloc(g->nnodes + (size_t)1, sizeof *on);
    for (uint32_t i = 0; i < p->nsteps; i++)
        on[p->steps[i].node] = true;
    return on;
}

struct graph_item graph_export_item(const struct graph *g, const struct graph_export_options *o,
                                    const bool *on)
{
    return (struct graph_item){.g = g,
                               .node = GRAPH_NONE,
                               .root = o->root,
                               .critical = on,
                               .slack = o->path ? o->path->slack : NULL};
}

void graph_export_slack(FILE *out, const struct critical_path *p, const bool *on, uint32_t node)
{
    if (!p)
        return;
    print_json(out, ",\"critical\":%s,\"slack_ns\":", on[node] ? "true" : "false");
    if (p->slack[node] == GRAPH_UNKNOWN)
        fputs("null", out);
    else
        fprintf(out, "%" PRIu64, p->slack[node]);
}

/* --- labels --- */

struct label {
    char *out;
    size_t size, n;
};

static void append_label(struct label *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void append_label(struct label *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = l->n < l->size ? vsnprintf(l->out + l->n, l->size - l->n, fmt, ap) : 0;
    va_end(ap);
    l->n += n > 0 ? (size_t)n : 0;
}

static uint64_t node_calls(const struct graph *g, uint32_t node)
{
    const struct graph_work *w = graph_work_of(g, node);
    return w ? w->count : 1;
}

/* Appends the time of one call; for a sum, the mean. */
static void append_call_time(struct label *l, const struct graph *g, uint32_t node)
{
    char time[VALUE_TEXT_MAX];
    uint64_t n = node_calls(g, node);
    if (g->duration[node] == GRAPH_UNKNOWN || n == 0)
        append_label(l, "  n/a");
    else
        append_label(l, "  %s", value_time((double)g->duration[node] / (double)n, true, time));
}

static void put_kernel(struct label *l, const struct graph *g, uint32_t node)
{
    const struct graph_detail *d = &g->details[g->detail[node]];
    char launch[LAUNCH_TEXT], bytes[VALUE_TEXT_MAX];
    append_label(l, "  %s", value_launch(d->kernel.grid, d->kernel.block, launch));
    append_label(l, ", smem %s",
                 value_text((double)d->kernel.shared_bytes, UNIT_BYTES, true, bytes));
}

static void put_transfer(struct label *l, const struct graph *g, uint32_t node, bool ascii)
{
    const struct graph_detail *d = &g->details[g->detail[node]];
    const char *from = d->transfer.from == GRAPH_NONE ? "?" : graph_text(g, d->transfer.from);
    const char *to = d->transfer.to == GRAPH_NONE ? "?" : graph_text(g, d->transfer.to);
    char bytes[VALUE_TEXT_MAX];
    append_label(l, ": %s %s %s", from, ascii ? "->" : "→", to);
    if (d->transfer.bytes == GRAPH_UNKNOWN)
        append_label(l, "  n/a");
    else
        append_label(l, "  %s", value_text((double)d->transfer.bytes, UNIT_BYTES, true, bytes));
}

static void put_task(struct label *l, const struct graph *g, uint32_t node)
{
    char time[VALUE_TEXT_MAX];
    const struct graph_detail *d = &g->details[g->detail[node]];
    uint64_t polls = d->task.polls;
    double done = polls ? 100.0 * (double)(polls - d->task.yields) / (double)polls : 0;
    append_label(l, "  polls:%" PRIu64 " yields:%" PRIu64 " %s (%.0f %% eff)", polls,
                 d->task.yields, value_time((double)d->task.poll_ns, true, time), done);
}

static uint64_t count_call_elements(const struct graph *g, uint32_t node)
{
    const struct graph_work *w = graph_work_of(g, node);
    if (w)
        return w->count ? graph_extra_of(g, node)->elements / w->count : 0;
    return g->kind[node] == NODE_BRICK && g->detail[node] != GRAPH_NONE
               ? g->details[g->detail[node]].brick.elements
               : 0;
}

static void put_function(struct label *l, const struct graph *g, uint32_t node)
{
    const struct graph_detail *d = &g->details[g->detail[node]];
    if (d->function.file != GRAPH_NONE)
        append_label(l, " (%s:%u)", graph_text(g, d->function.file), d->function.line);
}

enum { NAME_CELLS = 96, NAME_BYTES = 512 }; /* a kernel's name is shortened to this */

static void write_label(const struct graph *g, uint32_t node, bool ascii, char *out, size_t size)
{
    bool detail = g->detail[node] != GRAPH_NONE;
    struct label l = {out, size, 0};
    char name[NAME_BYTES], time[VALUE_TEXT_MAX];
    append_label(
        &l, "%s",
        g->kind[node] == NODE_KERNEL && g->briefs
            ? briefs_fit(g->briefs, graph_name(g, node), NAME_CELLS, ascii, name, sizeof name)
            : graph_name(g, node));
    switch (g->kind[node]) {
    case NODE_BRICK:
        append_call_time(&l, g, node);
        if (count_call_elements(g, node))
            append_label(&l, " (%" PRIu64 " elem)", count_call_elements(g, node));
        break;
    case NODE_KERNEL:
        if (detail)
            put_kernel(&l, g, node);
        break;
    case NODE_TRANSFER:
        if (detail)
            put_transfer(&l, g, node, ascii);
        if (g->duration[node] != GRAPH_UNKNOWN)
            append_label(&l, "  %s", value_time((double)g->duration[node], ascii, time));
        break;
    case NODE_FUNCTION:
        if (detail)
            put_function(&l, g, node);
        break;
    case NODE_TASK:
        if (detail)
            put_task(&l, g, node);
        return;
    default:
        break;
    }
    if (g->kind[node] != NODE_PROGRAM && g->kind[node] != NODE_TRANSFER && node_calls(g, node) > 1)
        append_label(&l, " %s%" PRIu64, ascii ? "x" : "×", node_calls(g, node));
}

void graph_label(const struct graph *g, uint32_t node, bool ascii, char *out, size_t size)
{
    write_label(g, node, ascii, out, size);
    text_whole(out);
}
