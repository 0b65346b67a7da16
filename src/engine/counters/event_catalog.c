#include "engine/counters/event_catalog.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

static const struct {
    const char *name, *title;
} kinds[EVENT_KINDS] = {
    [EVENT_KIND_GENERIC] = {"generic", "perf's generic events"},
    [EVENT_KIND_LIBPFM] = {"libpfm", "events of this CPU, by libpfm4"},
    [EVENT_KIND_PMU] = {"pmu", "events that the kernel's PMUs name"},
    [EVENT_KIND_TRACEPOINT] = {"tracepoint", "tracepoints of the kernel"},
    [EVENT_KIND_USDT] = {"usdt", "USDT probes of the program"},
};

const char *event_kind_name(enum event_kind kind)
{
    return kinds[kind].name;
}

const char *event_kind_title(enum event_kind kind)
{
    return kinds[kind].title;
}

/*
 * Whether a pattern selects an event. A pattern with *, ? or [ is a glob for the whole name; any
 * other is searched in name and description. Capitals do not matter.
 */
static bool event_matches(const char *pattern, const char *name, const char *description)
{
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) || strcasestr(description, pattern);
}

static bool is_wanted_event(const struct event_catalog *e, const struct event_about *about)
{
    for (size_t i = 0; i < e->npatterns; i++)
        if (event_matches(e->patterns[i], about->name, about->description))
            return true;
    return e->npatterns == 0;
}

void event_catalog_add(void *list, const struct event_about *about)
{
    struct event_catalog *e = list;
    if (!is_wanted_event(e, about))
        return;
    if (e->n == EVENTS_MAX) {
        e->left_out++;
        return;
    }
    LIST_ROOM(e->rows, e->n, e->room);
    e->rows[e->n++] =
        (struct catalog_event){.kind = about->kind,
                               .name = arena_strdup(&e->texts, about->name),
                               .pmu = arena_strdup(&e->texts, about->pmu),
                               .description = arena_strdup(&e->texts, about->description),
                               .modifiers = arena_strdup(&e->texts, about->modifiers),
                               .code = "",
                               .why = "",
                               .help = ""};
}

static int by_kind_and_name(const void *a, const void *b)
{
    const struct catalog_event *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = strverscmp(x->name, y->name);
    return order ? order : strcmp(x->pmu, y->pmu);
}

void event_catalog_sort(struct event_catalog *e)
{
    size_t kept = 0;
    if (e->n)
        qsort(e->rows, e->n, sizeof *e->rows, by_kind_and_name);
    for (size_t i = 0; i < e->n; i++)
        if (i == 0 || by_kind_and_name(&e->rows[i], &e->rows[kept - 1]) != 0)
            e->rows[kept++] = e->rows[i];
    e->n = kept;
}

void event_catalog_make(struct event_catalog *out, const struct event_ops *const *ops,
                        const char *const *patterns, size_t npatterns)
{
    *out = (struct event_catalog){.patterns = patterns, .npatterns = npatterns};
    for (; *ops; ops++)
        (*ops)->list(out);
    event_catalog_sort(out);
}

void event_catalog_note(struct event_catalog *e, const char *what, const char *why,
                        const char *help)
{
    LIST_ROOM(e->notes, e->nnotes, e->notes_room);
    e->notes[e->nnotes++] = (struct event_note){
        arena_strdup(&e->texts, what), arena_strdup(&e->texts, why), arena_strdup(&e->texts, help)};
}

void event_catalog_free(struct event_catalog *e)
{
    free(e->rows);
    free(e->notes);
    arena_free(&e->texts);
    *e = (struct event_catalog){.n = 0};
}
