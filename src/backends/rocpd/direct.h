/*
 * A pass of select.h without SQLite's virtual machine, where the file allows it: rows come from the
 * pages (backends/common/sqlite_pages.h), stack ids from an array of the events.
 */
#ifndef ROOFTOP_BACKENDS_ROCPD_DIRECT_H
#define ROOFTOP_BACKENDS_ROCPD_DIRECT_H

#include "backends/rocpd/select.h"

/* The stack ids of the events in one set of tables. */
struct rocpd_events {
    char *table;    /* the table that was read; NULL: none */
    char *guid;     /* all events have this one; NULL: none has one */
    int64_t *stack; /* by event id; ROCM_UNKNOWN */
    uint64_t n;
    bool usable;
};
void rocpd_events_forget(struct rocpd_events *e);

/*
 * Passes rows to s->each. Returns 0 after all rows; -EAGAIN: SQL must read the rows after s->last
 * (INT64_MIN: all rows); otherwise the result of each. events: the table for s->stack, NULL: not
 * requested; either both tables have a guid or neither.
 */
int rocpd_direct(struct rocpd_select *s, const struct rocpd_columns *c, const char *events,
                 bool guid, struct rocpd_events *kept);

#endif
