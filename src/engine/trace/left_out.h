/* Counts by cause what readers leave out of a trace, and makes a sentence for the views and
 * documents. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum left_out {
    LEFT_OTHER, /* the reader does not give a cause */
    LEFT_TIMELESS,
    LEFT_LATE,
    LEFT_NEGATIVE,
    LEFT_ENDLESS,
    LEFT_FAR,
    LEFT_NO_END,
    LEFT_NO_BEGIN,
    LEFT_NO_EVENT,
    LEFT_CUT,
    LEFT_NO_ROOM,
    LEFT_LOST,
    LEFT_OUT_CAUSES
};

struct trace;
/* Counts n records that are left out, also in t->dropped. */
void trace_leave_out(struct trace *t, enum left_out cause, uint64_t n);
/* Adds the counts of another trace. */
void trace_leave_out_like(struct trace *t, const struct trace *other);
/* The number of records left out for a cause, and the cause in words: "without a readable time". */
uint64_t trace_left_out_of(const struct trace *t, enum left_out cause, const char **what);
/* The counts, LEFT_OUT_CAUSES of them. Only left_out.c uses it. */
const uint64_t *trace_left_out_counts(const struct trace *t);
/* "12 records are left out: 9 without a readable time, 3 with a begin and no end". Returns false,
 * and
 * "" in out, if nothing is. */
bool trace_left_out(const struct trace *t, char *out, size_t size);
/* Makes that sentence the trace's first note. */
void trace_note_left_out(struct trace *t);
