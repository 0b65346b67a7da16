/*
 * Short spans as sums, where memory does not hold all: the longest are kept one by one. What was
 * short enough once is folded as it comes from then on, so that the work stays in proportion.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/store.h"
#include "base/arena.h"

/* Durations by magnitude: four buckets to each doubling. */
#define OTHERS "(others)"
enum { BUCKETS = 256, FOLDS_LEAST = 1000 };

static unsigned bucket_of(uint64_t ns)
{
    if (ns < 4)
        return (unsigned)ns;
    unsigned log = 63 - (unsigned)__builtin_clzll(ns);
    return log * 4 + (unsigned)(ns >> (log - 2) & 3);
}

/* The least duration that is in the bucket. */
static uint64_t least_of(unsigned bucket)
{
    return bucket < 8 ? bucket < 4 ? bucket : 4 : (uint64_t)(4 + bucket % 4) << (bucket / 4 - 2);
}

/* --- sums --- */

static uint64_t hash_of(uint32_t lane, uint32_t name, uint32_t kind)
{
    const uint32_t key[3] = {lane, name, kind};
    return chrome_hash(3, (const char *)key, sizeof key);
}

static void widen(struct chrome_store *s)
{
    struct chrome_slots *slots = &s->fold_slots;
    if (2 * (s->folds.n + 1) <= slots->size)
        return;
    free(slots->at);
    slots->size = slots->size ? slots->size * 2 : 256;
    slots->at = xcalloc(slots->size, sizeof *slots->at);
    for (uint32_t i = 0; i < s->folds.n; i++) {
        const struct chrome_fold *f = &s->folds.at[i];
        uint32_t at = (uint32_t)hash_of(f->lane, f->name, f->kind) & (slots->size - 1);
        while (slots->at[at])
            at = (at + 1) & (slots->size - 1);
        slots->at[at] = i + 1;
    }
}

/* NULL: no room for another one. */
static struct chrome_fold *fold_of(struct chrome_store *s, uint32_t lane, uint32_t name,
                                   uint32_t kind)
{
    widen(s);
    uint32_t mask = s->fold_slots.size - 1, at = (uint32_t)hash_of(lane, name, kind) & mask;
    for (; s->fold_slots.at[at]; at = (at + 1) & mask) {
        struct chrome_fold *f = &s->folds.at[s->fold_slots.at[at] - 1];
        if (f->lane == lane && f->name == name && f->kind == kind)
            return f;
    }
    if (!CHROME_GROW(s->folds))
        return NULL;
    struct chrome_fold *f = &s->folds.at[s->folds.n++];
    *f = (struct chrome_fold){.lane = lane, .name = name, .kind = kind, .min = UINT64_MAX};
    s->fold_slots.at[at] = s->folds.n;
    return f;
}

static bool add(struct chrome_store *s, uint32_t lane, uint32_t name, uint32_t kind, uint64_t ns)
{
    struct chrome_fold *f = fold_of(s, lane, name, kind);
    if (!f)
        return false;
    f->count++;
    f->total += ns;
    f->sum_squares += (double)ns * (double)ns;
    f->min = ns < f->min ? ns : f->min;
    f->max = ns > f->max ? ns : f->max;
    return true;
}

/* Sums of as many names as there are spans would be no better than spans. */
static bool too_many(const struct chrome_store *s)
{
    return s->folds.n >= s->room / 4 + FOLDS_LEAST;
}

bool chrome_fold_span(struct chrome_store *s, uint32_t lane, const char *name, uint32_t kind,
                      uint64_t duration)
{
    if (duration >= s->fold_below)
        return false;
    if (!add(s, lane, graph_intern(s->trace->calls, too_many(s) ? OTHERS : name), kind, duration))
        return false;
    s->trace->so_far++;
    return true;
}

/* --- room --- */

/* What has a part in something else is kept: begins whose ends are to come, asynchronous ones. */
static bool may_go(const struct chrome_span *x)
{
    return x->duration != CHROME_OPEN && !(x->bits & (SPAN_ASYNC | SPAN_NODE));
}

/* Takes a span away; false: it stays. */
static bool fold(struct chrome_store *s, const struct chrome_span *x)
{
    uint32_t name = too_many(s) ? graph_intern(s->trace->calls, OTHERS) : x->name;
    if (!add(s, x->lane, name, x->kind, x->duration))
        return false;
    s->lanes.at[x->lane].spans--;
    return true;
}

struct move { /* of the lists that name spans by number, in their order */
    uint32_t work, work_to, mark, async;
};

/* Span from is now number to; gone: it was folded. */
static void follow(struct chrome_store *s, struct move *m, uint32_t from, uint32_t to, bool gone)
{
    while (m->work < s->work.n && s->work.at[m->work].span == from) {
        struct chrome_work w = s->work.at[m->work++];
        w.span = to;
        if (!gone)
            s->work.at[m->work_to++] = w;
    }
    for (; m->mark < s->marks.n &&
           (s->marks.at[m->mark].span == from || s->marks.at[m->mark].span == CHROME_NONE);
         m->mark++)
        if (s->marks.at[m->mark].span == from)
            s->marks.at[m->mark].span = to;
    for (; m->async < s->async.n &&
           (s->async.at[m->async].span == from || s->async.at[m->async].span == CHROME_NONE);
         m->async++)
        if (s->async.at[m->async].span == from)
            s->async.at[m->async].span = to;
}

/* What the shorter half of those that may go takes less than; and how many of just that length are
 * of that half. */
static uint64_t choose(const struct chrome_store *s, uint64_t *of_last)
{
    uint64_t *count = xcalloc(BUCKETS, sizeof *count), sum = 0, all = 0;
    unsigned b = 0;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (may_go(&s->spans.at[i])) {
            count[bucket_of(s->spans.at[i].duration)]++;
            all++;
        }
    while (b + 1 < BUCKETS && sum + count[b] < all / 2 + 1)
        sum += count[b++];
    *of_last = all / 2 + 1 - sum;
    free(count);
    return all ? least_of(b) : 0;
}

/* Decides how many spans this file may keep: of several files each gets an equal share of the
 * limit, and what the files before it did not use. */
static void find_room(struct chrome_store *s)
{
    struct trace *t = s->trace;
    uint64_t files = t->of_files ? t->of_files : 1, all = trace_room(t);
    uint64_t share = all / files * (t->at_file + 1), used = t->calls->nnodes;
    s->room = (uint32_t)(share > used + FOLDS_LEAST ? share - used : FOLDS_LEAST);
    s->fold_at = s->room;
}

static void fold_below(struct chrome_store *s, uint64_t below, uint64_t left)
{
    uint64_t above = least_of(bucket_of(below) + 1);
    struct move m = {0};
    uint32_t to = 0;
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span x = s->spans.at[i];
        bool edge = x.duration >= below && x.duration < above && left > 0;
        bool gone = may_go(&x) && (x.duration < below || edge) && fold(s, &x);
        left -= gone && edge;
        follow(s, &m, i, to, gone);
        if (!gone)
            s->spans.at[to++] = x;
    }
    s->spans.n = to;
    s->work.n = m.work_to;
}

void chrome_fold_make_room(struct chrome_store *s)
{
    if (s->room == 0)
        find_room(s);
    if (s->spans.n < s->fold_at)
        return;
    uint64_t left, below = choose(s, &left);
    fold_below(s, below, left);
    s->fold_below = below > s->fold_below ? below : s->fold_below;
    /* what cannot be folded yet is not looked at again and again */
    s->fold_at = 2 * s->spans.n > s->room ? 2 * s->spans.n : s->room;
}

int chrome_fold_matched(struct chrome_store *s, const char *path, struct error *err)
{
    if (s->room == 0)
        find_room(s);
    while (s->spans.n > s->room && s->async.n == 0 && !s->rooftop) {
        uint32_t before = s->spans.n;
        s->fold_at = 0;
        chrome_fold_make_room(s);
        if (s->spans.n > before - before / 8)
            break;
    }
    return trace_check_room(s->trace, s->trace->calls->nnodes + (uint64_t)s->spans.n / 5 * 4, path,
                            err);
}

static int by_lane(const void *a, const void *b)
{
    const struct chrome_fold *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->name != y->name ? (x->name < y->name ? -1 : 1)
                              : (x->kind > y->kind) - (x->kind < y->kind);
}

/* One lane's together; nothing is folded any more. */
void chrome_fold_tell(struct chrome_store *s)
{
    if (s->folds.n)
        qsort(s->folds.at, s->folds.n, sizeof *s->folds.at, by_lane);
    for (uint32_t i = 0; i < s->folds.n; i++) {
        const struct chrome_fold *f = &s->folds.at[i];
        enum node_kind kind = f->kind >= NODE_KINDS ? NODE_BRICK : (enum node_kind)f->kind;
        trace_fold(s->trace,
                   &(struct trace_folded){s->lanes.at[f->lane].node, f->name, kind, f->count,
                                          f->total, f->min, f->max, f->sum_squares});
    }
}
