/* The bases of candidates: the best so far, and with --population others that were not slower. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/optimize/optimize_impl.h"

static size_t population_limit_of(const struct optimizing *o)
{
    const size_t n = o->plan->population;
    if (n > OPTIMIZE_POPULATION)
        return OPTIMIZE_POPULATION;
    return n < 1 ? 1 : n;
}

static bool is_new_base(const struct optimizing *o, uint64_t object)
{
    for (size_t i = 0; i < o->nbases; i++)
        if (o->bases[i].object == object)
            return false;
    return true;
}

/* Adds it to the other bases, after those of the same time: the older one stays. */
static void add_other(struct optimizing *o, const struct optimize_base *b)
{
    size_t at = 1;
    while (at < o->nbases && o->bases[at].score <= b->score)
        at++;
    if (at >= population_limit_of(o)) {
        free(b->text);
        return;
    }
    if (o->nbases == population_limit_of(o))
        free(o->bases[--o->nbases].text);
    memmove(&o->bases[at + 1], &o->bases[at], (o->nbases - at) * sizeof *b);
    o->bases[at] = *b;
    o->nbases++;
}

/* Whether it may be a base in addition to the best: the judge neither refused it nor called it
 * slower. */
static bool is_as_good(const struct optimizing *o, const struct optimize_record *r)
{
    return (r->outcome == OPTIMIZE_EQUIVALENT || r->outcome == OPTIMIZE_NOT_DECIDED) &&
           r->warm.estimate <= 1 + o->plan->min_gain;
}

void optimize_base_add(struct optimizing *o, const struct optimize_record *r, char *text, size_t n)
{
    struct optimize_base b = {
        .number = r->number, .text = text, .n = n, .object = r->object, .score = 1};
    if (o->nbases == 0) {
        o->bases[o->nbases++] = b;
        return;
    }
    b.score = o->bases[0].score * r->warm.estimate;
    if (r->outcome == OPTIMIZE_FASTER) {
        const struct optimize_base before = o->bases[0];
        if (population_limit_of(o) == 1)
            b.none = before.none; /* a proposer without further candidates for the source is not
                                     asked again */
        o->bases[0] = b;
        add_other(o, &before);
    } else if (is_as_good(o, r) && is_new_base(o, r->object)) {
        add_other(o, &b);
    } else {
        free(text);
    }
}

size_t optimize_base_next(const struct optimizing *o, size_t proposer)
{
    const size_t others = o->nbases - 1;
    const uint32_t bit = (uint32_t)1 << proposer;
    const uint32_t round = o->last / (uint32_t)o->plan->nproposers;
    for (uint32_t i = 0; i < 2 * others; i++) {
        const uint32_t turn = round + i;
        const size_t at = turn % 2 ? 1 + turn / 2 % others : 0;
        if (!(o->bases[at].none & bit))
            return at;
    }
    return o->bases[0].none & bit ? o->nbases : 0;
}
