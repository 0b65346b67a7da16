/* A profile in the form that the views of tree, path and roofline show. */
#pragma once

#include "base/arena.h"
#include "engine/bricks/bricks.h"
#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"

enum { TRACE_WINDOW_SPANS = 65536 };

/* Makes everything but the roofline that does not need the critical path, so that another thread
 * can find that meanwhile. Texts and arrays are allocated from `memory`; out->tree holds a
 * reference to the trace's sums (release it with graph_unref). path: the file's name as shown. Pass
 * the result to trace_bricks_end. */
struct trace_bricks;
struct trace_bricks *trace_bricks_begin(struct bricks *out, struct arena *memory,
                                        const struct trace *t, const char *path);
/* Adds the path through the trace's calls and the spans to draw, and frees b. If the path is NULL,
 * it only frees b. */
void trace_bricks_end(struct bricks *out, struct arena *memory, struct trace_bricks *b,
                      const struct trace *t, const struct critical_path *way);
