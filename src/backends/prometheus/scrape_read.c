#include "backends/prometheus/scrape_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/ids.h"
#include "base/list.h"

/* A sum over series of one device (or of the host), and what it is divided by. */
struct device {
    uint64_t key;
    double series, over;
    uint32_t nseries, nover;
};
struct devices {
    struct device *list;
    size_t n, cap;
};

struct count {
    double value;
    uint64_t at_ns;
};

struct scrape_memory {
    struct hash_table terms; /* names: 2 * row, + 1 for those of `over` */
    bool known;              /* terms has them */
    struct devices *devices; /* a list a row */
    struct ids series;       /* of counters, by a hash of term and labels */
    struct count *counts;    /* as they were the last time that each was there */
    size_t ncounts, counts_cap;
    size_t nrows;
};

struct scrape_memory *scrape_memory_new(void)
{
    return xcalloc(1, sizeof(struct scrape_memory));
}

static void forget_series(struct scrape_memory *m)
{
    ids_free(&m->series);
    m->series = (struct ids){0};
    m->ncounts = 0;
}

void scrape_memory_free(struct scrape_memory *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->nrows; i++)
        free(m->devices[i].list);
    free(m->devices);
    forget_series(m);
    free(m->counts);
    hash_table_free(&m->terms);
    free(m);
}

static void index_terms(struct scrape_memory *m, const struct exporters *e)
{
    for (size_t i = 0; i < e->n; i++) {
        const struct exporter_row *r = &e->rows[i];
        for (size_t k = 0; k < r->series.nnames; k++)
            hash_table_add(&m->terms, hash_text(0, r->series.names[k]), 2 * i);
        for (size_t k = 0; r->has_over && k < r->over.nnames; k++)
            hash_table_add(&m->terms, hash_text(0, r->over.names[k]), 2 * i + 1);
    }
    m->devices = xcalloc(e->n, sizeof *m->devices);
    m->nrows = e->n;
    m->known = true;
}

static bool has_name(const struct selector *s, const char *name)
{
    for (size_t i = 0; i < s->nnames; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    return false;
}

/* The list entry of a device; NULL: there are too many. */
static struct device *find_summed_device(struct devices *d, uint64_t key)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->list[i].key == key)
            return &d->list[i];
    if (d->n == SCRAPE_DEVICES_MAX)
        return NULL;
    LIST_ADD(d->list, d->n, d->cap, (struct device){.key = key});
    return &d->list[d->n - 1];
}

static uint64_t hash_series(uint32_t term, const struct exposition_sample *s)
{
    uint64_t h = hash_text(term, s->name);
    for (size_t i = 0; i < s->nlabels; i++)
        h = hash_text(hash_text(h, s->labels[i].name), s->labels[i].value);
    return h;
}

/* What a counter grew by a second since it was there last, in an earlier text; NaN: it was not. */
static double find_growth(struct scrape_memory *m, uint32_t term, const struct exposition_sample *s,
                          uint64_t at_ns)
{
    bool is_new = false;
    const uint32_t i = ids_number(&m->series, hash_series(term, s), &is_new);
    if (i == IDS_NONE)
        return NAN;
    LIST_FIT(m->counts, (size_t)i + 1, m->counts_cap);
    const struct count before = m->counts[i];
    m->counts[i] = (struct count){s->value, at_ns};
    m->ncounts = i + 1 > m->ncounts ? i + 1 : m->ncounts;
    if (is_new || at_ns <= before.at_ns)
        return NAN;
    const double grew = s->value < before.value ? s->value : s->value - before.value;
    return grew / ((double)(at_ns - before.at_ns) / 1e9);
}

static void count_sample(struct scrape_memory *m, const struct exporters *e, uint32_t term,
                         const struct exposition_sample *s, uint64_t at_ns)
{
    const struct exporter_row *r = &e->rows[term / 2];
    const bool over = term % 2;
    const struct selector *selector = over ? &r->over : &r->series;
    const bool counted = r->flags & (over ? EXPORTER_OVER_COUNT : EXPORTER_COUNT);
    if (!has_name(selector, s->name) || !selector_fits(selector, s))
        return;
    const char *label = *r->by ? exposition_label(s, r->by) : NULL;
    const bool rate = (r->flags & EXPORTER_RATE) && !counted;
    const double v = rate ? find_growth(m, term, s, at_ns) : s->value;
    struct device *d = find_summed_device(&m->devices[term / 2], label ? hash_text(1, label) : 0);
    if (!d || !isfinite(v))
        return;
    if (over) {
        d->over += counted ? 1 : v;
        d->nover++;
    } else {
        d->series += counted ? 1 : v;
        d->nseries++;
    }
}

/* The number of a device; NaN: it has none. */
static double find_quotient(const struct exporter_row *r, const struct device *d)
{
    if (d->nseries == 0 || (r->has_over && (d->nover == 0 || d->over == 0)))
        return NAN;
    const double v = r->has_over ? d->series / d->over : d->series;
    return r->scale * (r->flags & EXPORTER_REST ? 1 - v : v);
}

static void fill_fleet_sample(const struct scrape_memory *m, const struct exporters *e,
                              struct fleet_sample *out)
{
    bool had[FLEET_METRICS];
    for (int i = 0; i < FLEET_METRICS; i++)
        had[i] = isfinite(out->v[i]);
    for (size_t i = 0; i < e->n; i++) {
        const enum fleet_metric metric = e->rows[i].metric;
        if (had[metric])
            continue;
        for (size_t k = 0; k < m->devices[i].n; k++)
            fleet_sample_add(out, metric, find_quotient(&e->rows[i], &m->devices[i].list[k]));
        had[metric] = isfinite(out->v[metric]);
    }
}

int scrape_read(struct scrape_memory *m, const struct exporters *e, char *text, size_t size,
                enum exposition_format format, const char *from, uint64_t at_ns,
                struct fleet_sample *out, struct error *err)
{
    struct exposition *x = xcalloc(1, sizeof *x);
    struct exposition_sample s;
    int rc;
    if (!m->known)
        index_terms(m, e);
    for (size_t i = 0; i < m->nrows; i++)
        m->devices[i].n = 0;
    exposition_open(x, format, text, size, from);
    while ((rc = exposition_next(x, &s, err)) == 1 && m->ncounts < SCRAPE_SERIES_MAX)
        HASH_EACH (&m->terms, hash_text(0, s.name), term)
            count_sample(m, e, term, &s, at_ns);
    free(x);
    if (rc == 1)
        rc = error_set(err, ERROR_INPUT, E2BIG, NULL, from,
                       "it has more than %d series of counters", SCRAPE_SERIES_MAX);
    if (rc == 0)
        fill_fleet_sample(m, e, out);
    else
        forget_series(m);
    return rc;
}
