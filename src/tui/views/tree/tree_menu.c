/* The menu of a row of the tree. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/trace/graph_brief.h"
#include "export/graph/graph_export.h"
#include "tui/model/captures.h"
#include "tui/model/jumps.h"
#include "tui/views/tree/tree.h"

bool tree_menu(const struct model *m, const struct view_state *st, const char *key,
               struct menu *out)
{
    char text[MENU_COMMAND_MAX], name[256];
    if (!model_bricks(m))
        return false;
    const struct tree_rows *t = tree_rows(model_bricks(m), st);
    const struct graph *g = t->graph;
    uint32_t node = tree_node(t, tree_id_of_key(key), NULL);
    if (node == GRAPH_NONE)
        return false;
    graph_label(g, node, false, text, sizeof text);
    snprintf(out->title, sizeof out->title, "%.60s",
             graph_brief(g, node, 58, false, name, sizeof name));
    menu_action(out, 'd', ACTION_DETAILS, "details: times, histogram, launch shape");
    menu_action(out, 'v', ACTION_SOURCE, "its source");
    menu_deny(out, g->kind[node] == NODE_KERNEL || g->kind[node] == NODE_FUNCTION ||
                           g->kind[node] == NODE_BRICK
                       ? NULL
                       : "kernels, their bricks, and functions have one");
    menu_action(out, 'l', ACTION_LONGEST_CHILD, "to the child that takes the longest");
    menu_deny(out, g->first_child[node] == GRAPH_NONE ? "nothing is below it" : NULL);
    menu_action(out, 'c', ACTION_NEXT_CRITICAL, "to the next row on the critical path");
    jumps_menu(m, out, "tree", graph_name(g, node));
    captures_menu(m, out, 'r', (enum node_kind)g->kind[node], graph_name(g, node));
    menu_filter(out, 'f', "name", graph_name(g, node), "show all with this name");
    menu_filter(out, 'k', "kind", node_kind_name(g->kind[node]), "show all of its kind");
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', graph_name(g, node), "copy its name");
    menu_command(out, 's', "sort ", "sort siblings by something else…");
    return true;
}
