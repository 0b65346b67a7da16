#include "engine/graph/graph_fields.h"

#include <math.h>

#include "engine/graph/graph_counters.h"
#include "engine/graph/graph_syscalls.h"

static const struct graph_work *work_of_item(const struct graph_item *r)
{
    return graph_work_of(r->g, r->node);
}

static const struct graph_extra *extra_of(const struct graph_item *r)
{
    return graph_extra_of(r->g, r->node);
}

static enum node_kind kind_of_item(const struct graph_item *r)
{
    return (enum node_kind)r->g->kind[r->node];
}

static const char *category_of_item(const struct graph_item *r, const char *none)
{
    return kind_of_item(r) == NODE_BRICK
               ? node_category_name((enum node_category)r->g->category[r->node])
               : none;
}

/* The name of the nearest node of this kind at or above the row's node. */
static const char *name_above(const struct graph_item *r, enum node_kind wanted)
{
    for (uint32_t i = r->node; i != GRAPH_NONE; i = r->g->parent[i])
        if (r->g->kind[i] == wanted)
            return graph_name(r->g, i);
    return "";
}

static uint64_t parent_of_item(const struct graph_item *r)
{
    uint32_t parent = r->g->parent[r->node];
    return parent == GRAPH_NONE || parent == r->root ? GRAPH_UNKNOWN : parent;
}

/* A number of the node's sums, or unknown if it has no calls. */
static uint64_t if_called(const struct graph_item *r, uint64_t v)
{
    return work_of_item(r) && work_of_item(r)->count ? v : GRAPH_UNKNOWN;
}

/* A single span is one call. */
static uint64_t calls_or_one(const struct graph_item *r)
{
    if (work_of_item(r))
        return work_of_item(r)->count;
    return r->g->start[r->node] == GRAPH_UNKNOWN ? GRAPH_UNKNOWN : 1;
}

/* A program that declares nothing gives 0. */
static uint64_t known_item_number(uint64_t v)
{
    return v ? v : GRAPH_UNKNOWN;
}

/* Zeros if no calls were traced; see calls_of. */
static const struct call_sum *call_sum_of_item(const struct graph_item *r)
{
    static const struct call_sum none = {.most_in = NULL};
    const struct call_sum *s = graph_syscalls_of(r->g, r->node);
    return s ? s : &none;
}

static uint64_t calls_if_traced(const struct graph_item *r, uint64_t v)
{
    return r->g->syscalls ? v : GRAPH_UNKNOWN;
}

static const struct graph_counts *counts_of(const struct graph_item *r)
{
    return graph_counts_of(r->g, r->node);
}

static const char *write_counts_of_item(const struct graph_item *r, char buf[FIELD_TEXT_MAX])
{
    return graph_counts_text(r->g->counters, counts_of(r), buf, FIELD_TEXT_MAX);
}

static uint64_t self_of(const struct graph_item *r)
{
    uint8_t kind = r->g->kind[r->node];
    bool lane = kind == NODE_PROGRAM || kind == NODE_THREAD || kind == NODE_QUEUE;
    return lane || r->g->duration[r->node] == GRAPH_UNKNOWN ? GRAPH_UNKNOWN
                                                            : graph_self(r->g, r->node);
}

static double budget_share(const struct graph_item *r)
{
    return extra_of(r)->budget ? graph_mean(r->g, r->node) / (double)extra_of(r)->budget * 100
                               : NAN;
}

double graph_share(const struct graph_item *r)
{
    uint64_t d = r->g->duration[r->node];
    return r->total && d != GRAPH_UNKNOWN ? 100.0 * (double)d / (double)r->total : 0;
}

/* A place without a count has one call. */
static double time_of_call(const struct graph_item *r)
{
    uint64_t d = r->g->duration[r->node];
    if (d == GRAPH_UNKNOWN)
        return -1;
    return if_called(r, d) == d ? (double)d / (double)work_of_item(r)->count : (double)d;
}

static int by_mean(const void *a, const void *b)
{
    double x = time_of_call(a), y = time_of_call(b);
    return (x < y) - (x > y);
}

#define LIST_ROW   struct graph_item
#define LIST_FILE  "engine/graph/graph_fields.def"
#define LIST_TABLE graph_fields
#include "engine/value/list_field_table.h"
