/* Fields of a row of the tree, for filters; the menu of a row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/trace/graph_brief.h"
#include "export/graph/graph_export.h"
#include "tui/model/captures.h"
#include "tui/model/jumps.h"
#include "tui/views/tree/tree.h"

static const struct graph *graph_of(const void *row)
{
    return ((const struct tree_item *)row)->t->graph;
}
static uint32_t node_of(const void *row)
{
    return ((const struct tree_item *)row)->node;
}
static const struct graph_work *work_of(const void *row)
{
    return graph_work_of(graph_of(row), node_of(row));
}

static const char *node_name(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return graph_name(graph_of(row), node_of(row));
}

static const char *kind(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return node_kind_name(graph_of(row)->kind[node_of(row)]);
}

static const char *category(const void *row, char buf[FIELD_TEXT_MAX])
{
    const struct graph *g = graph_of(row);
    (void)buf;
    return g->kind[node_of(row)] == NODE_BRICK ? node_category_name(g->category[node_of(row)]) : "";
}

static const char *above(const void *row, uint8_t wanted)
{
    const struct graph *g = graph_of(row);
    for (uint32_t i = node_of(row); i != GRAPH_NONE; i = g->parent[i])
        if (g->kind[i] == wanted)
            return graph_name(g, i);
    return "";
}
static const char *program(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return above(row, NODE_PROGRAM);
}
static const char *backend(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return above(row, NODE_BACKEND);
}

static double total(const void *row)
{
    uint64_t d = graph_of(row)->duration[node_of(row)];
    return d == GRAPH_UNKNOWN ? NAN : (double)d / 1e9;
}
static double mean(const void *row)
{
    return graph_mean(graph_of(row), node_of(row)) / 1e9;
}
static double node_calls(const void *row)
{
    return work_of(row) ? (double)work_of(row)->count : NAN;
}
static double elements(const void *row)
{
    return work_of(row) ? (double)graph_extra_of(graph_of(row), node_of(row))->elements : NAN;
}
static double node_share(const void *row)
{
    return tree_share(((const struct tree_item *)row)->t, node_of(row));
}
static double budget(const void *row)
{
    uint64_t ns = graph_extra_of(graph_of(row), node_of(row))->budget;
    return ns ? mean(row) * 1e9 / (double)ns * 100 : NAN;
}
static double critical(const void *row)
{
    return ((const struct tree_item *)row)->t->critical[node_of(row)] ? 1 : 0;
}

const struct list_field tree_fields[] = {
    {.name = "name", .help = "layer, brick, kernel, function", .text = node_name, .plain = true},
    {.name = "kind", .help = "program, backend, layer, brick, kernel…", .text = kind},
    {.name = "category", .help = "of bricks: Norm, Attention, FFN, Other", .text = category},
    {.name = "program", .help = "the program it ran in", .text = program},
    {.name = "backend", .help = "the backend it ran in", .text = backend},
    {.name = "time",
     .alias = "total",
     .unit = UNIT_SECONDS,
     .help = "time of all calls",
     .number = total},
    {.name = "mean", .unit = UNIT_SECONDS, .help = "time of one call", .number = mean},
    {.name = "count", .alias = "calls", .unit = UNIT_COUNT, .help = "calls", .number = node_calls},
    {.name = "share",
     .unit = UNIT_PERCENT,
     .help = "of the time of all programs",
     .number = node_share},
    {.name = "elements", .unit = UNIT_COUNT, .help = "worked on, all calls", .number = elements},
    {.name = "budget",
     .unit = UNIT_PERCENT,
     .help = "the mean call in % of its budget",
     .number = budget},
    {.name = "critical",
     .unit = UNIT_NONE,
     .help = "1 on the critical path of the last pass",
     .number = critical},
    {.name = NULL},
};

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
