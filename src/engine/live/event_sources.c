#include "engine/live/event_sources.h"

#include <errno.h>
#include <stdio.h>

enum { OPS_MAX = 32 };

void event_sources_list(struct event_catalog *out, const struct source_ops *const *sources,
                        const char *const *patterns, size_t npatterns)
{
    const struct event_ops *ops[OPS_MAX + 1];
    size_t n = 0;
    for (; *sources && n < OPS_MAX; sources++)
        if ((*sources)->events)
            ops[n++] = (*sources)->events;
    ops[n] = NULL;
    event_catalog_make(out, ops, patterns, npatterns);
}

void event_sources_try(struct event_catalog *c, const struct source_ops *const *sources)
{
    for (; *sources; sources++)
        if ((*sources)->events)
            (*sources)->events->try_open(c);
}

int event_sources_check(const struct source_ops *const *sources, const char *name,
                        struct error *err)
{
    struct event_catalog c = {.n = 0};
    char what[128];
    int rc = 0;
    event_catalog_add(&c, &(struct event_about){.kind = EVENT_KIND_GENERIC,
                                                .name = name,
                                                .pmu = "",
                                                .description = "",
                                                .modifiers = ""});
    event_sources_try(&c, sources);
    snprintf(what, sizeof what, "event '%.100s'", name);
    if (c.rows[0].state != EVENT_OPENS)
        rc = error_set(err, ERROR_UNSUPPORTED, EINVAL, c.rows[0].help, what, "%s", c.rows[0].why);
    event_catalog_free(&c);
    return rc;
}
