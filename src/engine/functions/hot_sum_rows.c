/* Symbols, nodes and places, each stored once and found by content. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/functions/hot_sum_impl.h"

static uint64_t hash_function_symbol(const struct hot_symbol *s)
{
    uint64_t h = hash_text(0, s->name);
    return hash_number(hash_text(hash_text(h, s->module), s->file), s->inlined);
}

static uint64_t hash_node(uint32_t parent, uint32_t symbol)
{
    return hash_number(hash_number(1, parent), symbol);
}

static uint64_t hash_place(uint32_t symbol, const struct hot_place *p)
{
    return hash_number(hash_text(hash_number(hash_number(2, symbol), p->address), p->file),
                       (uint64_t)p->line);
}

static int hot_symbol_order(const struct hot_symbol *a, const struct hot_symbol *b)
{
    int d = strcmp(a->name, b->name);
    d = d ? d : strcmp(a->module, b->module);
    d = d ? d : strcmp(a->file, b->file);
    return d ? d : (int)a->inlined - (int)b->inlined;
}

static bool has_text_room(const struct hot_sum *ps)
{
    return ps->compacting || ps->text_bytes < HOT_SUM_TEXTS;
}

const char *sum_keep(struct hot_sum *ps, const char *text, const char *same)
{
    if (same && strcmp(text, same) == 0)
        return same;
    ps->text_bytes += strlen(text) + 1;
    return arena_strdup(&ps->texts, text);
}

/* --- symbols --- */

static uint32_t add_hot_symbol(struct hot_sum *ps, const struct hot_symbol *s, uint64_t hash)
{
    const struct hot_symbol *near = ps->nsymbols ? &ps->symbols[ps->nsymbols - 1] : NULL;
    struct hot_symbol copy = *s;
    copy.name = sum_keep(ps, s->name, NULL);
    copy.module = sum_keep(ps, s->module, near ? near->module : NULL);
    copy.path = sum_keep(ps, s->path, near ? near->path : NULL);
    copy.file = sum_keep(ps, s->file, near ? near->file : NULL);
    LIST_ROOM(ps->symbols, ps->nsymbols, ps->symbols_cap);
    ps->symbols[ps->nsymbols] = copy;
    hash_table_add(&ps->symbol_table, hash, ps->nsymbols);
    return (uint32_t)ps->nsymbols++;
}

static uint32_t other_symbol(struct hot_sum *ps)
{
    static const struct hot_symbol other = {
        .name = HOT_OTHER, .module = "", .path = "", .file = "", .where = HOT_UNKNOWN};
    if (!ps->other_symbol)
        ps->other_symbol = add_hot_symbol(ps, &other, hash_function_symbol(&other)) + 1;
    return ps->other_symbol - 1;
}

uint32_t sum_symbol(struct hot_sum *ps, const struct hot_symbol *s)
{
    uint64_t hash = hash_function_symbol(s);
    HASH_EACH (&ps->symbol_table, hash, i)
        if (hot_symbol_order(&ps->symbols[i], s) == 0)
            return i;
    const bool room = ps->nsymbols < ps->limit && has_text_room(ps);
    return room ? add_hot_symbol(ps, s, hash) : other_symbol(ps);
}

/* --- nodes --- */

/* Inserts in front; children are sorted when the view is made. */
static void link_sum_child(struct hot_sum *ps, uint32_t id)
{
    struct sum_node *parent = &ps->nodes[ps->nodes[id].parent];
    ps->nodes[id].sibling = parent->first_child;
    parent->first_child = id;
    parent->unsorted = true;
}

static int by_symbol(const void *a, const void *b, void *ctx)
{
    const struct hot_sum *ps = ctx;
    return hot_symbol_order(&ps->symbols[*(const uint32_t *)a], &ps->symbols[*(const uint32_t *)b]);
}

/* Sorts the new symbols and merges them from the end into the old ones, because most are old. */
void sum_sort_symbols(struct hot_sum *ps)
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
    const struct hot_sum *ps = ctx;
    const struct sum_node *p = &ps->nodes[*(const uint32_t *)a],
                          *q = &ps->nodes[*(const uint32_t *)b];
    return hot_symbol_order(&ps->symbols[p->symbol], &ps->symbols[q->symbol]);
}

static void sort_children(struct hot_sum *ps, struct sum_node *parent)
{
    size_t n = 0, cap = 0;
    uint32_t *child = NULL;
    for (uint32_t at = parent->first_child; at; at = ps->nodes[at].sibling)
        LIST_ADD(child, n, cap, at);
    if (n)
        qsort_r(child, n, sizeof *child, by_row_name, ps);
    for (size_t i = 0; i < n; i++)
        ps->nodes[child[i]].sibling = i + 1 < n ? child[i + 1] : 0;
    parent->first_child = n ? child[0] : 0;
    parent->unsorted = false;
    free(child);
}

void sum_sort_nodes(struct hot_sum *ps)
{
    for (size_t i = 0; i < ps->nnodes; i++)
        if (ps->nodes[i].unsorted)
            sort_children(ps, &ps->nodes[i]);
}

uint32_t sum_add_node(struct hot_sum *ps, uint32_t parent, uint32_t symbol)
{
    LIST_ROOM(ps->nodes, ps->nnodes, ps->nodes_cap);
    uint32_t id = (uint32_t)ps->nnodes++;
    ps->nodes[id] = (struct sum_node){.parent = parent, .symbol = symbol};
    if (id == 0)
        return 0;
    hash_table_add(&ps->node_table, hash_node(parent, symbol), id);
    link_sum_child(ps, id);
    return id;
}

uint32_t sum_other(struct hot_sum *ps)
{
    if (!ps->other_node)
        ps->other_node = sum_add_node(ps, 0, other_symbol(ps));
    return ps->other_node;
}

uint32_t sum_node_of(struct hot_sum *ps, uint32_t parent, uint32_t symbol)
{
    if (parent && parent == ps->other_node) /* what was folded stays one row */
        return parent;
    uint64_t hash = hash_node(parent, symbol);
    HASH_EACH (&ps->node_table, hash, i)
        if (ps->nodes[i].parent == parent && ps->nodes[i].symbol == symbol)
            return i;
    return ps->nnodes <= ps->limit ? sum_add_node(ps, parent, symbol) : sum_other(ps);
}

/* --- places --- */

uint32_t sum_place_of(struct hot_sum *ps, uint32_t symbol, const struct hot_place *p)
{
    uint64_t hash = hash_place(symbol, p);
    HASH_EACH (&ps->place_table, hash, i) {
        const struct sum_place *q = &ps->places[i];
        if (q->symbol == symbol && q->address == p->address && q->line == p->line &&
            strcmp(q->file, p->file) == 0)
            return i;
    }
    if (ps->nplaces >= ps->limit || !has_text_room(ps))
        return UINT32_MAX;
    LIST_ROOM(ps->places, ps->nplaces, ps->places_cap);
    ps->places[ps->nplaces] =
        (struct sum_place){.symbol = symbol,
                           .line = p->line,
                           .address = p->address,
                           .file = sum_keep(ps, p->file, ps->symbols[symbol].file)};
    hash_table_add(&ps->place_table, hash, ps->nplaces);
    return (uint32_t)ps->nplaces++;
}
