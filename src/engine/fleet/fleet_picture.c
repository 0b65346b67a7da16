/* Pictures: all hosts at one moment, now or in the past. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"
#include "engine/fleet/fleet_impl.h"

/* The median of the last samples up to and with number `at`, those without a value left out. */
static double find_recent_median(const struct fleet *f, const struct fleet_host *h, size_t at,
                                 int metric)
{
    double v[FLEET_JUDGED];
    size_t n = 0;
    for (size_t back = 0; back < FLEET_JUDGED && back <= at; back++) {
        const double x = fleet_kept_at(f, h, at - back)->v[metric];
        if (isfinite(x))
            v[n++] = x;
    }
    if (n == 0)
        return NAN;
    qsort(v, n, sizeof *v, order_doubles);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Fills a row with the sample number `at` of the host; at == SIZE_MAX: it has none. */
static void fill_fleet_row(const struct fleet *f, size_t host, size_t at, struct fleet_row *row,
                           double *judged)
{
    const struct fleet_host *h = &f->hosts[host];
    memcpy(row->name, h->name, sizeof row->name);
    row->number = (int)host;
    row->age_s = NAN;
    for (int m = 0; m < FLEET_METRICS; m++) {
        row->v[m] = at == SIZE_MAX ? NAN : fleet_kept_at(f, h, at)->v[m];
        judged[m] =
            at == SIZE_MAX || row->state != FLEET_LIVE ? NAN : find_recent_median(f, h, at, m);
    }
    row->wall_ns = at == SIZE_MAX ? 0 : fleet_kept_at(f, h, at)->wall_ns;
}

static struct fleet_picture *make_fleet_picture(size_t n, uint64_t wall_ns, double **judged)
{
    struct fleet_picture *p = xcalloc(1, sizeof *p);
    p->rows = xcalloc(n ? n : 1, sizeof *p->rows);
    p->nrows = n;
    p->wall_ns = wall_ns;
    p->refs = 1;
    *judged = xcalloc((n ? n : 1) * FLEET_METRICS, sizeof **judged);
    return p;
}

static void finish_fleet_picture(struct fleet_picture *p, double *judged)
{
    for (size_t i = 0; i < p->nrows; i++)
        p->states[p->rows[i].state]++;
    fleet_judge(p, judged);
    free(judged);
}

struct fleet_picture *fleet_picture_new(struct fleet *f, uint64_t now_ns, uint64_t wall_ns)
{
    double *judged;
    struct fleet_picture *p = make_fleet_picture(f->n, wall_ns, &judged);
    p->seq = ++f->seq;
    for (size_t i = 0; i < f->n; i++) {
        struct fleet_host *h = &f->hosts[i];
        struct fleet_row *row = &p->rows[i];
        const double age =
            h->came_ns && now_ns > h->came_ns ? (double)(now_ns - h->came_ns) / 1e9 : 0;
        if (h->state == FLEET_LIVE && age > FLEET_LATE_AFTER * h->interval_s)
            fleet_set_state(f, (int)i, FLEET_LATE, "no sample has come in time");
        row->state = h->state;
        memcpy(row->reason, h->reason, sizeof row->reason);
        fill_fleet_row(f, i, h->nkept ? h->nkept - 1 : SIZE_MAX, row, judged + i * FLEET_METRICS);
        if (h->came_ns)
            row->age_s = age;
    }
    finish_fleet_picture(p, judged);
    return p;
}

/* The number of the last sample that is not newer; SIZE_MAX: there is none. */
static size_t find_sample_at(const struct fleet *f, const struct fleet_host *h, uint64_t wall_ns)
{
    size_t low = 0, high = h->nkept;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (fleet_kept_at(f, h, middle)->wall_ns <= wall_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : SIZE_MAX;
}

struct fleet_picture *fleet_picture_at(const struct fleet *f, uint64_t wall_ns)
{
    double *judged;
    struct fleet_picture *p = make_fleet_picture(f->n, wall_ns, &judged);
    p->past = true;
    for (size_t i = 0; i < f->n; i++) {
        const struct fleet_host *h = &f->hosts[i];
        struct fleet_row *row = &p->rows[i];
        const size_t at = find_sample_at(f, h, wall_ns);
        double age = NAN;
        row->state = FLEET_LOST;
        if (at == SIZE_MAX) {
            snprintf(row->reason, sizeof row->reason, "no sample of that time is kept");
        } else {
            age = (double)(wall_ns - fleet_kept_at(f, h, at)->wall_ns) / 1e9;
            row->state = age > FLEET_LATE_AFTER * h->interval_s ? FLEET_LATE : FLEET_LIVE;
        }
        fill_fleet_row(f, i, at, row, judged + i * FLEET_METRICS);
        row->age_s = age;
    }
    finish_fleet_picture(p, judged);
    return p;
}

struct fleet_picture *fleet_picture_ref(const struct fleet_picture *p)
{
    struct fleet_picture *mine = (struct fleet_picture *)p;
    __atomic_add_fetch(&mine->refs, 1, __ATOMIC_RELAXED);
    return mine;
}

void fleet_picture_unref(const struct fleet_picture *p)
{
    struct fleet_picture *mine = (struct fleet_picture *)p;
    if (!mine || __atomic_sub_fetch(&mine->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(mine->rows);
    free(mine);
}
