/* The events of all sources together: engine/counters/event_catalog.h. */
#pragma once

#include "base/error.h"
#include "engine/counters/event_catalog.h"
#include "engine/live/source.h"

/* As event_catalog_make, with the events of every source of the table (NULL-terminated). */
void event_sources_list(struct event_catalog *out, const struct source_ops *const *sources,
                        const char *const *patterns, size_t npatterns);
/* Tries to open every event of the catalog and leaves nothing open. */
void event_sources_try(struct event_catalog *c, const struct source_ops *const *sources);
/*
 * Whether an event can be counted, in any form that -e takes. Returns 0; else -EINVAL with why not
 * and what would help.
 */
int event_sources_check(const struct source_ops *const *sources, const char *name,
                        struct error *err);
