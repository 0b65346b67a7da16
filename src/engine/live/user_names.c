#include "engine/live/user_names.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/words.h"

static bool is_builtin_set(const char *set)
{
    if (strcmp(set, "system") == 0) /* counted by the kernel for the whole host: no metric has it */
        return true;
    for (const struct metric_def *d = metric_table; d->id; d++)
        if (strcmp(d->set, set) == 0)
            return true;
    return false;
}

static bool is_other_metric(const struct user_names *n, const char *name)
{
    for (const struct metric_def *d = metric_table; d->id; d++)
        if (strcmp(d->id, name) == 0)
            return true;
    for (size_t i = 0; i < n->tables->nmetrics; i++)
        if (strcmp(n->tables->metrics[i].id, name) == 0)
            return strcmp(name, n->metric->id) != 0;
    return false;
}

static bool has_event(const struct user_tables *t, const char *set, const char *name)
{
    for (size_t i = 0; i < t->nevents; i++)
        if (strcmp(t->events[i].set, set) == 0 && (!name || strcmp(t->events[i].name, name) == 0))
            return true;
    return false;
}

/* Whether known is `name-more`: the formula's writer forgot the quotes. */
static bool wants_quotes(const char *known, const char *name)
{
    size_t len = strlen(name);
    return strncmp(known, name, len) == 0 && known[len] == '-';
}

static void suggest_event_name(struct user_names *n, const char *set, const char *name)
{
    const struct user_tables *t = n->tables;
    struct nearest near;
    nearest_start(&near, name);
    for (size_t i = 0; i < t->nevents; i++) {
        const struct user_event *e = &t->events[i];
        if (strcmp(e->set, set) == 0)
            nearest_offer(&near, e->name);
        if (strcmp(e->set, set) == 0 && wants_quotes(e->name, name)) {
            snprintf(n->help, sizeof n->help, "quote a name with '-': '%.63s'", e->name);
            return;
        }
        if (strcmp(e->name, name) == 0) {
            snprintf(n->help, sizeof n->help, "an event of another set is %.60s.%.63s", e->set,
                     e->name);
            return;
        }
    }
    for (const struct metric_def *d = metric_table; d->id; d++)
        nearest_offer(&near, d->id);
    for (size_t i = 0; i < t->nmetrics; i++)
        if (&t->metrics[i] != n->metric)
            nearest_offer(&near, t->metrics[i].id);
    snprintf(n->help, sizeof n->help, "did you mean '%.90s'?", near.best[0]);
    if (!nearest_found(&near))
        snprintf(n->help, sizeof n->help,
                 "add an [[event]] of this name, name the set in which it is counted, or quote "
                 "a name with '-'");
}

static void suggest_set(struct user_names *n, const char *set)
{
    struct nearest near;
    nearest_start(&near, set);
    for (const struct metric_def *d = metric_table; d->id; d++)
        nearest_offer(&near, d->set);
    for (size_t i = 0; i < n->tables->nevents; i++)
        nearest_offer(&near, n->tables->events[i].set);
    snprintf(n->help, sizeof n->help, "did you mean '%.90s'?", near.best[0]);
    if (!nearest_found(&near))
        snprintf(n->help, sizeof n->help, "docs/METRICS.md lists the sets");
}

int user_names_know(void *ctx, const char *name, char why[192])
{
    struct user_names *n = ctx;
    char set[64];
    const char *dot = strchr(name, '.');
    bool other = dot && dot != name && dot[1];
    if (!other && (metric_is_word(name) || is_other_metric(n, name)))
        return 0;
    snprintf(set, sizeof set, "%.*s", other ? (int)(dot - name) : 63,
             other ? name : n->metric->set);
    const char *event = other ? dot + 1 : name;
    if (is_builtin_set(set) || has_event(n->tables, set, event) ||
        (n->asked && strcmp(set, "user") == 0))
        return 0;
    if (other && !has_event(n->tables, set, NULL)) {
        suggest_set(n, set);
        snprintf(why, 192, "there is no set '%.63s'", set);
        return -1;
    }
    suggest_event_name(n, set, event);
    snprintf(why, 192, "no event of set '%.63s'%s is called '%.63s'", set,
             other ? "" : " and no metric", event);
    return -1;
}

int user_names_wrong_cpu(const char *cpus, const char **word, char *help, int size)
{
    for (const char *p = cpus; *p; p += strcspn(p, " ")) {
        char one[32];
        p += strspn(p, " ");
        int len = (int)strcspn(p, " ");
        bool known = len == 0;
        struct nearest near;
        snprintf(one, sizeof one, "%.*s", len, p);
        nearest_start(&near, one);
        for (const struct metric_def *d = metric_table; d->id && !known; d++)
            known = len < (int)sizeof one && words_have(d->cpus, one);
        if (known)
            continue;
        for (const struct metric_def *d = metric_table; d->id; d++)
            for (const char *w = d->cpus; *w; w += strcspn(w, " ")) {
                char offer[32];
                w += strspn(w, " ");
                snprintf(offer, sizeof offer, "%.*s", (int)strcspn(w, " "), w);
                nearest_offer(&near, offer);
            }
        snprintf(help, (size_t)size, "did you mean '%.31s'?", near.best[0]);
        if (!nearest_found(&near))
            snprintf(help, (size_t)size, "docs/METRICS.md lists them");
        *word = p;
        return len;
    }
    return 0;
}
