/*
 * A part of a trace, as a trace of its own: what is made of traces needs to know nothing of it.
 *
 * Of a time: all that lies in it; what crosses an edge is cut there, counters of a dispatch that is
 * cut are not known. Of ranges: what the host did in their time, in all threads of their program
 * (cut at their edges), and what devices ran of what was launched meanwhile, whole, also where it
 * ended later; where no launch is known, what began in their time. What else devices did from the
 * begin of the ranges to the end of that work is kept as TRACE_OUTSIDE: a queue that was busy with
 * earlier work was not idle.
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_WINDOW_H
#define ROOFTOP_ENGINE_TRACE_TRACE_WINDOW_H

#include "engine/trace/window.h"

/* The trace that is left of `whole`, which was opened and is not changed. *out: zeroed. It is to be
 * freed as any other, after either outcome. -ECANCELED where nobody wants it any more. */
int trace_window_take(struct trace *out, const struct trace *whole,
                      const struct window_spans *spans, struct error *err);
/* What t->wanted says, in the place of t itself; nothing where that is all of it. */
int trace_window_apply(struct trace *t, struct error *err);

/* What devices did meanwhile that is not of the ranges: launched before them, or by others. It is
 * known when, and that the queue was not empty; no more. */
#define TRACE_OUTSIDE "(work from outside of the ranges)"
bool trace_is_outside(const struct graph *g, uint32_t v);
/* One line for people: "ProfilerStep#101", "3 ranges 'step' of 2 programs", "1 ms to 2 ms". */
const char *trace_window_text(const struct trace *t, char *out, size_t size);

#endif
