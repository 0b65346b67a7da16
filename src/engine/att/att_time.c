/* Waves over time: occupancy, and the states waves are in. */
#include <math.h>
#include <stdlib.h>

#include "engine/att/att_analysis.h"

#include "base/search.h"

/* --- parts of the span --- */

struct bins {
    int64_t from;
    double width; /* cycles of one part */
    uint32_t n;
    int64_t to;
};

static struct bins bins_of(int64_t from, int64_t to, uint32_t n)
{
    return (struct bins){from, (double)(to - from) / (n ? n : 1), n, to};
}

/* Adds `waves` waves that ran from `from` to `to` to each part of the span they overlap. The
 * parts' numbers are `stride` doubles apart in out. */
static void spread_over_bins(const struct bins *b, int64_t from, int64_t to, double waves,
                             double *out, size_t stride)
{
    from = from < b->from ? b->from : from;
    to = to > b->to ? b->to : to;
    if (to <= from || b->width <= 0 || waves == 0)
        return;
    double x = (double)(from - b->from) / b->width, end = (double)(to - b->from) / b->width;
    for (uint32_t i = (uint32_t)x; i < b->n && (double)i < end; i++) {
        double low = x > i ? x : i;
        double high = end < i + 1.0 ? end : i + 1.0;
        if (high > low)
            out[i * stride] += waves * (high - low);
    }
}

static void widen_times(int64_t low, int64_t high, bool *any, int64_t *from, int64_t *to)
{
    *from = !*any || low < *from ? low : *from;
    *to = !*any || high > *to ? high : *to;
    *any = true;
}

bool att_span(const struct att *a, int64_t *from, int64_t *to)
{
    bool any = false;
    *from = *to = 0;
    for (uint32_t i = 0; i < a->nwaves; i++)
        widen_times(a->waves[i].begin, a->waves[i].end, &any, from, to);
    for (uint32_t i = 0; a->nwaves == 0 && i < a->nevents; i++)
        widen_times(a->events[i].time, a->events[i].time, &any, from, to);
    for (uint32_t i = 0; a->nwaves == 0 && a->nevents == 0 && i < a->nlevels; i++)
        widen_times(a->levels[i].time, a->levels[i].time, &any, from, to);
    return *to > *from;
}

/* --- occupancy --- */

/* The events of one shader engine; they are neighbours in the list. */
struct event_range {
    const struct att_event *e;
    uint32_t n;
};

static struct event_range range_from(const struct att *a, uint32_t first)
{
    uint32_t k = first;
    while (k < a->nevents && a->events[k].se == a->events[first].se)
        k++;
    return (struct event_range){a->events + first, k - first};
}

static struct event_range range_of(const struct att *a, uint32_t se)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, a->nevents, a->events[low].se < se);
    return low < a->nevents && a->events[low].se == se ? range_from(a, low)
                                                       : (struct event_range){0};
}

/* Returns how many waves ran already before the first event: the fewest for which the count never
 * becomes negative. Events of the same time count as one. */
static int64_t waves_before(struct event_range r)
{
    int64_t now = 0, least = 0;
    for (uint32_t i = 0; i < r.n; i++) {
        now += r.e[i].start ? 1 : -1;
        if ((i + 1 == r.n || r.e[i + 1].time != r.e[i].time) && now < least)
            least = now;
    }
    return -least;
}

static void fill_occupancy(struct event_range r, struct att_occupancy *o)
{
    double integral = 0;
    int64_t now = waves_before(r), time = r.e->time;
    *o = (struct att_occupancy){.se = r.e->se,
                                .first = time,
                                .last = r.e[r.n - 1].time,
                                .before = (uint64_t)now,
                                .peak = (uint64_t)now};
    for (uint32_t i = 0; i < r.n; i++) {
        integral += (double)now * (double)(r.e[i].time - time);
        time = r.e[i].time;
        now += r.e[i].start ? 1 : -1;
        o->begun += r.e[i].start;
        o->ended += !r.e[i].start;
        if ((i + 1 == r.n || r.e[i + 1].time != time) && now > (int64_t)o->peak)
            o->peak = (uint64_t)now;
    }
    o->mean = o->last > o->first ? integral / (double)(o->last - o->first) : NAN;
}

static int number_order(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static uint32_t count_distinct(uint64_t *v, uint32_t n)
{
    uint32_t k = 0;
    qsort(v, n, sizeof *v, number_order);
    for (uint32_t i = 0; i < n; i++)
        k += i == 0 || v[i] != v[i - 1];
    return k;
}

static void count_units(struct event_range r, struct att_occupancy *o)
{
    uint64_t *units = xcalloc(r.n, sizeof *units);
    for (uint32_t i = 0; i < r.n; i++)
        units[i] = (uint64_t)r.e[i].cu << 32 | r.e[i].simd;
    o->simds = count_distinct(units, r.n);
    for (uint32_t i = 0; i < r.n; i++)
        units[i] >>= 32;
    o->cus = count_distinct(units, r.n);
    free(units);
}

struct att_occupancy *att_occupancy(const struct att *a, uint32_t *n)
{
    struct att_occupancy *out = NULL;
    *n = 0;
    for (uint32_t i = 0; i < a->nevents;) {
        struct event_range r = range_from(a, i);
        out = att_grow(out, *n, sizeof *out);
        fill_occupancy(r, &out[*n]);
        count_units(r, &out[*n]);
        (*n)++;
        i += r.n;
    }
    return out;
}

static void fill_occupancy_bins(struct event_range r, const struct bins *b, double *out)
{
    int64_t now = waves_before(r), time = b->from;
    for (uint32_t i = 0; i < r.n; i++) {
        spread_over_bins(b, time, r.e[i].time, (double)now, out, 1);
        now += r.e[i].start ? 1 : -1;
        time = r.e[i].time;
    }
    spread_over_bins(b, time, b->to, (double)now, out, 1);
}

void att_occupancy_bins(const struct att *a, uint32_t se, int64_t from, int64_t to, uint32_t n,
                        double *out)
{
    const struct bins b = bins_of(from, to, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = 0;
    if (se != ATT_UNKNOWN) {
        fill_occupancy_bins(range_of(a, se), &b, out);
        return;
    }
    for (uint32_t i = 0; i < a->nevents;) {
        struct event_range r = range_from(a, i);
        fill_occupancy_bins(r, &b, out);
        i += r.n;
    }
}

/* --- states --- */

static enum att_states_from states_source(const struct att *a)
{
    if (a->nperiods && (a->waves_read == a->nwaves || a->nlevels == 0))
        return ATT_STATES_WAVES;
    return a->nlevels ? ATT_STATES_LEVELS : ATT_STATES_NONE;
}

static void waves_bins(const struct att *a, const struct bins *b, double (*out)[ATT_STATES])
{
    for (uint32_t i = 0; i < a->nwaves; i++) {
        const struct att_wave *w = &a->waves[i];
        int64_t time = w->begin;
        for (uint32_t k = 0; k < w->nperiods; k++) {
            const struct att_period *p = &a->periods[w->first_period + k];
            int64_t end = time + (int64_t)p->duration;
            spread_over_bins(b, time, end, 1, &out[0][p->state], ATT_STATES);
            time = end;
        }
    }
}

static void levels_bins(const struct att *a, const struct bins *b, double (*out)[ATT_STATES])
{
    for (uint32_t i = 0; i < a->nlevels; i++) {
        const struct att_level *l = &a->levels[i];
        bool more = i + 1 < a->nlevels && a->levels[i + 1].state == l->state;
        spread_over_bins(b, l->time, more ? a->levels[i + 1].time : b->to, (double)l->waves,
                         &out[0][l->state], ATT_STATES);
    }
}

enum att_states_from att_states_bins(const struct att *a, int64_t from, int64_t to, uint32_t n,
                                     double (*out)[ATT_STATES])
{
    const struct bins b = bins_of(from, to, n);
    enum att_states_from source = states_source(a);
    for (uint32_t i = 0; i < n; i++)
        for (int s = 0; s < ATT_STATES; s++)
            out[i][s] = 0;
    if (source == ATT_STATES_WAVES)
        waves_bins(a, &b, out);
    else if (source == ATT_STATES_LEVELS)
        levels_bins(a, &b, out);
    return source;
}

bool att_states_differ(const uint64_t cycles[ATT_STATES], double stalled)
{
    static const double much = 0.1; /* our choice: a tenth of what instructions say */
    uint64_t all = 0;
    for (int s = ATT_STATE_IDLE; s < ATT_STATES; s++)
        att_add(&all, cycles[s]);
    const double waited = (double)cycles[ATT_STATE_STALL] + (double)cycles[ATT_STATE_WAIT];
    return all && stalled > much && waited / (double)all < much * stalled;
}

enum att_states_from att_states_sum(const struct att *a, uint64_t out[ATT_STATES])
{
    enum att_states_from source = states_source(a);
    for (int s = 0; s < ATT_STATES; s++)
        out[s] = 0;
    for (uint32_t i = 0; source == ATT_STATES_WAVES && i < a->nperiods; i++)
        att_add(&out[a->periods[i].state], a->periods[i].duration);
    for (uint32_t i = 0; source == ATT_STATES_LEVELS && i + 1 < a->nlevels; i++) {
        const struct att_level *l = &a->levels[i];
        uint64_t cycles;
        if (l[1].state != l->state)
            continue;
        if (__builtin_mul_overflow(l->waves, (uint64_t)(l[1].time - l->time), &cycles))
            cycles = UINT64_MAX;
        att_add(&out[l->state], cycles);
    }
    return source;
}
