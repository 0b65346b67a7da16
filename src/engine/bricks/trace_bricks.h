/* A profile as the views of tree, path and roofline show it. */
#ifndef ROOFTOP_ENGINE_BRICKS_TRACE_BRICKS_H
#define ROOFTOP_ENGINE_BRICKS_TRACE_BRICKS_H

#include "base/arena.h"
#include "engine/bricks/bricks.h"
#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"

enum { TRACE_WINDOW_SPANS = 65536 };

/* All but what takes the path, so that both can be found at once. Texts and arrays go into memory;
 * the trace's sums are referenced (graph_unref(out->tree)). path: the file, as it is shown. To be
 * given to trace_bricks_end. */
struct trace_bricks;
struct trace_bricks *trace_bricks_begin(struct bricks *out, struct arena *memory,
                                        const struct trace *t, const char *path);
/* Adds the path through the trace's calls, and the spans that go into the picture; frees b. NULL:
 * there is no path, b is freed. */
void trace_bricks_end(struct bricks *out, struct arena *memory, struct trace_bricks *b,
                      const struct trace *t, const struct critical_path *way);

#endif
