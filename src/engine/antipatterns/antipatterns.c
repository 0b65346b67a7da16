#include "engine/antipatterns/antipatterns.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_name(const char *a, const char *b, size_t nb)
{
    size_t i = 0;
    for (;; a++) {
        while (*a == '-' || *a == '_')
            a++;
        while (i < nb && (b[i] == '-' || b[i] == '_'))
            i++;
        if (!*a || i == nb)
            return !*a && i == nb;
        if (tolower((unsigned char)*a) != tolower((unsigned char)b[i++]))
            return false;
    }
}

static bool has_alias(const struct antipattern_rule *rule, const char *name)
{
    for (const char *at = rule->aliases; *at;) {
        size_t n = strcspn(at, " ");
        if (same_name(name, at, n))
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

const struct antipattern_rule *antipattern_find(const char *name)
{
    for (size_t i = 0; i < antipattern_count; i++)
        if (same_name(name, antipattern_table[i].id, strlen(antipattern_table[i].id)) ||
            has_alias(&antipattern_table[i], name))
            return &antipattern_table[i];
    return NULL;
}

double antipattern_confidence(const struct antipattern_rule *rule, double measure)
{
    if (!(measure >= rule->low))
        return 0;
    double way = rule->counted ? log(measure / rule->low) / log(rule->high / rule->low)
                               : (measure - rule->low) / (rule->high - rule->low);
    return way >= 1 ? 1 : 0.5 + way / 2;
}

void antipattern_look(const struct antipattern_rule *rule, const struct run_facts *f,
                      struct antipattern_finding *out)
{
    *out = (struct antipattern_finding){.rule = rule};
    rule->look(f, out);
    out->confidence = antipattern_confidence(rule, out->measure);
}

static int surest_first(const void *a, const void *b)
{
    const struct antipattern_finding *x = a, *y = b;
    if (x->confidence != y->confidence)
        return x->confidence > y->confidence ? -1 : 1;
    return x->rule < y->rule ? -1 : 1; /* the table's order */
}

size_t antipattern_all(const struct run_facts *f, double threshold, struct antipattern_finding *out)
{
    size_t n = 0;
    for (size_t i = 0; i < antipattern_count; i++) {
        antipattern_look(&antipattern_table[i], f, &out[n]);
        n += out[n].confidence >= threshold && out[n].confidence > 0;
    }
    if (n > 1)
        qsort(out, n, sizeof *out, surest_first);
    return n;
}
