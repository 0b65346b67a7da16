#include "engine/functions/hot_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"

struct hot_profile *hot_profile_new(void)
{
    struct hot_profile *p = xcalloc(1, sizeof *p);
    p->stacks.event = "samples";
    p->stacks.callgraph = CALLGRAPH_NONE;
    return p;
}

void hot_profile_free(struct hot_profile *p)
{
    if (!p)
        return;
    arena_free(&p->arena);
    free(p->symbols);
    free(p->nodes);
    hash_table_free(&p->symbol_index);
    hash_table_free(&p->node_index);
    free(p);
}

const char *hot_profile_text(struct hot_profile *p, const char *text, size_t n)
{
    if (n == 0)
        return "";
    p->full |= p->text_bytes + n > HOT_PROFILE_TEXTS;
    if (p->full)
        return "";
    p->text_bytes += n + 1;
    return arena_strndup(&p->arena, text, n);
}

static const char *keep_profile_text(struct hot_profile *p, const char *text)
{
    return text ? hot_profile_text(p, text, strlen(text)) : "";
}

static bool is_profile_symbol(const struct hot_symbol *a, const struct hot_symbol *b)
{
    return a->inlined == b->inlined && strcmp(a->name, b->name) == 0 &&
           strcmp(a->module, b->module) == 0 && strcmp(a->file, b->file) == 0;
}

uint32_t hot_profile_symbol(struct hot_profile *p, const struct hot_symbol *s)
{
    const uint64_t hash = hash_text(hash_text(hash_text(s->inlined, s->name), s->module), s->file);
    HASH_EACH (&p->symbol_index, hash, i)
        if (is_profile_symbol(&p->symbols[i], s))
            return i;
    p->full |= p->nsymbols >= HOT_PROFILE_SYMBOLS;
    if (p->full && p->nsymbols)
        return 0;
    struct hot_symbol own = *s;
    own.name = keep_profile_text(p, s->name);
    own.module = keep_profile_text(p, s->module);
    own.path = keep_profile_text(p, s->path);
    own.file = keep_profile_text(p, s->file);
    hash_table_add(&p->symbol_index, hash, p->nsymbols);
    LIST_ADD(p->symbols, p->nsymbols, p->symbols_cap, own);
    return (uint32_t)p->nsymbols - 1;
}

int32_t hot_profile_node(struct hot_profile *p, int32_t parent, uint32_t symbol)
{
    const uint64_t hash = hash_number((uint64_t)(int64_t)parent, symbol);
    HASH_EACH (&p->node_index, hash, i)
        if (p->nodes[i].parent == parent && p->nodes[i].symbol == symbol)
            return (int32_t)i;
    p->full |= p->nnodes >= HOT_PROFILE_NODES;
    if (p->full && p->nnodes)
        return 0;
    if (parent >= 0)
        p->stacks.callgraph = CALLGRAPH_FP;
    hash_table_add(&p->node_index, hash, p->nnodes);
    LIST_ADD(p->nodes, p->nnodes, p->nodes_cap,
             (struct hot_node){.parent = parent, .symbol = symbol});
    return (int32_t)p->nnodes - 1;
}

static int32_t node_without_stack(struct hot_profile *p)
{
    const struct hot_symbol none = {
        .name = HOT_NO_STACK, .module = "", .path = "", .file = "", .where = HOT_UNKNOWN};
    return hot_profile_node(p, -1, hot_profile_symbol(p, &none));
}

void hot_profile_add(struct hot_profile *p, int32_t node, uint64_t weight)
{
    if (node < 0)
        node = node_without_stack(p);
    if (p->taken == 0)
        p->first_weight = weight;
    p->uneven |= weight != p->first_weight;
    p->overflow |= p->stacks.samples + weight < weight;
    p->nodes[node].self += weight;
    p->stacks.samples += weight;
    p->squares += (double)weight * (double)weight;
    p->taken++;
}

/* Samples that stand for equally many events are counted: the shares are the same, and a number of
 * samples says how certain they are. */
static void count_even_events(struct hot_profile *p)
{
    struct hot_stacks *s = &p->stacks;
    if (s->weight != HOT_EVENTS || p->uneven || p->first_weight == 0)
        return;
    s->weight = HOT_SAMPLES;
    s->samples = p->taken;
    for (size_t i = 0; i < p->nnodes; i++)
        p->nodes[i].self /= p->first_weight;
}

/* --- the order of nodes --- */

struct node_place {
    uint32_t depth, node, parent; /* parent: its new number + 1, known when its depth is done */
    const struct hot_symbol *symbol;
};

static int by_depth_of_node(const void *a, const void *b)
{
    const struct node_place *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int by_caller_and_name(const void *a, const void *b)
{
    const struct node_place *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order = strcmp(x->symbol->name, y->symbol->name);
    if (order == 0)
        order = strcmp(x->symbol->module, y->symbol->module);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Gives the nodes from..to, which have one depth, their new numbers and places. */
static void number_depth(struct hot_profile *p, struct node_place *at, size_t from, size_t to,
                         uint32_t *number, struct hot_node *out)
{
    for (size_t i = from; i < to; i++) {
        const int32_t parent = p->nodes[at[i].node].parent;
        at[i].parent = parent < 0 ? 0 : number[parent] + 1;
    }
    qsort(at + from, to - from, sizeof *at, by_caller_and_name);
    for (size_t i = from; i < to; i++) {
        number[at[i].node] = (uint32_t)i;
        out[i] = p->nodes[at[i].node];
        out[i].parent = (int32_t)at[i].parent - 1;
    }
}

/* Orders the nodes by depth, caller and name, so that equal files give equal trees. */
static void sort_nodes(struct hot_profile *p)
{
    struct node_place *at = xcalloc(p->nnodes + 1, sizeof *at);
    uint32_t *number = xcalloc(p->nnodes + 1, sizeof *number);
    struct hot_node *out = xcalloc(p->nnodes + 1, sizeof *out);
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct hot_node *n = &p->nodes[i];
        const uint32_t above = n->parent < 0 ? 0 : number[n->parent]; /* still depths */
        number[i] = above + 1;
        at[i] = (struct node_place){
            .depth = above, .node = (uint32_t)i, .symbol = &p->symbols[n->symbol]};
    }
    qsort(at, p->nnodes, sizeof *at, by_depth_of_node);
    for (size_t from = 0, to = 0; from < p->nnodes; from = to) {
        while (to < p->nnodes && at[to].depth == at[from].depth)
            to++;
        number_depth(p, at, from, to, number, out);
    }
    free(at);
    free(number);
    free(p->nodes);
    p->nodes = out;
}

static uint32_t deepest_node(const struct hot_profile *p)
{
    uint32_t *depth = xcalloc(p->nnodes + 1, sizeof *depth), most = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        const int32_t parent = p->nodes[i].parent;
        depth[i] = parent < 0 ? 1 : depth[parent] + 1;
        if (depth[i] > most)
            most = depth[i];
    }
    free(depth);
    return most;
}

int hot_profile_end(struct hot_profile *p, const char *path, struct error *err)
{
    if (p->overflow)
        return error_set(err, ERROR_INPUT, EFBIG, NULL, path,
                         "its weights add up to more than 2^64");
    if (deepest_node(p) > HOT_PROFILE_DEPTH)
        return error_set(err, ERROR_INPUT, EFBIG, NULL, path,
                         "it has a stack of more than %d frames", HOT_PROFILE_DEPTH);
    if (p->full)
        return error_set(err, ERROR_INPUT, EFBIG, "record for a shorter time, or fewer processes",
                         path, "it has more call paths or names than %d", HOT_PROFILE_NODES);
    hash_table_free(&p->symbol_index);
    hash_table_free(&p->node_index);
    count_even_events(p);
    sort_nodes(p);
    p->stacks.symbols = p->symbols;
    p->stacks.nsymbols = p->nsymbols;
    p->stacks.nodes = p->nodes;
    p->stacks.nnodes = p->nnodes;
    return 0;
}
