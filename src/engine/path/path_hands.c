/*
 * Finds hand-overs between threads, which no profile records: which thread woke another one after a
 * pause. Some activity always ends shortly before, so more evidence is needed. Either the two take
 * turns: one is quiet as long as the other is active, much more often than if the times of one were
 * moved at random. Or the thread goes on much sooner after an activity of the other one than after
 * a random moment.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/watch.h"
#include "engine/graph/execution.h"
#include "engine/path/path_work.h"

enum { MOST_THREADS = 128, SAMPLES = 100, FEWEST = 3 };

/* How two threads are known to hand over. */
enum { TAKES_TURNS = 1, GOES_ON_SOON = 2 };

struct phase { /* a period in which a thread is active */
    uint32_t first, last;
};

struct thread {
    uint32_t lane;
    const uint32_t *busy; /* its activities that are not quiet */
    const struct phase *phases;
    uint32_t nbusy, nphases;
};

struct hand_overs {
    struct path_work *w;
    struct thread list[MOST_THREADS];
    uint32_t n;
    uint8_t known[MOST_THREADS][MOST_THREADS]; /* [a][b]: how b is known to wake a */
    uint32_t *busy;
    struct phase *phases;
    uint32_t nbusy, nphases;
    uint32_t *earlier;       /* of each lane, from find_earlier */
    uint32_t *lanes, *first; /* lanes by rank; those of rank r are from first[r] to first[r + 1] */
};

/* --- what a thread did --- */

static void list_activities(struct hand_overs *h, struct thread *t)
{
    const struct path_work *w = h->w;
    const struct path_lane *lane = &w->lanes[t->lane];
    uint32_t *busy = h->busy + h->nbusy;
    struct phase *phases = h->phases + h->nphases;
    t->busy = busy;
    t->phases = phases;
    for (uint32_t a = lane->from; a < lane->to; a++) {
        if (path_is_quiet(w, a))
            continue;
        busy[t->nbusy++] = a;
        if (t->nphases && w->t0[a] - w->t1[phases[t->nphases - 1].last] < PATH_PAUSE_NS)
            phases[t->nphases - 1].last = a;
        else
            phases[t->nphases++] = (struct phase){a, a};
    }
    h->nbusy += t->nbusy;
    h->nphases += t->nphases;
}

/* The number of a thread's activities that have ended at a time. */
static uint32_t count_busy_ended_at(const struct path_work *w, const struct thread *t, int64_t at)
{
    uint32_t n = 0;
    SEARCH_FIRST(n, t->nbusy, w->t1[t->busy[n]] <= at);
    return n;
}

/* The number of a thread's phases that have ended at a time, or (begins) have begun before it. */
static uint32_t phases_until(const struct path_work *w, const struct thread *t, int64_t at,
                             bool begins)
{
    const struct phase *p = t->phases;
    uint32_t n = 0;
    SEARCH_FIRST(n, t->nphases, begins ? w->t0[p[n].first] < at : w->t1[p[n].last] <= at);
    return n;
}

/* --- evidence --- */

/* If two threads take turns: the last activity of the other one before quiet activity n ends. It
 * began when this thread fell quiet, or goes on when this thread falls quiet again. by: added to
 * this thread's times. */
static uint32_t takes_turns(const struct path_work *w, const struct thread *me,
                            const struct thread *other, uint32_t n, int64_t by)
{
    int64_t quiet = w->t0[n] + by, on = w->t1[n] + by;
    if (on - quiet < PATH_PAUSE_NS)
        return GRAPH_NONE;
    int64_t since = on - PATH_HAND_OVER_NS > quiet ? on - PATH_HAND_OVER_NS : quiet;
    for (uint32_t k = phases_until(w, other, since, false); k < other->nphases; k++) {
        const struct phase *theirs = &other->phases[k];
        if (w->t1[theirs->last] > on)
            break;
        int64_t before = w->t0[theirs->first] - quiet;
        if (before >= 0 && before < PATH_HAND_OVER_NS)
            return theirs->last;
        uint32_t mine = phases_until(w, me, w->t1[n], true);
        if (mine == me->nphases || k + 1 == other->nphases)
            continue;
        int64_t after = w->t0[theirs[1].first] - w->t1[me->phases[mine].last] - by;
        if (after >= 0 && after < PATH_HAND_OVER_NS)
            return theirs->last;
    }
    return GRAPH_NONE;
}

static int compare_hand_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t since_end(const struct path_work *w, const struct thread *t, int64_t at)
{
    uint32_t k = count_busy_ended_at(w, t, at);
    return k ? at - w->t1[t->busy[k - 1]] : INT64_MAX;
}

/* Whether an activity is a sleep, which ends without another thread. */
static bool is_sleep(const struct path_work *w, uint32_t a)
{
    return !(w->flags[a] & ACTIVITY_GAP) && w->waits[w->g->name[w->node[a]]] & NAME_SLEEPS;
}

/* Whether another thread may have ended the pause. */
static bool is_pause(const struct path_work *w, uint32_t a)
{
    return path_is_quiet(w, a) && !is_sleep(w, a) && w->t1[a] - w->t0[a] >= PATH_QUIET_NS;
}

/* Compares medians of the time since the other's last end: when this thread goes on, and at moments
 * spread over the other's time. */
static bool goes_on_soon(const struct path_work *w, const struct thread *other,
                         const uint32_t *pauses, uint32_t npauses)
{
    int64_t here[SAMPLES], chance[SAMPLES];
    uint32_t n = 0, step = npauses / SAMPLES + 1;
    if (other->nbusy == 0)
        return false;
    int64_t first = w->t1[other->busy[0]], span = w->t1[other->busy[other->nbusy - 1]] - first;
    for (uint32_t i = 0; i < npauses && n < SAMPLES; i += step)
        if (w->t1[pauses[i]] > first)
            here[n++] = since_end(w, other, w->t1[pauses[i]]);
    if (n < FEWEST)
        return false;
    for (int k = 0; k < SAMPLES; k++)
        chance[k] = since_end(w, other, first + span / 101 * (k + 1) + span % 101 * (k + 1) / 101);
    qsort(here, n, sizeof *here, compare_hand_times);
    qsort(chance, SAMPLES, sizeof *chance, compare_hand_times);
    return here[n / 2] < chance[SAMPLES / 2] / 3;
}

static int64_t earlier_hand_time(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whether a thread takes turns with another one much more often than if its times were moved, at
 * random but within the time of both. */
static bool takes_turns_often(const struct path_work *w, const struct thread *me,
                              const struct thread *other, const uint32_t *pauses, uint32_t npauses)
{
    enum { MOVES = 4 * SAMPLES, TIMES = 5 };
    uint32_t step = npauses / SAMPLES + 1, n = (npauses + step - 1) / step, seen = 0, moved = 0;
    for (uint32_t i = 0; i < n; i++)
        seen += takes_turns(w, me, other, pauses[i * step], 0) != GRAPH_NONE;
    if (seen == 0 || me->nbusy == 0)
        return false;
    int64_t begin = earlier_hand_time(w->t0[me->busy[0]], w->t0[other->busy[0]]);
    int64_t end = later_of(w->t1[me->busy[me->nbusy - 1]], w->t1[other->busy[other->nbusy - 1]]);
    uint32_t moves = MOVES / n;
    for (uint32_t i = 0; i < n * moves; i++) {
        uint32_t pause = pauses[i / moves * step];
        double part = (i + 1) * 0.618034; /* the golden ratio: no program has it as its period */
        int64_t by = (int64_t)((part - floor(part)) * (double)(end - begin));
        by -= w->t1[pause] + by > end ? end - begin : 0;
        moved += takes_turns(w, me, other, pause, by) != GRAPH_NONE;
    }
    return seen * moves > TIMES * moved;
}

/* How other threads are known to wake this one. Returns its last pause; GRAPH_NONE: it has none. */
static uint32_t find_known_wakers(struct hand_overs *h, uint32_t me)
{
    const struct path_work *w = h->w;
    const struct thread *own = &h->list[me];
    const struct path_lane *lane = &w->lanes[own->lane];
    uint32_t n = 0, last = GRAPH_NONE;
    uint32_t *pauses = calloc(lane->to - lane->from + (size_t)1, sizeof *pauses);
    h->w->no_memory |= !pauses;
    for (uint32_t a = lane->from; pauses && a < lane->to; a++)
        if (is_pause(w, a))
            pauses[n++] = last = a;
    for (uint32_t b = 0; pauses && b < h->n && !watch_given_up(); b++) {
        const struct thread *other = &h->list[b];
        h->known[me][b] = 0;
        if (b != me && goes_on_soon(w, other, pauses, n))
            h->known[me][b] |= GOES_ON_SOON;
        if (b != me && takes_turns_often(w, own, other, pauses, n))
            h->known[me][b] |= TAKES_TURNS;
    }
    free(pauses);
    return last;
}

static uint32_t find_last_of_wakers(const struct hand_overs *h, uint32_t me, uint32_t n)
{
    const struct path_work *w = h->w;
    uint32_t best = GRAPH_NONE;
    for (uint32_t b = 0; b < h->n; b++) {
        if (!(h->known[me][b] & GOES_ON_SOON))
            continue;
        uint32_t k = count_busy_ended_at(w, &h->list[b], w->t1[n]);
        uint32_t a = k ? h->list[b].busy[k - 1] : GRAPH_NONE;
        if (a != GRAPH_NONE && w->t1[a] > w->t0[n] && w->t1[n] - w->t1[a] < PATH_HAND_OVER_NS &&
            (best == GRAPH_NONE || w->t1[a] > w->t1[best]))
            best = a;
    }
    return best;
}

/* The last activity of a thread that ended for good just before another one goes on. */
static uint32_t ended_for_good(const struct path_work *w, const struct thread *t, int64_t at)
{
    uint32_t last = t->nbusy ? t->busy[t->nbusy - 1] : GRAPH_NONE;
    bool soon = last != GRAPH_NONE && w->t1[last] <= at && at - w->t1[last] < PATH_JOIN_NS;
    return soon ? last : GRAPH_NONE;
}

/* Threads are joined if their hand-over is known, and at their last pause. */
static void explain_hand_over(struct hand_overs *h, uint32_t me, uint32_t n, bool last)
{
    struct path_work *w = h->w;
    uint32_t other = GRAPH_NONE;
    bool is_long = w->t1[n] - w->t0[n] >= PATH_PAUSE_NS;
    for (uint32_t b = 0; is_long && b < h->n && other == GRAPH_NONE; b++) {
        if (h->known[me][b] & TAKES_TURNS)
            other = takes_turns(w, &h->list[me], &h->list[b], n, 0);
        if (other == GRAPH_NONE && b != me && (last || h->known[me][b]))
            other = ended_for_good(w, &h->list[b], w->t1[n]);
    }
    if (other == GRAPH_NONE)
        other = find_last_of_wakers(h, me, n);
    if (other == GRAPH_NONE || n + 1 >= w->lanes[h->list[me].lane].to)
        return;
    path_add_cut(w, n, w->t1[other], true);
    path_add_edge(w, other, n, CAUSE_HAND_OVER, true);
}

/* --- before the trace --- */

/* The latest time at which a thread that waited so long still goes on "soon" after the wait. */
static int64_t soon_after(int64_t wait)
{
    return wait / 10 > PATH_HAND_OVER_NS ? wait / 10 : PATH_HAND_OVER_NS;
}

/*
 * For each lane of a device: 1 + the index of the activity before its first one with a known
 * launch. What comes before was launched before the trace began. 0: nothing does, or no launch of
 * the rank is known.
 */
static uint32_t *find_earlier(struct path_work *w)
{
    uint32_t *earlier = path_take(w, w->nlanes, sizeof *earlier);
    uint8_t *launched = path_take(w, w->n, 1), *known = path_take(w, w->nranks, 1);
    for (size_t e = 0; !w->no_memory && e < w->nedges; e++)
        if (w->edges[e].kind == CAUSE_LAUNCH) {
            launched[w->edges[e].to] = 1;
            known[path_lane_of(w, w->edges[e].to)->rank] = 1;
        }
    for (uint32_t l = 0; !w->no_memory && l < w->nlanes; l++) {
        uint32_t a = w->lanes[l].from;
        while (a < w->lanes[l].to && !launched[a])
            a++;
        if (w->lanes[l].device && known[w->lanes[l].rank] && a > w->lanes[l].from)
            earlier[l] = a;
    }
    free(launched);
    free(known);
    return earlier;
}

/* The last work from before the trace that a call could have waited for, and that had ended at a
 * time. */
static uint32_t awaited_before(const struct hand_overs *h, uint32_t rank, int64_t at)
{
    const struct path_work *w = h->w;
    uint32_t best = GRAPH_NONE;
    for (uint32_t i = h->first[rank]; i < h->first[rank + 1]; i++) {
        const uint32_t l = h->lanes[i], a = h->earlier[l] - 1;
        if (h->earlier[l] && w->t1[a] <= at && (best == GRAPH_NONE || w->t1[a] > w->t1[best]))
            best = a;
    }
    return best;
}

/* The call that a thread was in when the trace began is not recorded. If work that was launched
 * before the trace ended shortly before the thread went on, the thread waited for that work. */
static void find_head(struct hand_overs *h, uint32_t me, int64_t begin)
{
    struct path_work *w = h->w;
    const struct path_lane *lane = &w->lanes[h->list[me].lane];
    uint32_t around = lane->from, first = around, woke = GRAPH_NONE;
    for (uint32_t b = 0; b < h->n; b++) {
        uint32_t k = b == me ? 0 : count_busy_ended_at(w, &h->list[b], w->t0[first]);
        uint32_t a = k ? h->list[b].busy[k - 1] : GRAPH_NONE;
        if (a != GRAPH_NONE && (woke == GRAPH_NONE || w->t1[a] > w->t1[woke]))
            woke = a;
    }
    if (woke != GRAPH_NONE && w->t0[first] - w->t1[woke] < PATH_HAND_OVER_NS)
        path_add_edge(w, woke, first, CAUSE_HAND_OVER, false);
    uint32_t next = around + 1;
    while (next < lane->to && (w->flags[next] & ACTIVITY_GAP))
        next++;
    bool inside = w->t0[around] <= begin + PATH_NEAR_NS && !(w->flags[around] & ACTIVITY_CALL) &&
                  next < lane->to;
    if (inside && is_sleep(w, around))
        return;
    first = inside ? next : around;
    uint32_t done = awaited_before(h, lane->rank, w->t0[first]);
    if (done == GRAPH_NONE || w->t0[first] - w->t1[done] >= soon_after(w->t1[done] - begin))
        return;
    path_add_edge(w, done, first, CAUSE_HAND_OVER, false);
    if (inside) {
        if (w->t1[done] < w->t1[around])
            w->t1[around] = w->t1[done] > w->t0[around] ? w->t1[done] : w->t0[around];
        w->flags[around] |= ACTIVITY_ELASTIC;
    }
}

/* The work of a rank that ended last; GRAPH_NONE: none. */
static uint32_t last_work(const struct hand_overs *h, uint32_t rank)
{
    const struct path_work *w = h->w;
    uint32_t best = GRAPH_NONE;
    for (uint32_t i = h->first[rank]; i < h->first[rank + 1]; i++) {
        const struct path_lane *lane = &w->lanes[h->lanes[i]];
        if (lane->device && lane->from < lane->to &&
            (best == GRAPH_NONE || w->t1[lane->to - 1] > w->t1[best]))
            best = lane->to - 1;
    }
    return best;
}

/* The call that a thread was in when the trace ended is not recorded either. If devices became idle
 * shortly before a function around the call ended, the thread waited for them. */
static void find_tail(struct hand_overs *h, uint32_t me)
{
    struct path_work *w = h->w;
    const struct path_lane *lane = &w->lanes[h->list[me].lane];
    uint32_t last = lane->to - 1, done;
    if (!(w->g->flags[w->node[last]] & NODE_FRAME))
        return;
    done = last_work(h, lane->rank);
    if (done == GRAPH_NONE || w->t1[done] <= w->t0[last] || w->t1[done] > w->t1[last] ||
        w->t1[last] - w->t1[done] >= PATH_HAND_OVER_NS)
        return;
    path_add_cut(w, last, w->t1[done], true);
    path_add_edge(w, done, last, CAUSE_HAND_OVER, true);
}

/* --- ranks --- */

/* Sorts the lanes by their ranks: a job may have 65,536 of both. */
static bool sort_lanes_by_rank(struct hand_overs *h)
{
    struct path_work *w = h->w;
    h->lanes = path_take(w, w->nlanes, sizeof *h->lanes);
    h->first = path_take(w, w->nranks + (size_t)1, sizeof *h->first);
    if (w->no_memory)
        return false;
    for (uint32_t l = 0; l < w->nlanes; l++)
        h->first[w->lanes[l].rank + 1]++;
    for (uint32_t r = 0; r < w->nranks; r++)
        h->first[r + 1] += h->first[r];
    for (uint32_t l = w->nlanes; l-- > 0;) /* first becomes the end of the rank before */
        h->lanes[--h->first[w->lanes[l].rank + 1]] = l;
    memmove(h->first, h->first + 1, w->nranks * sizeof *h->first);
    h->first[w->nranks] = w->nlanes;
    return true;
}

static bool take_threads(struct hand_overs *h, uint32_t rank)
{
    const struct path_work *w = h->w;
    h->n = h->nbusy = h->nphases = 0;
    for (uint32_t i = h->first[rank]; i < h->first[rank + 1] && h->n < MOST_THREADS; i++) {
        const struct path_lane *lane = &w->lanes[h->lanes[i]];
        if (!lane->device && lane->from < lane->to && w->g->kind[lane->node] == NODE_THREAD)
            h->list[h->n++] = (struct thread){.lane = h->lanes[i]};
    }
    for (uint32_t i = 0; h->n > 1 && i < h->n; i++) /* a single thread has no partner */
        list_activities(h, &h->list[i]);
    return h->n > 0;
}

static int64_t begin_of_rank(const struct hand_overs *h, uint32_t rank)
{
    const struct path_work *w = h->w;
    int64_t begin = INT64_MAX;
    for (uint32_t i = h->first[rank]; i < h->first[rank + 1]; i++) {
        const struct path_lane *lane = &w->lanes[h->lanes[i]];
        if (lane->from < lane->to && w->t0[lane->from] < begin)
            begin = w->t0[lane->from];
    }
    return begin;
}

static void find_hand_overs(struct hand_overs *h, uint32_t rank)
{
    struct path_work *w = h->w;
    if (!take_threads(h, rank))
        return;
    for (uint32_t me = 0; me < h->n; me++) {
        find_tail(h, me);
        if (h->n < 2)
            break;
        const struct path_lane *lane = &w->lanes[h->list[me].lane];
        uint32_t last = find_known_wakers(h, me);
        for (uint32_t a = lane->from; a < lane->to && !watch_stops(a); a++)
            if (is_pause(w, a))
                explain_hand_over(h, me, a, a == last);
    }
}

static void find_heads(struct hand_overs *h, uint32_t rank)
{
    if (take_threads(h, rank))
        for (uint32_t me = 0; me < h->n; me++)
            find_head(h, me, begin_of_rank(h, rank));
}

/* Calls run for each rank, with room for every activity and cut. */
static bool for_each_rank(struct hand_overs *h, void (*run)(struct hand_overs *, uint32_t))
{
    struct path_work *w = h->w;
    uint32_t most = w->n + (uint32_t)w->ncuts;
    h->busy = path_take(w, most, sizeof *h->busy);
    h->phases = path_take(w, most, sizeof *h->phases);
    for (uint32_t r = 0; r < w->nranks && !w->no_memory && !watch_given_up(); r++)
        run(h, r);
    free(h->busy);
    free(h->phases);
    return !w->no_memory && !watch_given_up();
}

bool path_find_hands(struct path_work *w)
{
    struct hand_overs *h = path_take(w, 1, sizeof *h);
    if (!h)
        return false;
    h->w = w;
    bool ok = sort_lanes_by_rank(h) && for_each_rank(h, find_hand_overs) && path_apply_cuts(w) &&
              (h->earlier = find_earlier(w)) != NULL && for_each_rank(h, find_heads);
    free(h->earlier);
    free(h->lanes);
    free(h->first);
    free(h);
    return ok;
}
