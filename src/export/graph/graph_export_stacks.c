/* The tree as a profile for the viewers of CPU profiles: each node's name is a frame, its own time
 * without its children's the weight. Nodes of one path with one name become one. */
#include <stdlib.h>

#include "engine/functions/hot_profile.h"
#include "export/graph/graph_export.h"

static int32_t add_graph_frame(struct hot_profile *p, const struct graph *g, uint32_t node,
                               int32_t parent)
{
    const struct hot_symbol s = {.name = graph_name(g, node),
                                 .module = node_kind_name((enum node_kind)g->kind[node]),
                                 .path = "",
                                 .file = ""};
    const int32_t at = hot_profile_node(p, parent, hot_profile_symbol(p, &s));
    const uint64_t self = graph_self(g, node);
    if (self)
        hot_profile_add(p, at, self);
    return at;
}

int graph_export_stacks(FILE *out, const struct graph *g, const struct graph_export_options *o,
                        void (*write)(FILE *out, const struct hot_stacks *p), struct error *err)
{
    struct hot_profile *p = hot_profile_new();
    unsigned depth = 0, cap = 64;
    int32_t *path = xcalloc(cap, sizeof *path);
    p->stacks.weight = HOT_CPU_TIME;
    p->stacks.event = "time";
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE && !p->full;
         n = graph_walk(g, n, o->root, &depth)) {
        if (depth >= cap)
            path = xrealloc(path, cap *= 2, sizeof *path);
        path[depth] = add_graph_frame(p, g, n, depth ? path[depth - 1] : -1);
    }
    const int rc = hot_profile_end(p, "the tree", err);
    if (rc == 0)
        write(out, &p->stacks);
    free(path);
    hot_profile_free(p);
    return rc;
}
