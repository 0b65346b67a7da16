/*
 * Cuts a part out of a trace. The result is an ordinary trace, so other code need not know of it.
 *
 * A part by time holds all spans in that time. A span that crosses an edge is cut there; a dispatch
 * that is cut loses its counters.
 * A part by ranges holds what all host threads of the program did during the ranges (cut at the
 * edges), and all device work launched during them, whole, even if it ended later. If no launch is
 * known, it holds the device work that began during the ranges, but for what runs in its queue
 * before the first work whose launch is known: that was launched before the profile began. Other
 * device work until the end of that is kept as TRACE_OUTSIDE, because a queue that was busy with
 * earlier work was not idle.
 */
#pragma once

#include "engine/trace/window.h"

/* Makes *out (zeroed before) from the spans of `whole`, which was opened and does not change. 0 or
 * -errno with err, -ECANCELED if the watch says stop. Free *out in either case. */
int trace_window_take(struct trace *out, const struct trace *whole,
                      const struct window_spans *spans, struct error *err);
/* Replaces t by the part that t->wanted describes; does nothing if that is the whole. */
int trace_window_apply(struct trace *t, struct error *err);

/* Whether a node stands for device work that does not belong to the ranges: launched before them or
 * by others. Only its times are known. */
#define TRACE_OUTSIDE "(work from outside of the ranges)"
bool trace_is_outside(const struct graph *g, uint32_t v);
/* One line for people: "ProfilerStep#101", "3 ranges 'step' of 2 programs", "1 ms to 2 ms". */
const char *trace_window_text(const struct trace *t, char *out, size_t size);
