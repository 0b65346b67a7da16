#include "engine/session/session_impl.h"

#include <math.h>

#include "engine/graph/graph_counters.h"

struct counter_row {
    const char *name, *why;
};
struct counts_row {
    struct graph_counts counts;
    uint64_t node;
};
static const struct field event_fields[] = {
    KEPT(TEXT, struct counter_row, name),
    KEPT(TEXT, struct counter_row, why),
};
#define VALUE(i) KEPT(DOUBLE, struct counts_row, counts.value[i])
static const struct field counts_fields[] = {
    KEPT(U64, struct counts_row, counts.calls),
    KEPT(U64, struct counts_row, counts.enabled),
    KEPT(U64, struct counts_row, counts.running),
    VALUE(0),
    VALUE(1),
    VALUE(2),
    VALUE(3),
    VALUE(4),
    VALUE(5),
    VALUE(6),
    VALUE(7),
    VALUE(8),
    VALUE(9),
    VALUE(10),
    VALUE(11),
    VALUE(12),
    VALUE(13),
    VALUE(14),
    VALUE(15),
    KEPT(U64, struct counts_row, node),
};
#define EVENT  FIELDS(event_fields, struct counter_row)
#define COUNTS FIELDS(counts_fields, struct counts_row)

static void counters_to_rows(struct counters_rows *out, struct arena *memory,
                             const struct graph_counters *c, const struct graph *g)
{
    *out = (struct counters_rows){.nevents = c->n};
    out->events = arena_alloc(memory, (c->n + 1) * sizeof *out->events);
    out->counts = arena_alloc(memory, (c->ncounts + 1) * sizeof *out->counts);
    for (uint32_t i = 0; i < c->n; i++)
        out->events[i] = (struct counter_row){c->list[i].name, c->list[i].why};
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const struct graph_counts *from = graph_counts_of(g, i);
        if (from)
            out->counts[out->ncounts++] = (struct counts_row){*from, i};
    }
}

void frame_counters_write(struct coder *k, struct counters_rows *now,
                          const struct counters_rows *before, struct arena *memory,
                          const struct graph *g)
{
    *now = (struct counters_rows){.nevents = 0};
    if (g->counters)
        counters_to_rows(now, memory, g->counters, g);
    fields_write_rows(k, EVENT, false, now->events, now->nevents, before->events, before->nevents);
    fields_write_rows(k, COUNTS, false, now->counts, now->ncounts, before->counts, before->ncounts);
}

bool frame_counters_read(struct coder *k, struct counters_rows *now,
                         const struct counters_rows *before, struct graph *g)
{
    now->events = fields_read_rows(k, EVENT, false, &now->nevents, before->events, before->nevents);
    now->counts =
        fields_read_rows(k, COUNTS, false, &now->ncounts, before->counts, before->ncounts);
    if (k->in->bad || now->nevents > GRAPH_COUNTERS_MAX || now->ncounts > g->nnodes)
        return false;
    for (size_t i = 0; i < now->nevents; i++)
        if (graph_counter(g, now->events[i].name, now->events[i].why) != i)
            return false;
    for (size_t i = 0; i < now->ncounts; i++) {
        const struct counts_row *from = &now->counts[i];
        if (from->node >= g->nnodes)
            return false;
        struct graph_counts *to = graph_add_counts(g, (uint32_t)from->node);
        to->calls = from->counts.calls;
        to->enabled = from->counts.enabled;
        to->running = from->counts.running;
        for (uint32_t v = 0; v < now->nevents; v++)
            to->value[v] = from->counts.value[v] >= 0 && !isinf(from->counts.value[v])
                               ? from->counts.value[v]
                               : NAN;
    }
    return true;
}
