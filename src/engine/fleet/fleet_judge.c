/*
 * Which hosts are far from the others.
 *
 * In each metric a host's distance is that of its last samples' median from the median of all live
 * hosts. It is an outlier where two things hold: the distance is so many times the usual one
 * (1.4826 times the median absolute deviation, which is the standard deviation of normal values; F.
 * Hampel, J. Am. Stat. Assoc. 69, 1974) that hosts which differ by chance only would hardly show
 * it, and it is FAR times what equal hosts differ by in any case (fleet_metrics.def), so that it
 * matters.
 *
 * Of few hosts the deviation is known badly: the largest of n normal distances exceeds 4.9 of them
 * in one of 1000 cases where n is 512, but 15 where n is 8 and 59 where n is 5 (simulated).
 * limit_of_hosts follows that, and lies above it by a half, because a picture has many metrics and
 * a day has many pictures. A metric in which more than one host of GROUP is beyond it has groups of
 * hosts, as nodes with and without work: there nobody is an outlier.
 */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/fleet/fleet_impl.h"
#include "engine/statistics/ranks.h"

enum { GROUP = 5 };
#define FAR           6.0
#define BADNESS_MOST  1e8 /* below what a lost host has */
#define NORMAL_OF_MAD 1.4826

static double limit_of_hosts(size_t n)
{
    return 8 * (1 + 14 / pow((double)n - 3, 1.3));
}

static void find_middle(struct fleet_middle *at, const struct fleet_metric_row *metric, double *v,
                        size_t n)
{
    *at = (struct fleet_middle){.n = n, .median = NAN, .mad = NAN, .scale = NAN, .limit = NAN};
    if (n < FLEET_JUDGED_LEAST)
        return;
    at->median = median_of(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - at->median);
    at->mad = median_of(v, n);
    at->limit = limit_of_hosts(n);
    const double usual = fmax(metric->spread, metric->share * fabs(at->median));
    at->scale = fmax(NORMAL_OF_MAD * at->mad, usual * FAR / at->limit);
}

static bool is_beyond(const struct fleet_metric_row *metric, const struct fleet_middle *at,
                      double distance)
{
    if (distance > at->limit)
        return metric->side & FLEET_SIDE_HIGH;
    return distance < -at->limit && metric->side & FLEET_SIDE_LOW;
}

static void judge_metric(struct fleet_picture *p, const double *judged, int m, double *room)
{
    const struct fleet_metric_row *metric = &fleet_metrics[m];
    struct fleet_middle *at = &p->middle[m];
    size_t n = 0;
    for (size_t i = 0; i < p->nrows; i++)
        if (isfinite(judged[i * FLEET_METRICS + (size_t)m]))
            room[n++] = judged[i * FLEET_METRICS + (size_t)m];
    find_middle(at, metric, room, n);
    for (size_t i = 0; i < p->nrows; i++) {
        struct fleet_row *row = &p->rows[i];
        row->distance[m] = (judged[i * FLEET_METRICS + (size_t)m] - at->median) / at->scale;
        if (isfinite(row->v[m]))
            at->most = fmax(at->most, row->v[m]);
        if (isfinite(row->distance[m]) && is_beyond(metric, at, row->distance[m]))
            at->outliers++;
    }
    at->groups = at->outliers > 1 && at->outliers * GROUP > n;
    if (at->groups)
        at->outliers = 0;
}

/* The metric in which the host is farthest out, on the side that matters; an outlier first. */
static void find_worst(const struct fleet_picture *p, struct fleet_row *row)
{
    double most = 0;
    row->worst = -1;
    for (int m = 0; m < FLEET_METRICS; m++) {
        const struct fleet_middle *at = &p->middle[m];
        const double d = row->distance[m];
        if (!isfinite(d) || at->groups)
            continue;
        const bool beyond = is_beyond(&fleet_metrics[m], at, d);
        const enum fleet_side side = d < 0 ? FLEET_SIDE_LOW : FLEET_SIDE_HIGH;
        if (beyond)
            row->outlier |= UINT32_C(1) << m;
        if (fleet_metrics[m].side & side && fabs(d) / at->limit > most) {
            most = fabs(d) / at->limit;
            row->worst = m;
        }
    }
    /* the others have an order that stays: by name */
    row->badness = row->outlier ? fmin(most, BADNESS_MOST) : 0;
}

void fleet_judge(struct fleet_picture *p, const double *judged)
{
    /* lost hosts come first, then late ones, then outliers (above 1), then the others */
    static const double of_state[FLEET_STATES] = {
        [FLEET_CONNECTING] = 0.5, [FLEET_LATE] = 1e9, [FLEET_LOST] = 2e9};
    _Static_assert(FLEET_METRICS <= 32, "outlier has a bit for each metric");
    double *room = xcalloc(p->nrows ? p->nrows : 1, sizeof *room);
    for (int m = 0; m < FLEET_METRICS; m++)
        judge_metric(p, judged, m, room);
    free(room);
    for (size_t i = 0; i < p->nrows; i++) {
        find_worst(p, &p->rows[i]);
        p->rows[i].badness += of_state[p->rows[i].state];
        p->outliers += p->rows[i].outlier != 0;
    }
}
