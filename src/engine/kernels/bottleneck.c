#include "engine/kernels/bottleneck.h"

#include <math.h>
#include <stdio.h>

void facts_unknown(struct facts *f)
{
    for (int i = 0; i < FACTS; i++)
        f->v[i] = NAN;
}

bool bottleneck_term_holds(const struct bottleneck_term *t, double v)
{
    return t->below ? v <= t->limit : v >= t->limit;
}

/* 1 + the confidence if the rule matches, 0 if not. */
static int rule_matches(const struct bottleneck_rule *r, const struct facts *f)
{
    int confidence = r->best;
    for (int i = 0; i < r->nterms; i++) {
        double v = f->v[r->terms[i].fact];
        if (isnan(v) && r->terms[i].support)
            confidence = r->bare;
        else if (!bottleneck_term_holds(&r->terms[i], v)) /* NaN fails too */
            return 0;
    }
    return 1 + confidence;
}

/* A busy device excludes labels about the time between its kernels. */
bool bottleneck_contradict(enum bottleneck_label a, enum bottleneck_label b)
{
    static const uint8_t pairs[][2] = {
        {LABEL_DEVICE, LABEL_HOST},          {LABEL_DEVICE, LABEL_LAUNCH},
        {LABEL_DEVICE, LABEL_COPY},          {LABEL_DEVICE, LABEL_COMMUNICATION},
        {LABEL_HIDDEN, LABEL_COMMUNICATION}, {LABEL_HIDDEN, LABEL_PEER},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((pairs[i][0] == a && pairs[i][1] == b) || (pairs[i][0] == b && pairs[i][1] == a))
            return true;
    return false;
}

struct bottleneck bottleneck_find(enum bottleneck_scope scope, const struct facts *f)
{
    struct bottleneck b = {.label = LABEL_NONE};
    for (const struct bottleneck_rule *r = bottleneck_rules; r->source; r++) {
        int c = r->scope == scope ? rule_matches(r, f) : 0;
        if (c == 0)
            continue;
        if (!b.rule)
            b = (struct bottleneck){r->label, (enum bottleneck_confidence)(c - 1), r, 0};
        else if (r->label != b.label && r->label != LABEL_MIXED &&
                 !bottleneck_contradict(b.label, r->label))
            b.also |= 1u << r->label;
    }
    if (b.label == LABEL_MIXED)
        b.confidence = bottleneck_doubt(scope, f);
    return b;
}

const char *confidence_name(enum bottleneck_confidence c)
{
    static const char *const names[] = {"none", "low", "medium", "high"};
    return names[c];
}

const char *bottleneck_sure(const struct bottleneck *b)
{
    static const char *const sure[] = {"", "confidence low", "confidence medium",
                                       "confidence high"};
    static const char *const unclear[] = {"", "no rule fits as far as is known",
                                          "no rule fits, one nearly does", "no rule fits"};
    return (b->label == LABEL_MIXED ? unclear : sure)[b->confidence];
}

const char *bottleneck_fact_text(enum fact f, double v, bool ascii, char out[VALUE_TEXT_MAX])
{
    enum unit unit = fact_unit(f);
    struct value value = value_ok(unit == UNIT_PERCENT ? 100 * v : v, unit);
    return value_format(&value, ascii, out);
}

const char *bottleneck_limit_text(const struct bottleneck_term *t, bool ascii,
                                  char out[VALUE_TEXT_MAX])
{
    if (fact_unit(t->fact) != UNIT_PERCENT)
        return bottleneck_fact_text(t->fact, t->limit, ascii, out);
    snprintf(out, VALUE_TEXT_MAX, "%.3g %%", 100 * t->limit);
    return out;
}

const char *bottleneck_term_text(const struct bottleneck_term *t, const struct facts *f, bool ascii,
                                 char *out, size_t size)
{
    char value[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];
    double v = f->v[t->fact];
    if (isnan(v))
        snprintf(out, size, "%s: not known", fact_name(t->fact));
    else if (t->fact == FACT_BY_VGPRS || t->fact == FACT_BY_LDS)
        snprintf(out, size, "%s", fact_name(t->fact));
    else
        snprintf(out, size, "%s: %s (rule: %s or %s)", fact_name(t->fact),
                 bottleneck_fact_text(t->fact, v, ascii, value),
                 bottleneck_limit_text(t, ascii, limit), t->below ? "less" : "more");
    return out;
}

size_t bottleneck_evidence(const struct bottleneck *b, const struct facts *f, bool ascii,
                           char out[BOTTLENECK_TERMS][BOTTLENECK_TEXT])
{
    if (!b->rule)
        return 0;
    if (b->label == LABEL_MIXED)
        return bottleneck_why_unclear(b->rule->scope, f, ascii, out);
    for (int i = 0; i < b->rule->nterms; i++)
        bottleneck_term_text(&b->rule->terms[i], f, ascii, out[i], BOTTLENECK_TEXT);
    return b->rule->nterms;
}
