#include "engine/trace/trace_short.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/trace/collective.h"
#include "engine/value/value.h"

#define OTHERS "(others)"
enum { LEAST = 1000 /* spans of a file, and sums, that are kept in any case */ };

/* --- what is short --- */

static unsigned class_of_duration(uint64_t ns)
{
    if (ns < 4)
        return (unsigned)ns;
    unsigned log = 63 - (unsigned)__builtin_clzll(ns);
    return log * 4 + (unsigned)(ns >> (log - 2) & 3);
}

/* The shortest time in this bucket of lengths. */
static uint64_t least_of(unsigned length)
{
    if (length >= TRACE_LENGTHS)
        return UINT64_MAX;
    if (length < 8)
        return length < 4 ? length : 4;
    return (uint64_t)(4 + length % 4) << (length / 4 - 2);
}

void trace_lengths_add(struct trace_lengths *l, uint64_t ns)
{
    l->count[class_of_duration(ns)]++;
    l->n++;
}

struct trace_cut trace_cut_of(const struct trace_lengths *l, uint64_t keep)
{
    uint64_t go = l->n > keep ? l->n - keep : 0;
    unsigned i = 0;
    if (go == 0)
        return (struct trace_cut){0};
    for (; i + 1 < TRACE_LENGTHS && go >= l->count[i]; i++)
        go -= l->count[i];
    return (struct trace_cut){.below = least_of(i), .above = least_of(i + 1), .left = go};
}

uint64_t trace_file_memory_left(struct trace *t)
{
    uint64_t files = t->of_files ? t->of_files : 1, all = trace_memory_left(t);
    uint64_t share = all / files * (t->at_file + 1), used = t->calls->nnodes;
    return share > used + LEAST ? share - used : LEAST;
}

struct trace_cut trace_cut_for(struct trace *t, const struct trace_lengths *l)
{
    uint64_t room = trace_file_memory_left(t);
    return trace_cut_of(l, room - room / 16);
}

/* --- sums --- */

static struct trace_folded *find_or_add_folded(struct trace_shorts *s, uint32_t lane, uint32_t name,
                                               enum node_kind kind)
{
    uint64_t hash = hash_number(hash_number(kind, lane), name);
    HASH_EACH (&s->by_content, hash, i) {
        struct trace_folded *f = &s->list[i];
        if (f->lane == lane && f->name == name && f->kind == kind)
            return f;
    }
    hash_table_add(&s->by_content, hash, s->n);
    LIST_ROOM(s->list, s->n, s->cap);
    struct trace_folded *f = &s->list[s->n++];
    *f = (struct trace_folded){.lane = lane, .name = name, .kind = kind, .min = UINT64_MAX};
    return f;
}

/* Whether there are so many sums that they save no memory over spans. */
static bool are_sums_too_many(const struct trace_shorts *s)
{
    return s->n >= trace_memory_left(s->t) / 4 + LEAST;
}

uint32_t trace_shorts_name(struct trace_shorts *s, const char *text)
{
    return graph_intern(s->t->calls, are_sums_too_many(s) ? OTHERS : text);
}

void trace_shorts_add(struct trace_shorts *s, uint32_t lane, uint32_t name, enum node_kind kind,
                      uint64_t ns)
{
    if (are_sums_too_many(s))
        name = graph_intern(s->t->calls, OTHERS);
    struct trace_folded *f = find_or_add_folded(s, lane, name, kind);
    f->count++;
    f->total += ns;
    f->sum_squares += (double)ns * (double)ns;
    f->min = ns < f->min ? ns : f->min;
    f->max = ns > f->max ? ns : f->max;
}

/* --- what stays --- */

bool trace_shorts_keeps(struct trace_shorts *s, enum node_kind kind, uint32_t name)
{
    enum { NOT_ASKED, NO, YES };
    const struct graph *g = s->t->calls;
    if (kind != NODE_KERNEL || name >= g->nnames)
        return false;
    if (name >= s->nstays) {
        const uint32_t known = s->nstays;
        LIST_FIT(s->stays, g->nnames, s->nstays);
        memset(s->stays + known, NOT_ASKED, s->nstays - known);
    }
    if (s->stays[name] == NOT_ASKED)
        s->stays[name] = collective_of(graph_text(g, name)) != COLLECTIVE_NONE ? YES : NO;
    return s->stays[name] == YES;
}

/* Whether a span that is not short goes instead of one that stays: the more are owed, the longer it
 * may be. */
static bool goes_instead(const struct trace_cut *c, uint64_t ns)
{
    enum { STEP = 64, MOST = 63 };
    const uint64_t doublings = c->owed / STEP;
    return c->owed > 0 && ns >> (doublings < MOST ? doublings : MOST) < c->above;
}

bool trace_shorts_take(struct trace_shorts *s, struct trace_cut *c, uint32_t lane, uint32_t name,
                       enum node_kind kind, uint64_t ns)
{
    const bool is_short = trace_cut_takes(c, ns);
    if (!is_short && !goes_instead(c, ns))
        return false;
    if (trace_shorts_keeps(s, kind, name)) {
        c->owed += is_short;
        return false;
    }
    c->owed -= !is_short;
    trace_shorts_add(s, lane, name, kind, ns);
    return true;
}

/* --- telling the sums --- */

static int compare_folded_sums(const void *a, const void *b)
{
    const struct trace_folded *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

void trace_shorts_tell(struct trace_shorts *s, uint32_t (*node)(void *ctx, uint32_t lane),
                       void *ctx)
{
    for (uint32_t i = 0; node && i < s->n; i++)
        s->list[i].lane = node(ctx, s->list[i].lane);
    if (s->n)
        qsort(s->list, s->n, sizeof *s->list, compare_folded_sums);
    for (uint32_t i = 0; i < s->n; i++)
        trace_fold(s->t, &s->list[i]);
    trace_shorts_free(s);
}

void trace_shorts_free(struct trace_shorts *s)
{
    free(s->list);
    free(s->stays);
    hash_table_free(&s->by_content);
    *s = (struct trace_shorts){.t = s->t};
}

void trace_shorts_note(struct trace *t, const struct trace_folded *list, uint32_t n)
{
    char time[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX], work[160] = "";
    uint64_t ns = 0, works = 0, work_ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        const bool is_work = list[i].kind == NODE_KERNEL || list[i].kind == NODE_TRANSFER;
        ns += list[i].total;
        works += is_work ? list[i].count : 0;
        work_ns += is_work ? list[i].total : 0;
    }
    if (n == 0)
        return;
    if (works)
        snprintf(work, sizeof work,
                 "; %" PRIu64 " are kernels and copies (%s), without which devices seem idle",
                 works, value_time((double)work_ns, true, time));
    trace_note(t,
               "%" PRIu64 " of %" PRIu64 " spans, the shortest (%s in all), are known as sums by "
               "name only: all would take %s, the limit is %s (--max-memory)%s",
               t->folded, t->spans, value_time((double)ns, true, time),
               value_text((double)t->spans * TRACE_SPAN_BYTES, UNIT_BYTES, true, all),
               value_text((double)trace_memory_left(t) * TRACE_SPAN_BYTES, UNIT_BYTES, true, limit),
               work);
}
