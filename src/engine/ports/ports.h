/*
 * What fills the pipes of a core: the metrics of group METRIC_PORTS in a snapshot, each with the
 * events behind it, and what a CPU does not count.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "engine/live/snapshot.h"

enum { PORTS_ROWS_MAX = 48, PORTS_EVENTS_MAX = 6 };

/* An event behind a number. */
struct ports_event {
    const char *name; /* as the vendor calls it */
    const char *code; /* "r4ab"; "" if the name is the code: "cpu_core/event=0xb2,…/" */
};

struct ports_row {
    char pipes[4]; /* which pipes it is about: "D", "S", "C" or several */
    const char *label;
    const struct metric *metric;
    struct ports_event events[PORTS_EVENTS_MAX]; /* without cycles and slots */
    size_t nevents;
};

struct ports_report {
    const struct snapshot *snap; /* borrowed */
    struct ports_row rows[PORTS_ROWS_MAX];
    size_t n;
    size_t counted;   /* rows with a number */
    const char *note; /* what this CPU counts, and what it has no counter for; never NULL */
    const char *why;  /* the reason that all rows share if none has a number; else NULL */
    struct arena texts;
};

/* Makes the report, which points into the snapshot. Free it with ports_report_free. */
void ports_report_make(struct ports_report *r, const struct snapshot *s);
void ports_report_free(struct ports_report *r);

/* What the CPU of this key ("zen4", "spr", …) counts of its pipes and ports. */
const char *ports_note(const char *arch);
