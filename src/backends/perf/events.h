/* The events to count, resolved: the rows of the catalog, of -e and of the user's file. */
#ifndef ROOFTOP_BACKENDS_PERF_EVENTS_H
#define ROOFTOP_BACKENDS_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/perf_common/group_plan.h"
#include "backends/perf_event/catalog.h"
#include "backends/perf_event/encoding.h"
#include "base/arena.h"
#include "base/error.h"
#include "engine/live/target.h"

struct user_tables;

/*
 * One encoding of an event; an event has several if several PMUs count it (hybrid CPUs, memory
 * channels).
 */
struct event_part {
    struct perf_encoding enc;
    size_t row; /* index in rows */
    int set;    /* for the plan */
};

/* One counter of the snapshot, identified by set and name. */
struct event_row {
    const char *set, *name, *desc; /* static if fixed, else in the table's arena */
    bool fixed;                    /* a row of the catalog */
    const char *spec;              /* as requested */
    const char *encoded;           /* spec with its encoding; only spec where there are no parts */
    bool user;
    size_t first;    /* its parts are parts[first] and the next ones */
    unsigned parts;  /* number of parts; 0: it could not be resolved */
    const char *why; /* the reason then, and what would help */
};

struct event_table {
    struct event_row *rows;
    size_t nrows;
    struct event_part *parts;
    size_t nparts;
    struct arena arena;
};

/*
 * Builds the table. event_spec (-e, may be NULL) replaces the default hardware sets of arch, but
 * not those of ports; software and system-wide rows stay. A set that sets leaves out has rows
 * without parts, whose reason says how it is counted. Errors: a bad event_spec, or a bad event in
 * the user's file (ERROR_INPUT with FILE:LINE). A known event that this machine lacks becomes a row
 * without parts. Free it with events_free.
 */
int events_build(struct event_table *t, const struct arch_def *arch, const char *event_spec,
                 enum target_sets sets, const struct user_tables *user, struct error *err);
void events_free(struct event_table *t);
/* Plans all parts; where[i] is the place of parts[i]. Free it with group_plan_free. */
struct group_plan *events_plan(const struct event_table *t, const struct plan_limits *limits);

#endif
