#include "engine/path_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/export.h"
#include "engine/graph_export.h"
#include "engine/path_shares.h"

enum { STEPS_SHOWN = 200, SLACK_SHOWN = 10, NAMES_SHOWN = 20, PING_PONGS_SHOWN = 10 };

/* --- by name --- */

struct share {
    uint32_t name;
    uint8_t kind;
    uint64_t length;
    uint32_t steps;
};

static int by_length(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    return x->length != y->length ? (x->length > y->length ? -1 : 1)
                                  : (x->name < y->name ? -1 : x->name > y->name);
}

static uint32_t sum_by_name(const struct graph *g, const struct critical_path *p,
                            struct share **out)
{
    struct share *s = xcalloc(g->nnames + 1u, sizeof *s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        uint32_t node = p->steps[i].node;
        struct share *one = &s[g->name[node] < g->nnames ? g->name[node] : g->nnames];
        one->name = g->name[node];
        one->kind = g->kind[node];
        one->length += p->steps[i].length;
        one->steps++;
    }
    for (uint32_t i = 0; i <= g->nnames; i++)
        if (s[i].steps)
            s[n++] = s[i];
    qsort(s, n, sizeof *s, by_length);
    *out = s;
    return n;
}

static void print_shares(FILE *out, const struct graph *g, const struct critical_path *p)
{
    struct share *s;
    uint32_t n = sum_by_name(g, p, &s);
    fputs("\nOn the path, own time by name:\n", out);
    for (uint32_t i = 0; i < n && i < NAMES_SHOWN; i++)
        fprintf(out, "  %5.1f %%  %12.1f us  %6u x  %-8s %s\n",
                p->length ? 100.0 * (double)s[i].length / (double)p->length : 0,
                (double)s[i].length / 1e3, s[i].steps, node_kind_name(s[i].kind),
                graph_text(g, s[i].name));
    if (n > NAMES_SHOWN)
        fprintf(out, "  ... and %u names more\n", n - NAMES_SHOWN);
    free(s);
}

/* --- slack --- */

static bool *on_path(const struct graph *g, const struct critical_path *p)
{
    bool *on = xcalloc(g->nnodes + 1u, sizeof *on);
    for (uint32_t i = 0; i < p->nsteps; i++)
        for (uint32_t n = p->steps[i].node; n != GRAPH_NONE && !on[n]; n = g->parent[n])
            on[n] = true;
    return on;
}

struct slack {
    uint64_t ns;
    uint32_t node;
};

static int by_slack(const void *a, const void *b)
{
    const struct slack *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : (x->node < y->node ? -1 : x->node > y->node);
}

/* Spans with room beside the path: the ones that could run while something else does. */
static uint32_t most_slack(const struct graph *g, const struct critical_path *p, struct slack **out)
{
    bool *on = on_path(g, p);
    struct slack *s = xcalloc(g->nnodes + 1u, sizeof *s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (!on[i] && p->slack[i] != GRAPH_UNKNOWN && p->slack[i] > 0 &&
            g->duration[i] != GRAPH_UNKNOWN && g->duration[i] > 0)
            s[n++] = (struct slack){p->slack[i], i};
    qsort(s, n, sizeof *s, by_slack);
    free(on);
    *out = s;
    return n;
}

static void print_slack(FILE *out, const struct graph *g, const struct critical_path *p)
{
    struct slack *s;
    uint32_t n = most_slack(g, p, &s);
    fputs("\nBeside the path, most slack first (what can run in parallel):\n", out);
    for (uint32_t i = 0; i < n && i < SLACK_SHOWN; i++)
        fprintf(out, "  slack %12.1f us  takes %12.1f us  %-8s %s\n", (double)s[i].ns / 1e3,
                (double)g->duration[s[i].node] / 1e3, node_kind_name(g->kind[s[i].node]),
                graph_name(g, s[i].node));
    if (n == 0)
        fputs("  nothing: every span is on the path\n", out);
    else if (n > SLACK_SHOWN)
        fprintf(out, "  ... and %u spans more\n", n - SLACK_SHOWN);
    free(s);
}

static void print_ping_pongs(FILE *out, const struct graph *g)
{
    struct ping_pong found[PING_PONGS_SHOWN];
    size_t n = graph_ping_pong(g, found, PING_PONGS_SHOWN);
    if (n == 0)
        return;
    fprintf(out, "\nTransfers undone by the next one of the same memory: %zu\n", n);
    for (size_t i = 0; i < n && i < PING_PONGS_SHOWN; i++) {
        char a[256], b[256];
        graph_label(g, found[i].first, true, a, sizeof a);
        graph_label(g, found[i].second, true, b, sizeof b);
        fprintf(out, "  %s, then %s\n", a, b);
    }
}

void path_export_text(FILE *out, const struct graph *g, const struct critical_path *p, bool ascii)
{
    uint64_t wall = path_wall(g);
    fprintf(out, "Critical Path: %.2fms (%u nodes)", (double)p->length / 1e6, p->nsteps);
    if (wall)
        fprintf(out, ", %.1f %% of %.2fms measured", 100.0 * (double)p->length / (double)wall,
                (double)wall / 1e6);
    fputc('\n', out);
    for (int i = 0; i < 50; i++)
        fputs(ascii ? "-" : "─", out);
    fputc('\n', out);
    if (p->ncyclic)
        fprintf(out, "%u nodes are left out: their dependencies go round in a circle (%s)\n",
                p->ncyclic, graph_name(g, p->first_cyclic));
    for (uint32_t i = 0; i < p->nsteps && i < STEPS_SHOWN; i++) {
        const char *glyph = i == 0               ? (ascii ? "," : "┌")
                            : i + 1 == p->nsteps ? (ascii ? "`" : "└")
                                                 : (ascii ? "|" : "│");
        fprintf(out, "%s %s (%.1f%ss)\n", glyph, graph_name(g, p->steps[i].node),
                (double)p->steps[i].length / 1e3, ascii ? "u" : "µ");
    }
    if (p->nsteps > STEPS_SHOWN)
        fprintf(out, "  ... and %u steps more (--format csv has all)\n", p->nsteps - STEPS_SHOWN);
    print_shares(out, g, p);
    print_slack(out, g, p);
    print_ping_pongs(out, g);
}

/* --- for programs --- */

static void print_quoted(FILE *out, const char *text, char escape)
{
    char *clean = export_utf8(text, strlen(text));
    fputc('"', out);
    for (const unsigned char *c = (unsigned char *)clean; *c; c++) {
        if (*c == '"' || (*c == '\\' && escape == '\\'))
            fputc(escape, out);
        if (*c < ' ' && escape == '\\')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c < ' ' ? ' ' : *c, out);
    }
    fputc('"', out);
    free(clean);
}

void path_export_csv(FILE *out, const struct graph *g, const struct critical_path *p)
{
    fputs("step,node,kind,name,start_ns,length_ns,duration_ns\r\n", out);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *s = &p->steps[i];
        fprintf(out, "%u,%u,%s,", i, s->node, node_kind_name(g->kind[s->node]));
        print_quoted(out, graph_name(g, s->node), '"');
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", s->start, s->length);
        if (g->duration[s->node] != GRAPH_UNKNOWN)
            fprintf(out, "%" PRIu64, g->duration[s->node]);
        fputs("\r\n", out);
    }
}

void path_export_json(FILE *out, const struct graph *g, const struct critical_path *p)
{
    struct slack *s;
    uint32_t n = most_slack(g, p, &s);
    fprintf(out,
            "{\"schema\":\"rooftop.path/1\",\"length_ns\":%" PRIu64 ",\"wall_ns\":%" PRIu64
            ",\"cyclic\":%u,\"steps\":[",
            p->length, path_wall(g), p->ncyclic);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *step = &p->steps[i];
        fprintf(out, "%s\n{\"node\":%u,\"kind\":\"%s\",\"name\":", i ? "," : "", step->node,
                node_kind_name(g->kind[step->node]));
        print_quoted(out, graph_name(g, step->node), '\\');
        fprintf(out, ",\"start_ns\":%" PRIu64 ",\"length_ns\":%" PRIu64 "}", step->start,
                step->length);
    }
    fputs("\n],\"slack\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%s\n{\"node\":%u,\"kind\":\"%s\",\"name\":", i ? "," : "", s[i].node,
                node_kind_name(g->kind[s[i].node]));
        print_quoted(out, graph_name(g, s[i].node), '\\');
        fprintf(out, ",\"slack_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 "}", s[i].ns,
                g->duration[s[i].node]);
    }
    fputs("\n]}\n", out);
    free(s);
}

void path_export_dot(FILE *out, const struct graph *g, const struct critical_path *p)
{
    bool *on = on_path(g, p);
    fputs("digraph CriticalPath {\n  rankdir=LR;\n  node [shape=box];\n\n", out);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        char label[512];
        graph_label(g, i, false, label, sizeof label);
        fprintf(out, "  n%u [label=", i);
        print_quoted(out, label, '\\');
        fprintf(out, "%s];\n", on[i] ? ",color=red,penwidth=2" : "");
    }
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->parent[i] != GRAPH_NONE)
            fprintf(out, "  n%u -> n%u [style=dashed];\n", g->parent[i], i);
    for (uint32_t i = 0; i < g->nedges; i++)
        fprintf(out, "  n%u -> n%u;\n", g->edge_from[i], g->edge_to[i]);
    for (uint32_t i = 0; i + 1 < p->nsteps; i++)
        fprintf(out, "  n%u -> n%u [color=red,penwidth=2,constraint=false];\n", p->steps[i].node,
                p->steps[i + 1].node);
    fputs("}\n", out);
    free(on);
}

/* --- transfers --- */

/* The memory on the host: what both directions have in common. */
static uint32_t memory_of(const struct graph *g, uint32_t node)
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

static bool undoes(const struct graph *g, uint32_t a, uint32_t b)
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
            t[n++] = (struct transfer){memory_of(g, i), i, g->start[i]};
    qsort(t, n, sizeof *t, by_memory);
    for (size_t i = 1; i < n; i++)
        if (t[i].memory == t[i - 1].memory && undoes(g, t[i - 1].node, t[i].node)) {
            if (found < max)
                out[found] = (struct ping_pong){t[i - 1].node, t[i].node};
            found++;
        }
    free(t);
    return found;
}
