#include "engine/syscalls/snapshot/calls_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"

struct making {
    struct calls_profile *out;
    enum hot_weight weight;
    struct hot_symbol *symbols;
    struct hot_node *nodes;
    struct hot_place *places;
    size_t nsymbols, symbols_cap, nnodes, nodes_cap, nplaces, places_cap;
    struct hash_table symbol_index, node_index;
    uint32_t *frame_symbol; /* for each frame's id: 1 + index of its symbol; 0: none yet */
    uint32_t *frame_place;  /* for each frame's id: 1 + index of its place; 0: none yet */
    uint64_t *counted;      /* for each frame's id: the last stack, from 1, that counted it */
    size_t nframes;
    uint64_t samples;
};

static uint32_t find_or_add_symbol(struct making *m, const struct hot_symbol *s)
{
    const uint64_t hash = hash_text(hash_text(hash_text(s->inlined, s->name), s->path), s->file);
    HASH_EACH (&m->symbol_index, hash, i) {
        const struct hot_symbol *k = m->symbols ? &m->symbols[i] : s; /* none yet: unused */
        if (k->inlined == s->inlined && strcmp(k->name, s->name) == 0 &&
            strcmp(k->path, s->path) == 0 && strcmp(k->file, s->file) == 0)
            return (uint32_t)i;
    }
    hash_table_add(&m->symbol_index, hash, m->nsymbols);
    LIST_ROOM(m->symbols, m->nsymbols, m->symbols_cap);
    m->symbols[m->nsymbols] = *s;
    return (uint32_t)m->nsymbols++;
}

static enum hot_where find_where_of_frame(const struct syscall_frame *f)
{
    if (!f->function[0])
        return HOT_UNKNOWN;
    if (strcmp(f->module, "[vdso]") == 0)
        return HOT_VDSO;
    return strcmp(f->module, "[jit]") == 0 ? HOT_JIT : HOT_USER;
}

static uint32_t symbol_of_frame(struct making *m, const struct syscall_frame *f)
{
    char name[256];
    uint32_t *known = &m->frame_symbol[f->id];
    if (*known)
        return *known - 1;
    const bool file = f->module[0] == '/';
    const char *text = syscall_frame_name(f, name, sizeof name);
    *known = 1 + find_or_add_symbol(
                     m, &(struct hot_symbol){
                            .name = text == name ? arena_strdup(&m->out->arena, name) : text,
                            .module = syscall_frame_module(f),
                            .path = file ? f->module : "",
                            .file = f->file,
                            .address = f->offset ? f->address - f->offset : 0,
                            .where = (uint8_t)find_where_of_frame(f),
                            .inlined = f->inlined});
    return *known - 1;
}

static int32_t find_or_add_stack_node(struct making *m, int32_t parent, uint32_t symbol)
{
    const uint64_t hash = hash_number((uint64_t)(int64_t)parent, symbol);
    HASH_EACH (&m->node_index, hash, i)
        if (m->nodes && m->nodes[i].parent == parent && m->nodes[i].symbol == symbol)
            return (int32_t)i;
    hash_table_add(&m->node_index, hash, m->nnodes);
    LIST_ROOM(m->nodes, m->nnodes, m->nodes_cap);
    m->nodes[m->nnodes] = (struct hot_node){.parent = parent, .symbol = symbol};
    return (int32_t)m->nnodes++;
}

/* Adds a stack's weight to the line of a frame, once for each stack, also in a recursion. */
static void add_place_of_frame(struct making *m, const struct syscall_frame *f, uint32_t symbol,
                               uint64_t weight, uint64_t stack)
{
    if (m->counted[f->id] == stack)
        return;
    m->counted[f->id] = stack;
    if (!m->frame_place[f->id]) {
        LIST_ROOM(m->places, m->nplaces, m->places_cap);
        m->places[m->nplaces++] = (struct hot_place){.symbol = symbol,
                                                     .address = f->address ? f->address - 1 : 0,
                                                     .file = f->file,
                                                     .line = f->line};
        m->frame_place[f->id] = (uint32_t)m->nplaces;
    }
    m->places[m->frame_place[f->id] - 1].samples += weight;
}

static void know_frames(struct making *m, const struct syscall_stack *stack)
{
    for (uint32_t i = 0; stack && i < stack->n; i++)
        if (stack->frames[i]->id >= m->nframes)
            m->nframes = stack->frames[i]->id + (size_t)1;
}

static void add_stack_sum(struct making *m, const struct syscalls_stack_sum *sum, uint64_t number)
{
    const uint64_t weight = m->weight == HOT_TIME ? sum->total_ns : sum->calls;
    char name[64];
    int32_t at = -1;
    m->out->calls += sum->calls;
    m->out->total_ns += sum->total_ns;
    m->samples += weight;
    if (!sum->stack) {
        m->out->without += sum->calls;
        at = find_or_add_stack_node(
            m, -1,
            find_or_add_symbol(m, &(struct hot_symbol){.name = CALLS_NO_STACK,
                                                       .module = "",
                                                       .path = "",
                                                       .file = "",
                                                       .where = HOT_UNKNOWN}));
    }
    for (uint32_t i = sum->stack ? sum->stack->n : 0; i-- > 0;) {
        const struct syscall_frame *f = sum->stack->frames[i];
        const uint32_t symbol = symbol_of_frame(m, f);
        at = find_or_add_stack_node(m, at, symbol);
        add_place_of_frame(m, f, symbol, weight, number);
    }
    syscalls_call_name(sum->abi, sum->number, name, sizeof name);
    at = find_or_add_stack_node(
        m, at,
        find_or_add_symbol(m, &(struct hot_symbol){.name = arena_strdup(&m->out->arena, name),
                                                   .module = "[kernel]",
                                                   .path = "",
                                                   .file = "",
                                                   .where = HOT_KERNEL}));
    m->nodes[at].self += weight;
}

/* Compares names from the outermost frame on, so that siblings are in order; then the call. */
static int by_path(const void *a, const void *b)
{
    const struct syscalls_stack_sum *x = *(const struct syscalls_stack_sum *const *)a,
                                    *y = *(const struct syscalls_stack_sum *const *)b;
    const uint32_t n = x->stack ? x->stack->n : 0;
    const uint32_t k = y->stack ? y->stack->n : 0;
    for (uint32_t i = 0; i < n && i < k; i++) {
        const struct syscall_frame *p = x->stack->frames[n - 1 - i],
                                   *q = y->stack->frames[k - 1 - i];
        if (p == q)
            continue;
        int c = strcmp(p->function, q->function);
        c = c ? c : strcmp(p->module, q->module);
        c = c ? c : strcmp(p->file, q->file);
        if (c)
            return c;
        if (!p->function[0] && p->address != q->address)
            return p->address < q->address ? -1 : 1;
    }
    if (n != k)
        return n < k ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x > y) - (x < y);
}

static void fill_calls_profile(struct making *m, const struct syscalls_snapshot *p)
{
    m->out->stacks = (struct hot_stacks){.event = "system calls",
                                         .callgraph = CALLGRAPH_DWARF,
                                         .weight = (uint8_t)m->weight,
                                         .samples = m->samples,
                                         .lost = p->lost,
                                         .seconds = (double)(p->end_ns - p->begin_ns) / 1e9,
                                         .symbols = m->symbols,
                                         .nsymbols = m->nsymbols,
                                         .nodes = m->nodes,
                                         .nnodes = m->nnodes,
                                         .places = m->places,
                                         .nplaces = m->nplaces};
}

void calls_profile_make(struct calls_profile *out, const struct syscalls_snapshot *p,
                        enum hot_weight weight)
{
    struct making m = {.out = out, .weight = weight};
    const struct syscalls_stack_sum **order = xcalloc(p->nstack_sums + 1, sizeof *order);
    *out = (struct calls_profile){.calls = 0};
    for (size_t i = 0; i < p->nstack_sums; i++) {
        order[i] = &p->stack_sums[i];
        know_frames(&m, order[i]->stack);
    }
    m.frame_symbol = xcalloc(m.nframes + 1, sizeof *m.frame_symbol);
    m.frame_place = xcalloc(m.nframes + 1, sizeof *m.frame_place);
    m.counted = xcalloc(m.nframes + 1, sizeof *m.counted);
    qsort(order, p->nstack_sums, sizeof *order, by_path);
    for (size_t i = 0; i < p->nstack_sums; i++)
        add_stack_sum(&m, order[i], i + 1);
    fill_calls_profile(&m, p);
    free(order);
    free(m.frame_symbol);
    free(m.frame_place);
    free(m.counted);
    hash_table_free(&m.symbol_index);
    hash_table_free(&m.node_index);
}

void calls_profile_add(struct syscalls_snapshot *p)
{
    static const enum hot_weight weights[] = {HOT_TIME, HOT_CALLS};
    for (size_t i = 0; p->stacks && i < sizeof weights / sizeof *weights; i++) {
        if (weights[i] == HOT_TIME && !p->has_times)
            continue;
        p->by_function[i] = xcalloc(1, sizeof *p->by_function[i]);
        calls_profile_make(p->by_function[i], p, weights[i]);
    }
}

void calls_profile_free(struct calls_profile *c)
{
    free((void *)c->stacks.symbols);
    free((void *)c->stacks.nodes);
    free((void *)c->stacks.places);
    arena_free(&c->arena);
    *c = (struct calls_profile){.calls = 0};
}
