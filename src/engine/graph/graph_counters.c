#include "engine/graph/graph_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

void graph_counters_free(struct graph_counters *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        free(c->list[i].name);
        free(c->list[i].why);
    }
    free(c->of);
    free(c->counts);
    free(c);
}

uint32_t graph_counter(struct graph *g, const char *name, const char *why)
{
    struct graph_counters *c = g->counters;
    for (uint32_t i = 0; c && i < c->n; i++)
        if (strcmp(c->list[i].name, name) == 0) {
            if (*why && !*c->list[i].why) {
                free(c->list[i].why);
                c->list[i].why = xstrdup(why);
            }
            return i;
        }
    if (!c)
        c = g->counters = xcalloc(1, sizeof *c);
    if (c->n == GRAPH_COUNTERS_MAX)
        return GRAPH_NONE;
    c->list[c->n] = (struct graph_counter){xstrdup(name), xstrdup(why)};
    return c->n++;
}

void graph_counts_clear(struct graph_counts *c)
{
    *c = (struct graph_counts){.calls = 0};
    for (uint32_t i = 0; i < GRAPH_COUNTERS_MAX; i++)
        c->value[i] = NAN;
}

struct graph_counts *graph_add_counts(struct graph *g, uint32_t node)
{
    if (!g->counters)
        g->counters = xcalloc(1, sizeof *g->counters);
    struct graph_counters *c = g->counters;
    if (node >= c->nodes) {
        const uint32_t n = g->nnodes;
        c->of = xrealloc(c->of, n, sizeof *c->of);
        memset(c->of + c->nodes, 0, (n - c->nodes) * sizeof *c->of);
        c->nodes = n;
    }
    if (!c->of[node]) {
        LIST_ROOM(c->counts, c->ncounts, c->cap);
        graph_counts_clear(&c->counts[c->ncounts]);
        c->of[node] = ++c->ncounts;
    }
    return &c->counts[c->of[node] - 1];
}

const struct graph_counts *graph_counts_of(const struct graph *g, uint32_t node)
{
    const struct graph_counters *c = g->counters;
    return c && node < c->nodes && c->of[node] ? &c->counts[c->of[node] - 1] : NULL;
}

void graph_counts_add(struct graph_counts *to, const struct graph_counts *more)
{
    to->calls += more->calls;
    to->enabled += more->enabled;
    to->running += more->running;
    for (uint32_t i = 0; i < GRAPH_COUNTERS_MAX; i++)
        if (isnan(to->value[i]))
            to->value[i] = more->value[i];
        else if (!isnan(more->value[i]))
            to->value[i] += more->value[i];
}

double graph_counts_share(const struct graph_counts *c)
{
    if (!c || c->calls == 0)
        return NAN;
    return c->running >= c->enabled ? 1 : (double)c->running / (double)c->enabled;
}

/* Whether an event has this name, with these modes (":u") or, if modes is NULL, with any. */
static bool is_event_named(const char *event, const char *name, const char *modes)
{
    const size_t n = strlen(name);
    if (strncmp(event, name, n) != 0 || (event[n] != '\0' && event[n] != ':'))
        return false;
    return !modes || strcmp(event + n, modes) == 0;
}

/* How often an event counts in the sum `name`: for the event "flops*4_fp_4flops" and the name
 * "flops" it is 4. 0: the event does not belong to that sum. */
static double weight_of(const char *event, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(event, name, n) != 0 || event[n] != '*')
        return 0;
    const long weight = strtol(event + n + 1, NULL, 10);
    return weight > 0 && weight <= 4096 ? (double)weight : 0;
}

static uint32_t find_named(const struct graph_counters *of, const char *name, const char *modes)
{
    for (uint32_t i = 0; of && i < of->n; i++)
        if (is_event_named(of->list[i].name, name, modes))
            return i;
    return GRAPH_NONE;
}

/* The number of an event by its name, in any modes; GRAPH_NONE: there is no such event. */
static uint32_t graph_counter_named(const struct graph_counters *of, const char *name)
{
    return find_named(of, name, NULL);
}

double graph_counted(const struct graph_counters *of, const struct graph_counts *c,
                     const char *name)
{
    const uint32_t i = c ? graph_counter_named(of, name) : GRAPH_NONE;
    double sum = NAN;
    if (i != GRAPH_NONE)
        return c->value[i];
    for (uint32_t k = 0; c && of && k < of->n; k++) {
        const double weight = weight_of(of->list[k].name, name);
        if (weight > 0)
            sum = (isnan(sum) ? 0 : sum) + weight * c->value[k]; /* NaN stays NaN */
        if (weight > 0 && isnan(c->value[k]))
            return NAN;
    }
    return sum;
}

bool graph_counter_asked(const struct graph_counters *of, const char *name)
{
    for (uint32_t i = 0; of && i < of->n; i++)
        if (is_event_named(of->list[i].name, name, NULL) || weight_of(of->list[i].name, name) > 0)
            return true;
    return false;
}

/* The pairs of events that make a rate; the first pair that was asked for is taken. */
static const struct rate_pair {
    enum graph_rate rate;
    const char *part, *whole;
    double factor;
} rate_pairs[] = {
    {GRAPH_IPC, "instructions", "cycles", 1},
    {GRAPH_IPC, "instructions", "cpu-cycles", 1},
    {GRAPH_MISSES, "cache-misses", "cache-references", 100},
    {GRAPH_MISSES, "LLC-load-misses", "LLC-loads", 100},
    {GRAPH_MISSES, "L1-dcache-load-misses", "L1-dcache-loads", 100},
    {GRAPH_MISPREDICTS, "branch-misses", "branches", 100},
    {GRAPH_MISPREDICTS, "branch-misses", "branch-instructions", 100},
    {GRAPH_MISPREDICTS, "branch-load-misses", "branch-loads", 100},
};

/* Finds the two events of a rate, both counted in the same modes. */
static const struct rate_pair *find_pair(const struct graph_counters *of, enum graph_rate rate,
                                         uint32_t *part, uint32_t *whole)
{
    for (size_t i = 0; i < sizeof rate_pairs / sizeof *rate_pairs; i++) {
        const struct rate_pair *p = &rate_pairs[i];
        if (p->rate != rate || (*part = find_named(of, p->part, NULL)) == GRAPH_NONE)
            continue;
        *whole = find_named(of, p->whole, of->list[*part].name + strlen(p->part));
        if (*whole != GRAPH_NONE)
            return p;
    }
    return NULL;
}

double graph_rate(const struct graph_counters *of, const struct graph_counts *c,
                  enum graph_rate rate)
{
    uint32_t part, whole;
    const struct rate_pair *p = c ? find_pair(of, rate, &part, &whole) : NULL;
    if (!p || !(c->value[whole] > 0))
        return NAN;
    return c->value[part] / c->value[whole] * p->factor;
}

bool graph_rate_asked(const struct graph_counters *of, enum graph_rate rate)
{
    uint32_t part, whole;
    return find_pair(of, rate, &part, &whole) != NULL;
}

const char *graph_counts_text(const struct graph_counters *of, const struct graph_counts *c,
                              char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; c && i < of->n; i++) {
        if (isnan(c->value[i]))
            continue;
        const int more =
            snprintf(out + n, size - n, "%s%s=%.0f", n ? " " : "", of->list[i].name, c->value[i]);
        if (more < 0 || (size_t)more >= size - n) {
            out[n] = '\0';
            break;
        }
        n += (size_t)more;
    }
    return out;
}
