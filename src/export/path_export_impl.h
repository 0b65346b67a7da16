/* What the documents of a path share. */
#ifndef ROOFTOP_EXPORT_PATH_EXPORT_IMPL_H
#define ROOFTOP_EXPORT_PATH_EXPORT_IMPL_H

#include "export/path_export.h"

/* The new one where something else was asked. */
const struct critical_path *path_shown(const struct path_document *d);

/* Whether each node is on the path, or around what is. The caller frees it. */
bool *path_nodes(const struct graph *g, const struct critical_path *p);

/* Different nodes among the steps: one may have several, a parent's parts around its children. */
uint32_t path_count_nodes(const struct graph *g, const struct critical_path *p);

/* Spans with room beside the path, most first: how many. The caller frees them. */
struct path_slack {
    uint64_t ns;
    uint32_t node;
};
uint32_t path_most_slack(const struct graph *g, const struct critical_path *p,
                         struct path_slack **out);

/* As JSON (escape a backslash) or CSV (a quote) quote it. */

#endif
