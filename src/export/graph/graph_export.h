/* An execution graph as a document. One file a format, one line in graph_exports. */
#ifndef ROOFTOP_EXPORT_GRAPH_GRAPH_EXPORT_H
#define ROOFTOP_EXPORT_GRAPH_GRAPH_EXPORT_H

#include <stdio.h>

#include "engine/path/critical_path.h"

struct graph_export_options {
    bool ascii;
    /* Only what is below this node, GRAPH_NONE = all. */
    uint32_t root;
    /* Of the same graph; then each node says its slack and whether it is on the path. NULL: none.
     */
    const struct critical_path *path;
};

struct graph_export {
    const char *name; /* "dot" */
    void (*write)(FILE *out, const struct graph *g, const struct graph_export_options *o);
};
extern const struct graph_export graph_exports[]; /* ends with name NULL */
const struct graph_export *graph_export_find(const char *name);

/* One line of the tree: "RmsNorm  50.0µs (4096 elem)". */
void graph_label(const struct graph *g, uint32_t node, bool ascii, char *out, size_t size);
/* Whether node is to be written: root itself is not, what is below is. */
uint32_t graph_export_first(const struct graph *g, const struct graph_export_options *o);
bool graph_below(const struct graph *g, uint32_t node, uint32_t root);

/* Of each node whether it is a step of the path; the caller frees it. NULL without a path. */
bool *graph_on_path(const struct graph *g, const struct critical_path *p);
/* ,"critical":true,"slack_ns":1200 (null: no order exists for the node) */
void graph_export_slack(FILE *out, const struct critical_path *p, const bool *on, uint32_t node);

/* A walk in order, parents before children, without recursion: start with *depth 0 at
 * graph_export_first; GRAPH_NONE at the end. */
uint32_t graph_walk(const struct graph *g, uint32_t node, uint32_t root, unsigned *depth);

void graph_export_text(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_dot(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_chrome(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_folded(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_csv(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_json(FILE *out, const struct graph *g, const struct graph_export_options *o);
void graph_export_svg(FILE *out, const struct graph *g, const struct graph_export_options *o);

#endif
