#include "backends/sampler/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

static size_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u ^ b;
    h = (h ^ h >> 30) * 0x94d049bb133111ebu;
    return (size_t)(h ^ h >> 31);
}

static size_t node_hash(const struct profile_node *n)
{
    return mix((uint64_t)(uint32_t)n->parent, n->symbol);
}

static size_t place_hash(const struct profile_place *p)
{
    return mix(p->address, p->symbol);
}

static bool full(const struct fold_index *x, size_t n)
{
    return n * 2 >= x->cap;
}

/* Doubles the index and empties it; put_stack() inserts the entries again. */
static void grow_index(struct fold_index *x)
{
    x->cap = x->cap ? x->cap * 2 : 1024;
    free(x->slot);
    x->slot = xcalloc(x->cap, sizeof *x->slot);
}

static void put_stack(struct fold_index *x, size_t hash, size_t number)
{
    size_t at = hash & (x->cap - 1);
    while (x->slot[at])
        at = (at + 1) & (x->cap - 1);
    x->slot[at] = (uint32_t)number + 1;
}

static int32_t child(struct fold *f, int32_t parent, uint32_t symbol)
{
    struct profile_node new = {.parent = parent, .symbol = symbol};
    struct fold_index *x = &f->by_call;
    if (full(x, f->nnodes)) {
        grow_index(x);
        for (size_t i = 0; i < f->nnodes; i++)
            put_stack(x, node_hash(&f->nodes[i]), i);
    }
    size_t at = node_hash(&new) & (x->cap - 1);
    for (; x->slot[at]; at = (at + 1) & (x->cap - 1)) {
        const struct profile_node *n = &f->nodes[x->slot[at] - 1];
        if (n->parent == parent && n->symbol == symbol)
            return (int32_t)(x->slot[at] - 1);
    }
    if (f->nnodes >= FOLD_NODES_MAX)
        return -1;
    LIST_ROOM(f->nodes, f->nnodes, f->cap_nodes);
    f->nodes[f->nnodes] = new;
    x->slot[at] = (uint32_t)f->nnodes + 1;
    return (int32_t)f->nnodes++;
}

static void add_place(struct fold *f, uint32_t symbol, const struct fold_place *place)
{
    struct profile_place new = {.symbol = symbol,
                                .samples = 1,
                                .address = place->address,
                                .file = place->file,
                                .line = place->line};
    struct fold_index *x = &f->by_place;
    if (full(x, f->nplaces)) {
        grow_index(x);
        for (size_t i = 0; i < f->nplaces; i++)
            put_stack(x, place_hash(&f->places[i]), i);
    }
    size_t at = place_hash(&new) & (x->cap - 1);
    for (; x->slot[at]; at = (at + 1) & (x->cap - 1)) {
        struct profile_place *p = &f->places[x->slot[at] - 1];
        if (p->symbol == symbol && p->address == place->address) {
            p->samples++;
            return;
        }
    }
    if (f->nplaces >= FOLD_PLACES_MAX)
        return;
    LIST_ROOM(f->places, f->nplaces, f->cap_places);
    f->places[f->nplaces] = new;
    x->slot[at] = (uint32_t)f->nplaces++ + 1;
}

void fold_add(struct fold *f, const uint32_t *symbols, size_t n, const struct fold_place *place)
{
    int32_t at = -1;
    for (size_t i = 0; i < n; i++) {
        int32_t next = child(f, at, symbols[i]);
        if (next < 0)
            break;
        at = next;
    }
    f->samples++;
    if (at < 0)
        return;
    f->nodes[at].self++;
    add_place(f, symbols[n - 1], place);
}

static void clear(struct fold_index *x)
{
    if (x->slot)
        memset(x->slot, 0, x->cap * sizeof *x->slot);
}

void fold_reset(struct fold *f)
{
    f->nnodes = f->nplaces = 0;
    f->samples = 0;
    clear(&f->by_call);
    clear(&f->by_place);
}

void fold_free(struct fold *f)
{
    free(f->nodes);
    free(f->places);
    free(f->by_call.slot);
    free(f->by_place.slot);
    *f = (struct fold){0};
}
