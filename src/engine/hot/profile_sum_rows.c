/* Symbols, nodes and places, each stored once and found by content. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/hot/profile_sum_impl.h"

static uint64_t hash_symbol(const struct profile_symbol *s)
{
    uint64_t h = hash_text(0, s->name);
    return hash_number(hash_text(hash_text(h, s->module), s->file), s->inlined);
}

static uint64_t hash_node(uint32_t parent, uint32_t symbol)
{
    return hash_number(hash_number(1, parent), symbol);
}

static uint64_t hash_place(uint32_t symbol, const struct profile_place *p)
{
    return hash_number(hash_text(hash_number(hash_number(2, symbol), p->address), p->file),
                       (uint64_t)p->line);
}

int profile_symbol_order(const struct profile_symbol *a, const struct profile_symbol *b)
{
    int d = strcmp(a->name, b->name);
    d = d ? d : strcmp(a->module, b->module);
    d = d ? d : strcmp(a->file, b->file);
    return d ? d : (int)a->inlined - (int)b->inlined;
}

static void put_row(struct sum_index *x, uint64_t hash, uint32_t id)
{
    size_t i = hash & (x->cap - 1);
    while (x->slots[i])
        i = (i + 1) & (x->cap - 1);
    x->slots[i] = id + 1;
}

/* Room for one more than n rows, at most half full. True when it was emptied for growing. */
static bool widen(struct sum_index *x, size_t n)
{
    if (2 * (n + 1) <= x->cap)
        return false;
    x->cap = x->cap ? x->cap * 2 : 256;
    free(x->slots);
    x->slots = xcalloc(x->cap, sizeof *x->slots);
    return true;
}

void *sum_room(void *rows, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return rows;
    *cap = *cap ? *cap * 2 : 256;
    return xrealloc(rows, *cap, size);
}

const char *sum_keep(struct profile_sum *ps, const char *text, const char *same)
{
    return same && strcmp(text, same) == 0 ? same : arena_strdup(&ps->texts, text);
}

/* --- symbols --- */

static uint32_t add_symbol(struct profile_sum *ps, const struct profile_symbol *s)
{
    struct sum_index *x = &ps->symbol_index;
    if (widen(x, ps->nsymbols))
        for (size_t i = 0; i < ps->nsymbols; i++)
            put_row(x, hash_symbol(&ps->symbols[i]), (uint32_t)i);
    const struct profile_symbol *near = ps->nsymbols ? &ps->symbols[ps->nsymbols - 1] : NULL;
    struct profile_symbol copy = *s;
    copy.name = arena_strdup(&ps->texts, s->name);
    copy.module = sum_keep(ps, s->module, near ? near->module : NULL);
    copy.path = sum_keep(ps, s->path, near ? near->path : NULL);
    copy.file = sum_keep(ps, s->file, near ? near->file : NULL);
    ps->symbols = sum_room(ps->symbols, ps->nsymbols, &ps->symbols_cap, sizeof *ps->symbols);
    ps->symbols[ps->nsymbols] = copy;
    put_row(x, hash_symbol(s), (uint32_t)ps->nsymbols);
    return (uint32_t)ps->nsymbols++;
}

static uint32_t other_symbol(struct profile_sum *ps)
{
    static const struct profile_symbol other = {
        .name = PROFILE_OTHER, .module = "", .path = "", .file = "", .where = PROFILE_UNKNOWN};
    if (!ps->other_symbol)
        ps->other_symbol = add_symbol(ps, &other) + 1;
    return ps->other_symbol - 1;
}

uint32_t sum_symbol(struct profile_sum *ps, const struct profile_symbol *s)
{
    const struct sum_index *x = &ps->symbol_index;
    for (size_t i = hash_symbol(s) & (x->cap - 1); x->cap && x->slots[i];
         i = (i + 1) & (x->cap - 1))
        if (profile_symbol_order(&ps->symbols[x->slots[i] - 1], s) == 0)
            return x->slots[i] - 1;
    return ps->nsymbols < ps->limit ? add_symbol(ps, s) : other_symbol(ps);
}

/* --- nodes --- */

/* Inserts in front; children are sorted when the view is made. */
static void link_child(struct profile_sum *ps, uint32_t id)
{
    struct sum_node *parent = &ps->nodes[ps->nodes[id].parent];
    ps->nodes[id].sibling = parent->first_child;
    parent->first_child = id;
    parent->unsorted = true;
}

static int by_symbol(const void *a, const void *b, void *ctx)
{
    const struct profile_sum *ps = ctx;
    return profile_symbol_order(&ps->symbols[*(const uint32_t *)a],
                                &ps->symbols[*(const uint32_t *)b]);
}

/* Sorts the new symbols and merges them from the end into the old ones, because most are old. */
void sum_sort_symbols(struct profile_sum *ps)
{
    size_t n = ps->nsymbols - ps->norder, old = ps->norder;
    if (n == 0)
        return;
    if (ps->nsymbols > ps->order_cap) {
        ps->order_cap = ps->nsymbols * 2;
        ps->order = xrealloc(ps->order, ps->order_cap, sizeof *ps->order);
    }
    uint32_t *fresh = xcalloc(n, sizeof *fresh);
    for (size_t i = 0; i < n; i++)
        fresh[i] = (uint32_t)(ps->norder + i);
    qsort_r(fresh, n, sizeof *fresh, by_symbol, ps);
    for (size_t to = ps->nsymbols; n > 0;) {
        bool older = old > 0 && by_symbol(&ps->order[old - 1], &fresh[n - 1], ps) > 0;
        ps->order[--to] = older ? ps->order[--old] : fresh[--n];
    }
    ps->norder = ps->nsymbols;
    free(fresh);
}

static int by_row_name(const void *a, const void *b, void *ctx)
{
    const struct profile_sum *ps = ctx;
    const struct sum_node *p = &ps->nodes[*(const uint32_t *)a],
                          *q = &ps->nodes[*(const uint32_t *)b];
    return profile_symbol_order(&ps->symbols[p->symbol], &ps->symbols[q->symbol]);
}

static void sort_children(struct profile_sum *ps, struct sum_node *parent)
{
    size_t n = 0, cap = 0;
    uint32_t *child = NULL;
    for (uint32_t at = parent->first_child; at; at = ps->nodes[at].sibling) {
        child = sum_room(child, n, &cap, sizeof *child);
        child[n++] = at;
    }
    if (n)
        qsort_r(child, n, sizeof *child, by_row_name, ps);
    for (size_t i = 0; i < n; i++)
        ps->nodes[child[i]].sibling = i + 1 < n ? child[i + 1] : 0;
    parent->first_child = n ? child[0] : 0;
    parent->unsorted = false;
    free(child);
}

void sum_sort_nodes(struct profile_sum *ps)
{
    for (size_t i = 0; i < ps->nnodes; i++)
        if (ps->nodes[i].unsorted)
            sort_children(ps, &ps->nodes[i]);
}

uint32_t sum_add_node(struct profile_sum *ps, uint32_t parent, uint32_t symbol)
{
    struct sum_index *x = &ps->node_index;
    if (widen(x, ps->nnodes))
        for (size_t i = 1; i < ps->nnodes; i++)
            put_row(x, hash_node(ps->nodes[i].parent, ps->nodes[i].symbol), (uint32_t)i);
    ps->nodes = sum_room(ps->nodes, ps->nnodes, &ps->nodes_cap, sizeof *ps->nodes);
    uint32_t id = (uint32_t)ps->nnodes++;
    ps->nodes[id] = (struct sum_node){.parent = parent, .symbol = symbol};
    if (id == 0)
        return 0;
    put_row(x, hash_node(parent, symbol), id);
    link_child(ps, id);
    return id;
}

uint32_t sum_other(struct profile_sum *ps)
{
    if (!ps->other_node)
        ps->other_node = sum_add_node(ps, 0, other_symbol(ps));
    return ps->other_node;
}

uint32_t sum_node_of(struct profile_sum *ps, uint32_t parent, uint32_t symbol)
{
    const struct sum_index *x = &ps->node_index;
    if (parent && parent == ps->other_node) /* what was folded stays one row */
        return parent;
    for (size_t i = hash_node(parent, symbol) & (x->cap - 1); x->cap && x->slots[i];
         i = (i + 1) & (x->cap - 1)) {
        const struct sum_node *n = &ps->nodes[x->slots[i] - 1];
        if (n->parent == parent && n->symbol == symbol)
            return x->slots[i] - 1;
    }
    return ps->nnodes <= ps->limit ? sum_add_node(ps, parent, symbol) : sum_other(ps);
}

/* --- places --- */

uint32_t sum_place_of(struct profile_sum *ps, uint32_t symbol, const struct profile_place *p)
{
    struct sum_index *x = &ps->place_index;
    uint64_t hash = hash_place(symbol, p);
    for (size_t i = hash & (x->cap - 1); x->cap && x->slots[i]; i = (i + 1) & (x->cap - 1)) {
        const struct sum_place *q = &ps->places[x->slots[i] - 1];
        if (q->symbol == symbol && q->address == p->address && q->line == p->line &&
            strcmp(q->file, p->file) == 0)
            return x->slots[i] - 1;
    }
    if (ps->nplaces >= ps->limit)
        return UINT32_MAX;
    if (widen(x, ps->nplaces))
        for (size_t i = 0; i < ps->nplaces; i++) {
            const struct sum_place *q = &ps->places[i];
            struct profile_place key = {.address = q->address, .file = q->file, .line = q->line};
            put_row(x, hash_place(q->symbol, &key), (uint32_t)i);
        }
    ps->places = sum_room(ps->places, ps->nplaces, &ps->places_cap, sizeof *ps->places);
    ps->places[ps->nplaces] =
        (struct sum_place){.symbol = symbol,
                           .line = p->line,
                           .address = p->address,
                           .file = sum_keep(ps, p->file, ps->symbols[symbol].file)};
    put_row(x, hash, (uint32_t)ps->nplaces);
    return (uint32_t)ps->nplaces++;
}
