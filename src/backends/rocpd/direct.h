/*
 * A pass of select.h without SQLite's machine, where the file allows it: rows from the pages
 * (backends/common/sqlite_pages.h), stack ids from an array of the events.
 */
#ifndef ROOFTOP_BACKENDS_ROCPD_DIRECT_H
#define ROOFTOP_BACKENDS_ROCPD_DIRECT_H

#include "backends/rocpd/select.h"

/* The stack id of each event of one set of tables. */
struct rocpd_events {
    char *table;    /* that were read; NULL: none */
    char *guid;     /* all are of this one; NULL: none has one */
    int64_t *stack; /* by id; ROCM_UNKNOWN */
    uint64_t n;
    bool usable;
};
void rocpd_events_forget(struct rocpd_events *e);

/*
 * Hands rows to s->each. 0: all were; -EAGAIN: SQL is for those after s->last, which is INT64_MIN
 * where that is all of them; else what each returned. events: the table that s->stack is from,
 * NULL: none is asked for; it has a guid beside the rows' own, or neither has.
 */
int rocpd_direct(struct rocpd_select *s, const struct rocpd_columns *c, const char *events,
                 bool guid, struct rocpd_events *kept);

#endif
