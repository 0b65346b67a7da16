#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "engine/bench/history.h"

/* Operations per cycle of a vTPU's balanced stream: the gate, and the band above it (the rule of
 * the project's first specification). */
static const double gate = 2.5, band = 2.9;

bool history_comparable(const struct history_point *a, const struct history_point *b)
{
    return !a->ends.runs || !b->ends.runs || bench_ends_alike(&a->ends, &b->ends);
}

/* Adds the changes of the points [from, to) that ended as the first of them: a run that fails may
 * have done less. */
static void add_changes(struct history_series *s, size_t from, size_t to,
                        const struct change_rule *rule)
{
    struct change *found;
    double *v = xcalloc(to - from + 1, sizeof *v);
    size_t *at = xcalloc(to - from + 1, sizeof *at), kept = 0;
    for (size_t i = from; i < to; i++)
        if (history_comparable(&s->points[from], &s->points[i])) {
            at[kept] = i;
            v[kept++] = s->points[i].value;
        }
    size_t n = changes_find(v, kept, rule, &found);
    s->changes = xrealloc(s->changes, s->nchanges + n + 1, sizeof *s->changes);
    for (size_t i = 0; i < n; i++) {
        found[i].at = at[found[i].at];
        found[i].found = at[found[i].found];
        s->changes[s->nchanges++] = found[i];
    }
    free(found);
    free(at);
    free(v);
}

void history_judge(struct history_series *s, const struct change_rule *rule)
{
    free(s->changes);
    s->changes = NULL;
    s->nchanges = 0;
    s->alarm = HISTORY_QUIET;
    if (s->n == 0)
        return;
    add_changes(s, 0, s->accepted, rule);
    add_changes(s, s->accepted, s->n, rule);
    const struct change *last = s->nchanges ? &s->changes[s->nchanges - 1] : NULL;
    double now = s->points[s->n - 1].value;
    if (strcmp(s->unit, "ops/cycle") == 0 && now < band)
        s->alarm = now < gate ? HISTORY_LOW : HISTORY_WARN;
    if (last && last->at >= s->accepted && (last->after > last->before) != s->more_is_good)
        s->alarm = HISTORY_CHANGED;
    if (s->accepted < s->n &&
        !history_comparable(&s->points[s->accepted ? s->accepted - 1 : 0], &s->points[s->n - 1]))
        s->alarm = HISTORY_FAILING;
}

bool history_alarmed(const struct history_series *s)
{
    return s->alarm > HISTORY_WARN;
}

const char *history_alarm_name(enum history_alarm a)
{
    static const char *const names[] = {"quiet", "warning", "low", "worse", "failing"};
    return names[a];
}

const char *history_difference(const struct history_point *before,
                               const struct history_point *after, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    const struct bench_conditions *a = &before->conditions, *b = &after->conditions;
    const struct {
        const char *what, *before, *after;
        int shown;
    } rows[] = {{"commit", a->commit, b->commit, 10},
                {"branch", a->branch, b->branch, 40},
                {"kernel", a->kernel, b->kernel, 40},
                {"CPU", a->cpu, b->cpu, 40},
                {"microcode", a->microcode, b->microcode, 20},
                {"governor", a->governor, b->governor, 20},
                {"turbo", a->turbo, b->turbo, 8},
                {"SMT", a->smt, b->smt, 8},
                {"compiler", before->compiler, after->compiler, 60}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && used < size; i++)
        if (strcmp(rows[i].before, rows[i].after) != 0)
            used += (size_t)snprintf(out + used, size - used, "%s%s %.*s to %.*s", used ? ", " : "",
                                     rows[i].what, rows[i].shown,
                                     *rows[i].before ? rows[i].before : "unknown", rows[i].shown,
                                     *rows[i].after ? rows[i].after : "unknown");
    return text_whole(out);
}

const char *history_reason(const struct history_series *s, size_t at, char *out, size_t size)
{
    *out = '\0';
    return at == 0 || at >= s->n
               ? out
               : history_difference(&s->points[at - 1], &s->points[at], out, size);
}
