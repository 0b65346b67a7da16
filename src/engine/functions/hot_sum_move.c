/* Rebuilds a sum without its rare rows. */
#include <stdlib.h>

#include "engine/functions/hot_sum_impl.h"

void sum_free_rows(struct hot_sum *ps)
{
    free(ps->symbols);
    free(ps->order);
    free(ps->nodes);
    free(ps->places);
    hash_table_free(&ps->symbol_table);
    hash_table_free(&ps->node_table);
    hash_table_free(&ps->place_table);
    arena_free(&ps->texts);
}

/* Which node of `to` each node named by a kept interval becomes; 0 for the others. */
static uint32_t *move_nodes(struct hot_sum *to, const struct hot_sum *from)
{
    uint32_t *map = xcalloc(from->nnodes, sizeof *map);
    for (size_t i = from->head; i < from->nintervals; i++)
        for (uint32_t k = 0; k < from->intervals[i].nnodes; k++)
            map[from->intervals[i].tallies[k].id] = 1;
    for (size_t i = from->nnodes; i-- > 1;)
        if (map[i])
            map[from->nodes[i].parent] = 1;
    map[0] = 0;
    for (size_t i = 1; i < from->nnodes; i++) {
        const struct sum_node *n = &from->nodes[i];
        if (map[i])
            map[i] = sum_node_of(to, map[n->parent], sum_symbol(to, &from->symbols[n->symbol]));
    }
    return map;
}

static uint32_t moved_place(struct hot_sum *to, const struct hot_sum *from, uint32_t id)
{
    const struct sum_place *old = &from->places[id];
    struct hot_place key = {.address = old->address, .file = old->file, .line = old->line};
    return sum_place_of(to, sum_symbol(to, &from->symbols[old->symbol]), &key);
}

void sum_compact(struct hot_sum *ps)
{
    struct hot_sum old = *ps;
    uint32_t *places = xcalloc(old.nplaces, sizeof *places); /* number + 1 */
    ps->texts = (struct arena){0};
    ps->text_bytes = 0;
    ps->compacting = true;
    ps->order = NULL, ps->norder = ps->order_cap = 0;
    ps->symbols = NULL, ps->nodes = NULL, ps->places = NULL;
    ps->nsymbols = ps->nnodes = ps->nplaces = 0;
    ps->symbols_cap = ps->nodes_cap = ps->places_cap = 0;
    ps->symbol_table = ps->node_table = ps->place_table = (struct hash_table){0};
    ps->other_symbol = ps->other_node = 0;
    ps->last = (struct hot_stacks){0};
    sum_add_node(ps, 0, 0);
    sum_keep_last(ps, &old.last);
    uint32_t *nodes = move_nodes(ps, &old);
    for (size_t i = ps->head; i < ps->nintervals; i++) {
        struct sum_interval *v = &ps->intervals[i];
        for (uint32_t k = 0; k < v->nnodes; k++)
            v->tallies[k].id = nodes[v->tallies[k].id];
        for (uint32_t k = v->nnodes; k < v->nnodes + v->nplaces; k++) {
            uint32_t *to = &places[v->tallies[k].id];
            if (!*to) /* not more than before, so there is room for all */
                *to = moved_place(ps, &old, v->tallies[k].id) + 1;
            v->tallies[k].id = *to - 1;
        }
    }
    for (uint32_t i = 1; i < old.nnodes; i++) {
        const struct sum_count *c = &old.nodes[i].count;
        if (!c->past && !c->window)
            continue;
        uint32_t to = nodes[i] ? nodes[i] : sum_other(ps);
        ps->nodes[to].count.past += c->past;
        ps->nodes[to].count.window += c->window;
    }
    for (uint32_t i = 0; i < old.nplaces; i++)
        if (places[i])
            ps->places[places[i] - 1].count = old.places[i].count;
    free(nodes);
    free(places);
    sum_free_rows(&old);
    ps->compacting = false;
    ps->compacted_ns = ps->newest_ns;
    ps->stale = true;
}
