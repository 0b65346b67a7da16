#include "engine/profile_sum.h"

#include <stdlib.h>
#include <string.h>

#include "engine/profile_sum_impl.h"

/* --- rows found by what they are --- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *s)
{
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u; /* FNV-1a, 64 bits */
    return mix(h, 1);
}

static uint64_t hash_symbol(const struct profile_symbol *s)
{
    uint64_t h = mix_text(0xcbf29ce484222325u, s->name);
    return mix(mix_text(mix_text(h, s->module), s->file), s->inlined);
}

static uint64_t hash_node(uint32_t parent, uint32_t symbol)
{
    return mix(mix(1, parent), symbol);
}

static uint64_t hash_place(uint32_t symbol, const struct profile_place *p)
{
    return mix(mix_text(mix(mix(2, symbol), p->address), p->file), (uint64_t)p->line);
}

int profile_symbol_order(const struct profile_symbol *a, const struct profile_symbol *b)
{
    int d = strcmp(a->name, b->name);
    d = d ? d : strcmp(a->module, b->module);
    d = d ? d : strcmp(a->file, b->file);
    return d ? d : (int)a->inlined - (int)b->inlined;
}

static void put(struct sum_index *x, uint64_t hash, uint32_t id)
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

static void *room(void *rows, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return rows;
    *cap = *cap ? *cap * 2 : 256;
    return xrealloc(rows, *cap, size);
}

/* The text itself where it is already kept nearby, else a copy. */
static const char *keep(struct profile_sum *ps, const char *text, const char *same)
{
    return same && strcmp(text, same) == 0 ? same : arena_strdup(&ps->texts, text);
}

/* --- symbols --- */

static uint32_t add_symbol(struct profile_sum *ps, const struct profile_symbol *s)
{
    struct sum_index *x = &ps->symbol_index;
    if (widen(x, ps->nsymbols))
        for (size_t i = 0; i < ps->nsymbols; i++)
            put(x, hash_symbol(&ps->symbols[i]), (uint32_t)i);
    const struct profile_symbol *near = ps->nsymbols ? &ps->symbols[ps->nsymbols - 1] : NULL;
    struct profile_symbol copy = *s;
    copy.name = arena_strdup(&ps->texts, s->name);
    copy.module = keep(ps, s->module, near ? near->module : NULL);
    copy.path = keep(ps, s->path, near ? near->path : NULL);
    copy.file = keep(ps, s->file, near ? near->file : NULL);
    ps->symbols = room(ps->symbols, ps->nsymbols, &ps->symbols_cap, sizeof *ps->symbols);
    ps->symbols[ps->nsymbols] = copy;
    put(x, hash_symbol(s), (uint32_t)ps->nsymbols);
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

static uint32_t symbol_of(struct profile_sum *ps, const struct profile_symbol *s)
{
    const struct sum_index *x = &ps->symbol_index;
    for (size_t i = hash_symbol(s) & (x->cap - 1); x->cap && x->slots[i];
         i = (i + 1) & (x->cap - 1))
        if (profile_symbol_order(&ps->symbols[x->slots[i] - 1], s) == 0)
            return x->slots[i] - 1;
    return ps->nsymbols < ps->limit ? add_symbol(ps, s) : other_symbol(ps);
}

/* --- nodes --- */

/* Siblings stand by name: the view only walks them. */
static void link_child(struct profile_sum *ps, uint32_t id)
{
    const struct profile_symbol *s = &ps->symbols[ps->nodes[id].symbol];
    uint32_t *at = &ps->nodes[ps->nodes[id].parent].first_child;
    while (*at && profile_symbol_order(&ps->symbols[ps->nodes[*at].symbol], s) < 0)
        at = &ps->nodes[*at].sibling;
    ps->nodes[id].sibling = *at;
    *at = id;
}

static uint32_t add_node(struct profile_sum *ps, uint32_t parent, uint32_t symbol)
{
    struct sum_index *x = &ps->node_index;
    if (widen(x, ps->nnodes))
        for (size_t i = 1; i < ps->nnodes; i++)
            put(x, hash_node(ps->nodes[i].parent, ps->nodes[i].symbol), (uint32_t)i);
    ps->nodes = room(ps->nodes, ps->nnodes, &ps->nodes_cap, sizeof *ps->nodes);
    uint32_t id = (uint32_t)ps->nnodes++;
    ps->nodes[id] = (struct sum_node){.parent = parent, .symbol = symbol};
    if (id == 0)
        return 0;
    put(x, hash_node(parent, symbol), id);
    link_child(ps, id);
    return id;
}

static uint32_t other_node(struct profile_sum *ps)
{
    if (!ps->other_node)
        ps->other_node = add_node(ps, 0, other_symbol(ps));
    return ps->other_node;
}

static uint32_t node_of(struct profile_sum *ps, uint32_t parent, uint32_t symbol)
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
    return ps->nnodes <= ps->limit ? add_node(ps, parent, symbol) : other_node(ps);
}

/* --- places --- */

/* UINT32_MAX where there are too many: the line is then unknown, the function is not. */
static uint32_t place_of(struct profile_sum *ps, uint32_t symbol, const struct profile_place *p)
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
            put(x, hash_place(q->symbol, &key), (uint32_t)i);
        }
    ps->places = room(ps->places, ps->nplaces, &ps->places_cap, sizeof *ps->places);
    ps->places[ps->nplaces] =
        (struct sum_place){.symbol = symbol,
                           .line = p->line,
                           .address = p->address,
                           .file = keep(ps, p->file, ps->symbols[symbol].file)};
    put(x, hash, (uint32_t)ps->nplaces);
    return (uint32_t)ps->nplaces++;
}

/* --- intervals --- */

static void add_totals(struct sum_interval *sum, const struct sum_interval *i, bool plus)
{
    sum->samples += plus ? i->samples : -i->samples;
    sum->lost += plus ? i->lost : -i->lost;
    sum->throttled += plus ? i->throttled : -i->throttled;
    sum->seconds += plus ? i->seconds : -i->seconds;
}

/* Into the window or out of it. */
static void count(struct profile_sum *ps, const struct sum_interval *v, bool plus)
{
    for (uint32_t k = 0; k < v->nnodes + v->nplaces; k++) {
        const struct tally *t = &v->tallies[k];
        struct sum_count *c = k < v->nnodes ? &ps->nodes[t->id].count : &ps->places[t->id].count;
        c->window += plus ? t->samples : -(uint64_t)t->samples;
    }
    add_totals(&ps->window, v, plus);
    ps->stale = true;
}

/* The oldest interval is kept no longer: its samples stay in the sum of all. */
static void forget_oldest(struct profile_sum *ps)
{
    struct sum_interval *v = &ps->intervals[ps->head];
    if (ps->window_from <= ps->head) {
        count(ps, v, false);
        ps->window_from = ps->head + 1;
    }
    for (uint32_t k = 0; k < v->nnodes + v->nplaces; k++) {
        const struct tally *t = &v->tallies[k];
        struct sum_count *c = k < v->nnodes ? &ps->nodes[t->id].count : &ps->places[t->id].count;
        c->past += t->samples;
    }
    add_totals(&ps->past, v, true);
    free(v->tallies);
    ps->head++;
    if (ps->head < 64 || ps->head < ps->nintervals / 2)
        return;
    memmove(ps->intervals, ps->intervals + ps->head,
            (ps->nintervals - ps->head) * sizeof *ps->intervals);
    ps->nintervals -= ps->head;
    ps->window_from -= ps->head;
    ps->head = 0;
}

/* An interval belongs to where its middle lies: timers are not exact. */
static bool inside(const struct profile_sum *ps, size_t i, double seconds)
{
    const struct sum_interval *v = &ps->intervals[i];
    return (double)(ps->newest_ns - v->time_ns) / 1e9 + v->seconds / 2 < seconds;
}

static void settle_window(struct profile_sum *ps)
{
    while (ps->nintervals > ps->head + 1 && !inside(ps, ps->head, PROFILE_SUM_KEEP_S))
        forget_oldest(ps);
    size_t from = ps->head;
    while (ps->window_s > 0 && from + 1 < ps->nintervals && !inside(ps, from, ps->window_s))
        from++;
    while (ps->window_from < from)
        count(ps, &ps->intervals[ps->window_from++], false);
    while (ps->window_from > from)
        count(ps, &ps->intervals[--ps->window_from], true);
}

static void keep_last(struct profile_sum *ps, const struct profile *p)
{
    const char *event = ps->last.event, *why = ps->last.why;
    ps->last = *p;
    ps->last.event = keep(ps, p->event ? p->event : "", event);
    ps->last.why = p->why ? keep(ps, p->why, why) : NULL;
}

/* --- starting anew without what is seldom seen --- */

static void free_rows(struct profile_sum *ps)
{
    free(ps->symbols);
    free(ps->nodes);
    free(ps->places);
    free(ps->symbol_index.slots);
    free(ps->node_index.slots);
    free(ps->place_index.slots);
    arena_free(&ps->texts);
}

/* Which node of `to` each node named by a kept interval becomes; 0 for the others. */
static uint32_t *move_nodes(struct profile_sum *to, const struct profile_sum *from)
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
            map[i] = node_of(to, map[n->parent], symbol_of(to, &from->symbols[n->symbol]));
    }
    return map;
}

static uint32_t moved_place(struct profile_sum *to, const struct profile_sum *from, uint32_t id)
{
    const struct sum_place *old = &from->places[id];
    struct profile_place key = {.address = old->address, .file = old->file, .line = old->line};
    return place_of(to, symbol_of(to, &from->symbols[old->symbol]), &key);
}

/* Rows that no kept interval names become one. */
static void compact(struct profile_sum *ps)
{
    struct profile_sum old = *ps;
    uint32_t *places = xcalloc(old.nplaces, sizeof *places); /* number + 1 */
    ps->texts = (struct arena){0};
    ps->symbols = NULL, ps->nodes = NULL, ps->places = NULL;
    ps->nsymbols = ps->nnodes = ps->nplaces = 0;
    ps->symbols_cap = ps->nodes_cap = ps->places_cap = 0;
    ps->symbol_index = ps->node_index = ps->place_index = (struct sum_index){0};
    ps->other_symbol = ps->other_node = 0;
    ps->last = (struct profile){0};
    add_node(ps, 0, 0);
    keep_last(ps, &old.last);
    uint32_t *nodes = move_nodes(ps, &old);
    for (size_t i = ps->head; i < ps->nintervals; i++) {
        struct sum_interval *v = &ps->intervals[i];
        for (uint32_t k = 0; k < v->nnodes; k++)
            v->tallies[k].id = nodes[v->tallies[k].id];
        for (uint32_t k = v->nnodes; k < v->nnodes + v->nplaces; k++) {
            uint32_t *to = &places[v->tallies[k].id];
            if (!*to) /* there are no more than before: all find room */
                *to = moved_place(ps, &old, v->tallies[k].id) + 1;
            v->tallies[k].id = *to - 1;
        }
    }
    for (uint32_t i = 1; i < old.nnodes; i++) {
        const struct sum_count *c = &old.nodes[i].count;
        if (!c->past && !c->window)
            continue;
        uint32_t to = nodes[i] ? nodes[i] : other_node(ps);
        ps->nodes[to].count.past += c->past;
        ps->nodes[to].count.window += c->window;
    }
    for (uint32_t i = 0; i < old.nplaces; i++)
        if (places[i])
            ps->places[places[i] - 1].count = old.places[i].count;
    free(nodes);
    free(places);
    free_rows(&old);
    ps->compacted_ns = ps->newest_ns;
    ps->stale = true;
}

/* --- the interface --- */

struct profile_sum *profile_sum_new(size_t limit)
{
    struct profile_sum *ps = xcalloc(1, sizeof *ps);
    ps->limit = limit ? limit : PROFILE_SUM_LIMIT;
    add_node(ps, 0, 0);
    return ps;
}

static void free_all(struct profile_sum *ps)
{
    for (size_t i = ps->head; i < ps->nintervals; i++)
        free(ps->intervals[i].tallies);
    free(ps->intervals);
    free_rows(ps);
    free(ps->view_symbols);
    free(ps->view_nodes);
    free(ps->view_places);
}

void profile_sum_free(struct profile_sum *ps)
{
    if (!ps)
        return;
    free_all(ps);
    free(ps);
}

void profile_sum_reset(struct profile_sum *ps)
{
    size_t limit = ps->limit;
    double window_s = ps->window_s;
    free_all(ps);
    *ps = (struct profile_sum){.limit = limit, .window_s = window_s};
    add_node(ps, 0, 0);
}

static void *copy(const void *rows, size_t n, size_t size)
{
    void *p = xcalloc(n, size);
    return n ? memcpy(p, rows, n * size) : p;
}

struct profile_sum *profile_sum_clone(const struct profile_sum *ps)
{
    struct profile_sum *c = copy(ps, 1, sizeof *ps);
    size_t n = ps->nintervals - ps->head;
    c->texts = (struct arena){0};
    c->symbols = copy(ps->symbols, ps->nsymbols, sizeof *c->symbols);
    c->symbols_cap = ps->nsymbols;
    for (size_t i = 0; i < c->nsymbols; i++) {
        struct profile_symbol *s = &c->symbols[i];
        s->name = arena_strdup(&c->texts, s->name);
        s->module = keep(c, s->module, i ? s[-1].module : NULL);
        s->path = keep(c, s->path, i ? s[-1].path : NULL);
        s->file = keep(c, s->file, i ? s[-1].file : NULL);
    }
    c->nodes = copy(ps->nodes, ps->nnodes, sizeof *c->nodes);
    c->nodes_cap = ps->nnodes;
    c->places = copy(ps->places, ps->nplaces, sizeof *c->places);
    c->places_cap = ps->nplaces;
    for (size_t i = 0; i < c->nplaces; i++)
        c->places[i].file = keep(c, c->places[i].file, c->symbols[c->places[i].symbol].file);
    struct sum_index *x[] = {&c->symbol_index, &c->node_index, &c->place_index};
    for (size_t i = 0; i < 3; i++)
        x[i]->slots = copy(x[i]->slots, x[i]->cap, sizeof *x[i]->slots);
    c->intervals = copy(ps->intervals + ps->head, n, sizeof *c->intervals);
    c->window_from = ps->window_from - ps->head;
    c->head = 0;
    c->nintervals = c->intervals_cap = n;
    for (size_t i = 0; i < n; i++)
        c->intervals[i].tallies =
            copy(c->intervals[i].tallies, c->intervals[i].nnodes + c->intervals[i].nplaces,
                 sizeof *c->intervals[i].tallies);
    c->last = (struct profile){0};
    keep_last(c, &ps->last);
    c->stale = true;
    c->view_symbols = NULL, c->view_nodes = NULL, c->view_places = NULL;
    return c;
}

void profile_sum_set_window(struct profile_sum *ps, double seconds)
{
    ps->window_s = seconds > PROFILE_SUM_KEEP_S ? PROFILE_SUM_KEEP_S : seconds;
    ps->stale = true;
    settle_window(ps);
}

/* The nodes and places of p as tallies, in memory of the right size. */
static void tally_profile(struct profile_sum *ps, const struct profile *p, struct sum_interval *v)
{
    uint32_t *symbol = xcalloc(p->nsymbols, sizeof *symbol);
    uint32_t *node = xcalloc(p->nnodes, sizeof *node);
    v->tallies = xcalloc(p->nnodes + p->nplaces, sizeof *v->tallies);
    for (size_t i = 0; i < p->nsymbols; i++)
        symbol[i] = symbol_of(ps, &p->symbols[i]);
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct profile_node *n = &p->nodes[i];
        if (n->symbol >= p->nsymbols || n->parent >= (int32_t)i)
            continue;
        node[i] = node_of(ps, n->parent < 0 ? 0 : node[n->parent], symbol[n->symbol]);
        if (n->self)
            v->tallies[v->nnodes++] = (struct tally){node[i], n->self};
    }
    for (size_t i = 0; i < p->nplaces; i++) {
        const struct profile_place *q = &p->places[i];
        uint32_t id =
            q->symbol < p->nsymbols && q->samples ? place_of(ps, symbol[q->symbol], q) : UINT32_MAX;
        if (id != UINT32_MAX)
            v->tallies[v->nnodes + v->nplaces++] = (struct tally){id, q->samples};
    }
    v->tallies = xrealloc(v->tallies, v->nnodes + v->nplaces, sizeof *v->tallies);
    free(symbol);
    free(node);
}

/* Making room is not tried at every interval: where all is new each time, there is none. */
static bool worth_compacting(const struct profile_sum *ps)
{
    uint64_t pause = PROFILE_SUM_KEEP_S / 2 * 1000000000u;
    bool full = ps->nnodes > ps->limit || ps->nsymbols >= ps->limit || ps->nplaces >= ps->limit;
    return full && (!ps->compacted_ns || ps->newest_ns - ps->compacted_ns >= pause);
}

void profile_sum_add(struct profile_sum *ps, const struct profile *p, uint64_t time_ns)
{
    if (time_ns < ps->newest_ns)
        profile_sum_reset(ps);
    ps->newest_ns = time_ns;
    if (worth_compacting(ps))
        compact(ps);
    struct sum_interval v = {.time_ns = time_ns,
                             .samples = p->samples,
                             .lost = p->lost,
                             .throttled = p->throttled,
                             .seconds = p->seconds};
    keep_last(ps, p);
    tally_profile(ps, p, &v);
    ps->intervals = room(ps->intervals, ps->nintervals, &ps->intervals_cap, sizeof v);
    ps->intervals[ps->nintervals++] = v;
    count(ps, &v, true);
    ps->any = true;
    settle_window(ps);
}
