/* An execution graph as a document. A format is one file and one line in graph_exports. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "engine/functions/hot_stacks.h"
#include "engine/graph/graph_counters.h"
#include "engine/graph/graph_fields.h"
#include "engine/path/critical_path.h"

/* What of a tree is wanted. Zeroed: all. */
struct graph_bound {
    unsigned depth;    /* so many levels; 0: all */
    uint64_t least_ns; /* only nodes that take so long, or have one below them that does */
    size_t lines;      /* at most so many nodes, those that take longest; 0: any number */
};
/* Which nodes these are; a node that is kept has all of those above it. Free it. */
struct graph_shown {
    bool *keep;
    uint32_t left_out;        /* nodes that are not kept, */
    uint64_t left_ns, all_ns; /* their own time; that of all */
};
void graph_shown_make(struct graph_shown *out, const struct graph *g, uint32_t root,
                      const struct graph_bound *b);
void graph_shown_free(struct graph_shown *s);

struct graph_export_options {
    bool ascii;
    /* Write only what is below this node; GRAPH_NONE = everything. */
    uint32_t root;
    /* A path through the same graph: each node then has its slack and whether it is on the path.
     * NULL: no path. */
    const struct critical_path *path;
    /* Text: only these nodes, and a line about the others; NULL: all. */
    const struct graph_shown *shown;
    const struct trace *trace; /* NULL: the document does not say what was left out */
};

struct graph_export {
    const char *name; /* "dot" */
    void (*write)(FILE *out, const struct graph *g, const struct graph_export_options *o);
    /* Instead, for viewers of CPU profiles; it writes samples of CPUs, too. */
    void (*write_stacks)(FILE *out, const struct hot_stacks *p);
};
extern const struct graph_export graph_exports[]; /* terminated by name == NULL */
const struct graph_export *graph_export_find(const char *name);
/* Writes the graph in a format. 0, or -EFBIG with err if it has more paths than a profile may. */
int graph_export_write(const struct graph_export *e, FILE *out, const struct graph *g,
                       const struct graph_export_options *o, struct error *err);

/* One line of the tree: "RmsNorm  50.0 us (4096 elem)". */
void graph_label(const struct graph *g, uint32_t node, bool ascii, char *out, size_t size);
/* The first node to write (root itself is not written), and whether a node is below root. */
uint32_t graph_export_first(const struct graph *g, const struct graph_export_options *o);
bool graph_below(const struct graph *g, uint32_t node, uint32_t root);

/* For each node whether it is a step of the path. The caller frees it. NULL if there is no path. */
bool *graph_on_path(const struct graph *g, const struct critical_path *p);
/* Writes the members ,"critical":true,"slack_ns":1200 (null: the node has no slack, because
 * nothing orders it). */
void graph_export_slack(FILE *out, const struct critical_path *p, const bool *on, uint32_t node);

/* Makes a row for the graph's fields, still without a node. on: from graph_on_path. */
struct graph_item graph_export_item(const struct graph *g, const struct graph_export_options *o,
                                    const bool *on);

/* Write counts; nothing if `of` or c is NULL. JSON: the member "counters": [...], followed by a
 * comma, has their names; ,"counted_calls":2,"counts":{...} is of one node. Text: " [IPC 1.20,
 * ...]" is of one node; whys are lines for the events without a count. */
void graph_export_counters_json(FILE *out, const struct graph_counters *of);
void graph_export_counts_json(FILE *out, const struct graph_counters *of,
                              const struct graph_counts *c);
void graph_export_counts_text(FILE *out, const struct graph_counters *of,
                              const struct graph_counts *c);
void graph_export_whys_text(FILE *out, const struct graph_counters *of);

/* Walks over the nodes in order, parents before children, without recursion. Begin at
 * graph_export_first with *depth 0; returns the next node, GRAPH_NONE at the end. */
uint32_t graph_walk(const struct graph *g, uint32_t node, uint32_t root, unsigned *depth);

/* The short answer of a tree. */
struct brief;
void tree_brief(struct brief *b, const struct graph *g, bool ascii);

void graph_export_text(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_dot(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_chrome(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_csv(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_json(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_svg(FILE *out, const struct graph *g, const struct graph_export_options *o);
int graph_export_stacks(FILE *out, const struct graph *g, const struct graph_export_options *o,
                        void (*write)(FILE *out, const struct hot_stacks *p), struct error *err);
