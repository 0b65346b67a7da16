#include "backends/functions/sampler_impl.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/list.h"

static int32_t find_or_add_call_node(struct fold *f, int32_t parent, uint32_t symbol)
{
    uint64_t hash = hash_number((uint64_t)(uint32_t)parent, symbol);
    HASH_EACH (&f->by_call, hash, i)
        if (f->nodes[i].parent == parent && f->nodes[i].symbol == symbol)
            return (int32_t)i;
    if (f->nnodes >= FOLD_NODES_MAX)
        return -1;
    hash_table_add(&f->by_call, hash, f->nnodes);
    LIST_ROOM(f->nodes, f->nnodes, f->cap_nodes);
    f->nodes[f->nnodes] = (struct hot_node){.parent = parent, .symbol = symbol};
    return (int32_t)f->nnodes++;
}

static void count_hot_place(struct fold *f, uint32_t symbol, const struct fold_place *place)
{
    uint64_t hash = hash_number(symbol, place->address);
    HASH_EACH (&f->by_place, hash, i) {
        if (f->places[i].symbol == symbol && f->places[i].address == place->address) {
            f->places[i].samples++;
            return;
        }
    }
    if (f->nplaces >= FOLD_PLACES_MAX)
        return;
    hash_table_add(&f->by_place, hash, f->nplaces);
    LIST_ROOM(f->places, f->nplaces, f->cap_places);
    f->places[f->nplaces++] = (struct hot_place){.symbol = symbol,
                                                 .samples = 1,
                                                 .address = place->address,
                                                 .file = place->file,
                                                 .line = place->line};
}

void fold_add(struct fold *f, const uint32_t *symbols, size_t n, const struct fold_place *place)
{
    int32_t at = -1;
    for (size_t i = 0; i < n; i++) {
        int32_t next = find_or_add_call_node(f, at, symbols[i]);
        if (next < 0)
            break;
        at = next;
    }
    f->samples++;
    if (at < 0)
        return;
    f->nodes[at].self++;
    count_hot_place(f, symbols[n - 1], place);
}

size_t fold_memory(const struct fold *f)
{
    return f->cap_nodes * sizeof *f->nodes + f->cap_places * sizeof *f->places +
           hash_table_memory(&f->by_call) + hash_table_memory(&f->by_place);
}

void fold_reset(struct fold *f)
{
    f->nnodes = f->nplaces = 0;
    f->samples = 0;
    hash_table_clear(&f->by_call);
    hash_table_clear(&f->by_place);
}

void fold_free(struct fold *f)
{
    free(f->nodes);
    free(f->places);
    hash_table_free(&f->by_call);
    hash_table_free(&f->by_place);
    *f = (struct fold){0};
}
