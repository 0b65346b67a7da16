/* Why no rule gave a label: what lies between the rules, and what is not known. */
#include <math.h>
#include <stdio.h>

#include "engine/kernels/bottleneck.h"

enum { NEAR_MAX = 32, LIMITS = 2 };
#define NEARLY 0.2 /* a limit that is missed by at most a fifth of it is nearly reached */

/* A fact by which rules fail that would match else. */
struct near_fact {
    enum fact fact;
    double missed; /* by how much of the limit, at least; 0: the fact is not known */
    const struct bottleneck_term *terms[LIMITS];
    enum bottleneck_label labels[LIMITS];
    int n;
};
struct near_facts {
    struct near_fact list[NEAR_MAX];
    size_t n;
};

static double find_missed_share(const struct bottleneck_term *t, double v)
{
    return isnan(v) ? 0 : fabs(v - t->limit) / t->limit;
}

static void add_near_fact(struct near_facts *near, const struct bottleneck_term *t,
                          enum bottleneck_label label, double v)
{
    const double missed = find_missed_share(t, v);
    size_t i = 0;
    while (i < near->n && near->list[i].fact != t->fact)
        i++;
    if (i == NEAR_MAX)
        return;
    struct near_fact *k = &near->list[i];
    if (i == near->n) {
        near->n++;
        *k = (struct near_fact){.fact = t->fact, .missed = missed};
    }
    k->missed = fmin(k->missed, missed);
    for (int j = 0; j < k->n; j++)
        if (k->terms[j]->below == t->below)
            return; /* the first rule of a side is tried first */
    k->terms[k->n] = t;
    k->labels[k->n++] = label;
}

/* Adds what keeps a rule from matching if it is one known fact, or only facts that are unknown. */
static void add_near_rule(struct near_facts *near, const struct bottleneck_rule *r,
                          const struct facts *f)
{
    const struct bottleneck_term *failed = NULL;
    int nfailed = 0, nunknown = 0;
    for (int i = 0; i < r->nterms; i++) {
        const double v = f->v[r->terms[i].fact];
        nunknown += isnan(v) && !r->terms[i].support;
        if (isnan(v) || bottleneck_term_holds(&r->terms[i], v))
            continue;
        failed = &r->terms[i];
        nfailed++;
    }
    if (nfailed == 1 && nunknown == 0)
        add_near_fact(near, failed, r->label, f->v[failed->fact]);
    for (int i = 0; nfailed == 0 && i < r->nterms; i++)
        if (isnan(f->v[r->terms[i].fact]) && !r->terms[i].support)
            add_near_fact(near, &r->terms[i], r->label, NAN);
}

static void find_near_facts(struct near_facts *near, enum bottleneck_scope scope,
                            const struct facts *f)
{
    near->n = 0;
    for (const struct bottleneck_rule *r = bottleneck_rules; r->source; r++)
        if (r->scope == scope)
            add_near_rule(near, r, f);
}

enum bottleneck_confidence bottleneck_doubt(enum bottleneck_scope scope, const struct facts *f)
{
    struct near_facts near;
    double least = INFINITY;
    find_near_facts(&near, scope, f);
    for (size_t i = 0; i < near.n; i++) {
        if (isnan(f->v[near.list[i].fact]))
            return CONFIDENCE_LOW;
        least = fmin(least, near.list[i].missed);
    }
    return least <= NEARLY ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
}

/* What saves far less than another kind of work does counts as 0 (bottleneck.h), but may save
 * something: the other kind is named. */
static const char *say_small_saving(const struct facts *f, bool ascii, char *out, size_t size)
{
    enum fact most = FACT_SAVES_DEVICE;
    char text[VALUE_TEXT_MAX];
    for (int k = FACT_SAVES_DEVICE; k <= FACT_SAVES_HOST; k++)
        if (f->v[k] > f->v[most] || isnan(f->v[most]))
            most = (enum fact)k;
    if (!(f->v[most] > 0))
        return "nothing";
    bottleneck_fact_text(most, f->v[most], ascii, text);
    snprintf(out, size, "less than half of what %s, %s", fact_name(most), text);
    return out;
}

static const char *say_fact(enum fact fact, const struct facts *f, bool ascii, char *out,
                            size_t size)
{
    char text[VALUE_TEXT_MAX];
    const double v = f->v[fact];
    if (isnan(v))
        return "not known";
    if (v == 0 && fact >= FACT_SAVES_DEVICE) /* savings are the last of the facts */
        return say_small_saving(f, ascii, out, size);
    snprintf(out, size, "%s", bottleneck_fact_text(fact, v, ascii, text));
    return out;
}

/* "no device at work: 35.0 % (rules: 20 % or less is Device bound, 50 % or more Host bound)" */
static void write_near_fact(const struct near_fact *k, const struct facts *f, bool ascii,
                            char out[BOTTLENECK_TEXT])
{
    char value[128], limit[VALUE_TEXT_MAX];
    size_t n =
        (size_t)snprintf(out, BOTTLENECK_TEXT, "%s: %s (rule%s: ", fact_name(k->fact),
                         say_fact(k->fact, f, ascii, value, sizeof value), k->n > 1 ? "s" : "");
    for (int i = 0; i < k->n && n < BOTTLENECK_TEXT; i++) {
        bottleneck_limit_text(k->terms[i], ascii, limit);
        n +=
            (size_t)snprintf(out + n, BOTTLENECK_TEXT - n, "%s%s or %s is %s", i ? ", " : "", limit,
                             k->terms[i]->below ? "less" : "more", bottleneck_name(k->labels[i]));
    }
    if (n < BOTTLENECK_TEXT)
        snprintf(out + n, BOTTLENECK_TEXT - n, ")");
}

static const struct near_fact *find_nearest(const struct near_facts *near, uint32_t done)
{
    const struct near_fact *best = NULL;
    for (size_t i = 0; i < near->n; i++)
        if (!(done >> i & 1) && (!best || near->list[i].missed < best->missed))
            best = &near->list[i];
    return best;
}

size_t bottleneck_why_unclear(enum bottleneck_scope scope, const struct facts *f, bool ascii,
                              char out[BOTTLENECK_TERMS][BOTTLENECK_TEXT])
{
    struct near_facts near;
    const struct near_fact *k;
    uint32_t done = 0;
    size_t n = 0;
    find_near_facts(&near, scope, f);
    while (n < BOTTLENECK_TERMS && (k = find_nearest(&near, done)) != NULL) {
        done |= 1u << (k - near.list);
        write_near_fact(k, f, ascii, out[n++]);
    }
    if (n == 0)
        snprintf(out[n++], BOTTLENECK_TEXT, "each rule misses two of its conditions or more");
    return n;
}
