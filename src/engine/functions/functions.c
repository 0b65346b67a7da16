#include "engine/functions/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/value/value.h"

/* The tree with links downwards; numbers are nodes + 1, 0 = none. */
struct links {
    uint32_t *first, *next, root;
};

static void link_tree_nodes(const struct hot_stacks *p, struct links *l)
{
    l->first = xcalloc(p->nnodes, sizeof *l->first);
    l->next = xcalloc(p->nnodes, sizeof *l->next);
    l->root = 0;
    for (size_t i = p->nnodes; i-- > 0;) {
        int32_t parent = p->nodes[i].parent;
        uint32_t *head = parent < 0 ? &l->root : &l->first[parent];
        l->next[i] = *head;
        *head = (uint32_t)i + 1;
    }
}

/* Samples in each node and all below it. */
static uint64_t *subtree_samples(const struct hot_stacks *p)
{
    uint64_t *sum = xcalloc(p->nnodes, sizeof *sum);
    for (size_t i = p->nnodes; i-- > 0;) {
        sum[i] += p->nodes[i].self;
        if (p->nodes[i].parent >= 0)
            sum[p->nodes[i].parent] += sum[i];
    }
    return sum;
}

/*
 * Walks the tree down and up again. A function that is on the path already is recursive; its
 * samples count where it was entered first.
 */
static void add_samples_to_functions(const struct hot_stacks *p, struct function_row *rows)
{
    struct links l;
    link_tree_nodes(p, &l);
    uint64_t *sum = subtree_samples(p);
    uint32_t *entered = xcalloc(p->nsymbols, sizeof *entered);
    uint32_t at = l.root;
    while (at) {
        const struct hot_node *n = &p->nodes[at - 1];
        rows[n->symbol].self += n->self;
        if (entered[n->symbol]++ == 0)
            rows[n->symbol].total += sum[at - 1];
        if (l.first[at - 1]) {
            at = l.first[at - 1];
            continue;
        }
        for (;;) { /* leave nodes without further children */
            const struct hot_node *left = &p->nodes[at - 1];
            entered[left->symbol]--;
            if (l.next[at - 1]) {
                at = l.next[at - 1];
                break;
            }
            at = left->parent < 0 ? 0 : (uint32_t)left->parent + 1;
            if (!at)
                break;
        }
    }
    free(entered);
    free(sum);
    free(l.first);
    free(l.next);
}

static int by_samples(const void *a, const void *b, void *ctx)
{
    const struct function_row *x = a, *y = b;
    const struct hot_stacks *p = ctx;
    if (x->self != y->self)
        return x->self < y->self ? 1 : -1;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    int order = strcmp(p->symbols[x->symbol].name, p->symbols[y->symbol].name);
    return order ? order : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

size_t functions_list(const struct hot_stacks *p, struct function_row **rows)
{
    *rows = xcalloc(p->nsymbols, sizeof **rows);
    for (size_t i = 0; i < p->nsymbols; i++)
        (*rows)[i].symbol = (uint32_t)i;
    if (p->nnodes)
        add_samples_to_functions(p, *rows);
    if (p->nsymbols)
        qsort_r(*rows, p->nsymbols, sizeof **rows, by_samples, (void *)p);
    return p->nsymbols;
}

double functions_percent(const struct hot_stacks *p, uint64_t samples)
{
    return p->samples ? (double)samples / (double)p->samples * 100 : 0;
}

void functions_source(const struct hot_symbol *s, char *out, size_t size)
{
    out[0] = '\0';
    if (s->file[0] && s->line > 0)
        snprintf(out, size, "%s:%d", s->file, s->line);
    else if (s->file[0])
        snprintf(out, size, "%s", s->file);
}

const char *functions_callgraph_name(enum callgraph c)
{
    if (c == CALLGRAPH_DWARF)
        return "dwarf";
    return c == CALLGRAPH_NONE ? "none" : "fp";
}

const char *functions_where_name(enum hot_where w)
{
    switch (w) {
    case HOT_USER:
        return "user";
    case HOT_KERNEL:
        return "kernel";
    case HOT_JIT:
        return "jit";
    case HOT_VDSO:
        return "vdso";
    case HOT_UNKNOWN:
        break;
    }
    return "unknown";
}

/* How amounts of each weight are written. */
static const struct weight_words {
    const char *name, *one; /* one NULL: the number has its unit */
    bool time;
    bool scaled; /* the number is written as one of this unit, with its prefix */
    enum unit unit;
} weight_words[HOT_WEIGHTS] = {
    [HOT_SAMPLES] = {"samples", " sample", false, false, UNIT_NONE},
    [HOT_TIME] = {"time in calls", NULL, true, false, UNIT_NONE},
    [HOT_CALLS] = {"calls", " call", false, false, UNIT_NONE},
    [HOT_CPU_TIME] = {"time", NULL, true, false, UNIT_NONE},
    [HOT_BYTES] = {"bytes", NULL, false, true, UNIT_BYTES},
    [HOT_EVENTS] = {"events", " event", false, true, UNIT_COUNT},
};

static const struct weight_words *words_of_weight(const struct hot_stacks *p)
{
    return &weight_words[p->weight < HOT_WEIGHTS ? p->weight : HOT_SAMPLES];
}

const char *hot_number(const struct hot_stacks *p, uint64_t samples, bool ascii,
                       char out[HOT_AMOUNT_MAX])
{
    const struct weight_words *w = words_of_weight(p);
    char text[VALUE_TEXT_MAX];
    if (w->time)
        snprintf(out, HOT_AMOUNT_MAX, "%s", value_time((double)samples, ascii, text));
    else if (w->scaled)
        snprintf(out, HOT_AMOUNT_MAX, "%s", value_text((double)samples, w->unit, ascii, text));
    else
        snprintf(out, HOT_AMOUNT_MAX, "%" PRIu64, samples);
    return out;
}

const char *hot_amount(const struct hot_stacks *p, uint64_t samples, bool ascii,
                       char out[HOT_AMOUNT_MAX])
{
    const struct weight_words *w = words_of_weight(p);
    const char *many = samples == 1 ? "" : "s";
    char number[HOT_AMOUNT_MAX];
    snprintf(out, HOT_AMOUNT_MAX, "%.30s%s%s", hot_number(p, samples, ascii, number),
             w->one ? w->one : "", w->one ? many : "");
    return out;
}

const char *hot_weight_name(const struct hot_stacks *p)
{
    return words_of_weight(p)->name;
}
