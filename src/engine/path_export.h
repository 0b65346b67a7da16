/* A critical path as a document. */
#ifndef ROOFTOP_ENGINE_PATH_EXPORT_H
#define ROOFTOP_ENGINE_PATH_EXPORT_H

#include <stdio.h>

#include "engine/critical_path.h"

/* For people: what the path is made of, each step, and what has the most slack. */
void path_export_text(FILE *out, const struct graph *g, const struct critical_path *p, bool ascii);
void path_export_csv(FILE *out, const struct graph *g, const struct critical_path *p);
/* Schema "rooftop.path/1": docs/TREE.md. */
void path_export_json(FILE *out, const struct graph *g, const struct critical_path *p);
/* The graph with the path drawn in red. */
void path_export_dot(FILE *out, const struct graph *g, const struct critical_path *p);

/* A transfer that was undone by the next one of the same memory: down and up again, or the other
 * way round. */
struct ping_pong {
    uint32_t first, second; /* nodes */
};
/* By memory, then by time; at most max of them into out. How many there are. Among the transfers of
 * one memory only neighbours in time count. */
size_t graph_ping_pong(const struct graph *calls, struct ping_pong *out, size_t max);

#endif
