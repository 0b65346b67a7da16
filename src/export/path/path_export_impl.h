/* Shared by the documents of a path. */
#ifndef ROOFTOP_EXPORT_PATH_PATH_EXPORT_IMPL_H
#define ROOFTOP_EXPORT_PATH_PATH_EXPORT_IMPL_H

#include "export/path/path_export.h"

/* The path to show: that of what_if if it is set. */
const struct critical_path *path_shown(const struct path_document *d);

/* A flag for each node: it is on the path or contains such a node. The caller frees it. */
bool *path_nodes(const struct graph *g, const struct critical_path *p);

/* The number of different nodes among the steps. A parent may have several steps, around its
 * children. */
uint32_t path_count_nodes(const struct graph *g, const struct critical_path *p);

/* The spans with slack, the largest first. Returns their number; the caller frees *out. */
struct path_slack {
    uint64_t ns;
    uint32_t node;
};
uint32_t path_most_slack(const struct graph *g, const struct critical_path *p,
                         struct path_slack **out);

#endif
