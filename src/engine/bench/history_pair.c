#include "engine/bench/history_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/statistics/ranks.h"

static void compare_samples(struct history_pair *p)
{
    double *logs[2];
    for (int s = 0; s < 2; s++) {
        logs[s] = xcalloc(p->n[s] + 1, sizeof **logs);
        for (size_t i = 0; i < p->n[s]; i++)
            logs[s][i] = log(p->v[s][i]);
    }
    struct interval shift =
        interval_of_sets(logs[0], p->n[0], logs[1], p->n[1], 1 - HISTORY_PAIR_CONFIDENCE);
    p->verdict = verdict_of(&shift, HISTORY_PAIR_MARGIN);
    p->factor = (struct interval){exp(shift.estimate), exp(shift.low), exp(shift.high)};
    free(logs[0]);
    free(logs[1]);
}

int history_pair_read(struct bench_history *h, const int64_t id[2], struct history_pair *out,
                      struct error *err)
{
    int rc = 0;
    *out = (struct history_pair){.id = {id[0], id[1]}};
    for (int s = 0; s < 2 && rc == 0; s++) {
        if (id[s])
            rc = bench_history_samples(h, id[s], &out->v[s], &out->n[s], err);
        out->middle[s] = median_of(out->v[s], out->n[s]);
    }
    compare_samples(out);
    return rc;
}

void history_pair_free(struct history_pair *p)
{
    free(p->v[0]);
    free(p->v[1]);
    *p = (struct history_pair){0};
}

/* The conditions that decide how fast a machine is. */
static struct history_point speed_conditions(const struct history_point *p)
{
    struct history_point q = {.compiler = ""};
    snprintf(q.conditions.cpu, sizeof q.conditions.cpu, "%s", p->conditions.cpu);
    snprintf(q.conditions.governor, sizeof q.conditions.governor, "%s", p->conditions.governor);
    snprintf(q.conditions.turbo, sizeof q.conditions.turbo, "%s", p->conditions.turbo);
    snprintf(q.conditions.smt, sizeof q.conditions.smt, "%s", p->conditions.smt);
    return q;
}

const char *history_unlike(const struct history_point *a, const struct history_point *b, char *out,
                           size_t size)
{
    const struct history_point first = speed_conditions(a), second = speed_conditions(b);
    history_difference(&first, &second, out, size);
    if (!*out && !*a->conditions.cpu)
        snprintf(out, size, "the CPU of neither is known");
    return out;
}

double history_steps(const struct history_series *s, double factor, size_t *larger)
{
    double *steps = xcalloc(s->n, sizeof *steps), least = fabs(log(factor));
    size_t n = 0;
    *larger = 0;
    for (size_t i = 1; i < s->n; i++) {
        steps[n] = fabs(log(s->points[i].value / s->points[i - 1].value));
        *larger += steps[n++] >= least;
    }
    double middle = expm1(median_of(steps, n));
    free(steps);
    return middle;
}
