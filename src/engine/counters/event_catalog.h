/*
 * The events that this machine can count, as `rooftop doctor events` and the command :event list
 * them. Backends give them; nothing is measured here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/value/list_field.h"

enum event_kind {
    EVENT_KIND_GENERIC,    /* perf's own names, which the kernel maps to the CPU's */
    EVENT_KIND_LIBPFM,     /* libpfm4's names of the CPU's events */
    EVENT_KIND_PMU,        /* events that a PMU of the kernel names in sysfs */
    EVENT_KIND_TRACEPOINT, /* static tracepoints of the kernel */
    EVENT_KIND_USDT,       /* static probes of a program */
    EVENT_KINDS
};

enum event_state {
    EVENT_UNTRIED, /* nothing has tried to open it */
    EVENT_OPENS,
    EVENT_REFUSED /* why says by what */
};

/* What a backend says about an event. The strings belong to the backend and end with the call. */
struct event_about {
    enum event_kind kind;
    const char *name;        /* as -e takes it, without modifiers */
    const char *pmu;         /* what counts it: "cpu", "software", "power"; a program's file */
    const char *description; /* one line; "" if nobody wrote one */
    const char *modifiers;   /* what may follow after a colon: "u, k, p"; "" = nothing */
};
typedef void (*event_sink)(void *ctx, const struct event_about *about);

struct catalog_event {
    enum event_kind kind;
    enum event_state state;
    const char *name, *pmu, *description, *modifiers;
    const char
        *code; /* what perf_event_open gets: "4:0x01c2" (type:config); "" before it is tried */
    const char *why;  /* EVENT_REFUSED: a clause */
    const char *help; /* what would help; "" = nothing known */
};

struct event_catalog;
struct event_ops {
    /* Gives every event that it knows to event_catalog_add, and to event_catalog_note what it could
     * not list. Opens none. */
    void (*list)(struct event_catalog *out);
    /* Tries to open the rows that it has listed, and fills state, code, why and help. Leaves
     * nothing open. */
    void (*try_open)(struct event_catalog *e);
};

/* Why some events are not listed. */
struct event_note {
    const char *what, *why, *help; /* help "" = nothing would */
};
enum { EVENTS_MAX = 200000 };

struct event_catalog {
    struct catalog_event *rows; /* sorted by kind, then name */
    size_t n;
    size_t room;
    size_t left_out; /* not kept, because there are EVENTS_MAX already */
    struct event_note *notes;
    size_t nnotes, notes_room;
    struct arena texts;          /* owns all strings of rows and notes */
    const char *const *patterns; /* while they are found */
    size_t npatterns;
};

/*
 * Lists the events that one of the patterns selects (npatterns 0: all). ops ends with NULL. The
 * caller frees the list with event_catalog_free.
 */
void event_catalog_make(struct event_catalog *out, const struct event_ops *const *ops,
                        const char *const *patterns, size_t npatterns);
/* Adds a row if a pattern of the list selects it. list: a struct event_catalog; an event_sink. */
void event_catalog_add(void *list, const struct event_about *about);
void event_catalog_note(struct event_catalog *e, const char *what, const char *why,
                        const char *help);
/* Sorts the rows and leaves out those that are there twice: after event_catalog_add was called from
 * outside. */
void event_catalog_sort(struct event_catalog *e);
void event_catalog_free(struct event_catalog *e);

const char *event_kind_name(enum event_kind kind);  /* "tracepoint" */
const char *event_kind_title(enum event_kind kind); /* "tracepoints of the kernel" */

extern const struct list_field events_fields[]; /* rows: struct catalog_event */
