/* The tree as text: deterministic, in the order of the graph. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/value/value.h"
#include "export/graph/graph_export.h"

enum { LABEL_MAX = 512 };

/* Prints " [8 calls 7.00 us 45.4 %, most in write]": the node's system calls and their share of its
 * time. */
static void print_node_calls(FILE *out, const struct graph *g, uint32_t node)
{
    const struct call_sum *s = graph_syscalls_of(g, node);
    const uint64_t all = g->duration[node];
    char number[VALUE_TEXT_MAX];
    if (!s || s->n.calls == 0)
        return;
    print_text(out, "  [%" PRIu64 " system call%s %s", s->n.calls, s->n.calls == 1 ? "" : "s",
               value_time((double)s->n.ns, true, number));
    if (all != GRAPH_UNKNOWN && all)
        print_text(out, " %.1f %%", 100.0 * (double)s->n.ns / (double)all);
    if (s->most_in && all != GRAPH_UNKNOWN && all)
        print_text(out, ", %.1f %% in %s", 100.0 * (double)s->most_ns / (double)all, s->most_in);
    else if (s->most_in)
        print_text(out, ", most in %s", s->most_in);
    if (s->n.read)
        print_text(out, ", read %s", value_text((double)s->n.read, UNIT_BYTES, true, number));
    if (s->n.written)
        print_text(out, ", written %s", value_text((double)s->n.written, UNIT_BYTES, true, number));
    if (s->n.errors)
        print_text(out, ", %" PRIu64 " failed", s->n.errors);
    fputc(']', out);
}

/* Prints one line. more[d]: the ancestor at depth d has siblings after it. */
static void print_node(FILE *out, const struct graph *g, uint32_t node, const bool *more,
                       unsigned depth, bool connector, bool ascii)
{
    char label[LABEL_MAX];
    graph_label(g, node, ascii, label, sizeof label);
    unsigned first = connector ? 0 : 1;
    const char *beside = ascii ? "|   " : "│   ";
    const char *branch = ascii ? "|-- " : "├── ";
    const char *last = ascii ? "`-- " : "└── ";
    for (unsigned d = first; d < depth; d++)
        fputs(more[d] ? beside : "    ", out); /* raw: our own lines */
    if (depth >= first)
        fputs(more[depth] ? branch : last, out); /* raw: our own lines */
    print_text(out, "%s", label);
    graph_export_counts_text(out, g->counters, graph_counts_of(g, node));
    print_node_calls(out, g, node);
    fputc('\n', out);
}

/* Prints the sum of the written nodes: first and its siblings. */
static void print_total(FILE *out, const struct graph *g, uint32_t first)
{
    char time[VALUE_TEXT_MAX];
    const struct graph_syscalls *s = g->syscalls;
    uint64_t inside = 0;
    if (!s)
        return;
    for (uint32_t i = first; i != GRAPH_NONE; i = g->next_sibling[i])
        inside += graph_syscalls_of(g, i)->n.calls;
    print_text(out, "%" PRIu64 " system call%s in all, %s; %" PRIu64 " outside of these",
               s->total.calls, s->total.calls == 1 ? "" : "s",
               value_time((double)s->total.ns, true, time), s->total.calls - inside);
    if (s->dropped)
        print_text(out, "; %" PRIu64 " more were not kept", s->dropped);
    fputc('\n', out);
}

/* The next of its siblings that is written; GRAPH_NONE: there is none. */
static uint32_t next_shown(const struct graph *g, const struct graph_export_options *o,
                           uint32_t node)
{
    do
        node = g->next_sibling[node];
    while (node != GRAPH_NONE && o->shown && !o->shown->keep[node]);
    return node;
}

static void print_left_out(FILE *out, const struct graph_shown *s)
{
    char ns[VALUE_TEXT_MAX];
    if (!s || s->left_out == 0)
        return;
    print_text(out, "\n%" PRIu32 " node%s left out, with %s of own time", s->left_out,
               s->left_out == 1 ? " is" : "s are", value_time((double)s->left_ns, true, ns));
    if (s->all_ns)
        print_text(out, " (%.1f %% of all)", 100.0 * (double)s->left_ns / (double)s->all_ns);
    fputs("; --min 0 shows all\n", out);
}

void graph_export_text(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    uint32_t node = graph_export_first(g, o);
    if (node == GRAPH_NONE) {
        fputs("(empty graph)\n", out);
        return;
    }
    bool several = g->next_sibling[node] != GRAPH_NONE;
    unsigned depth = 0, cap = 64;
    bool *more = xcalloc(cap, sizeof *more);
    if (several)
        fputs("Execution Graph\n", out);
    while (node != GRAPH_NONE) {
        if (depth + 1 >= cap)
            more = xrealloc(more, cap *= 2, sizeof *more);
        more[depth] = next_shown(g, o, node) != GRAPH_NONE;
        if (!o->shown || o->shown->keep[node])
            print_node(out, g, node, more, depth, several, o->ascii);
        node = graph_walk(g, node, o->root, &depth);
    }
    free(more);
    print_total(out, g, graph_export_first(g, o));
    print_left_out(out, o->shown);
    graph_export_whys_text(out, g->counters);
}
