/* A profile as the views of tree, path and roofline show it. */
#ifndef ROOFTOP_ENGINE_TRACE_BRICKS_H
#define ROOFTOP_ENGINE_TRACE_BRICKS_H

#include "base/arena.h"
#include "engine/bricks.h"
#include "engine/critical_path.h"
#include "engine/trace.h"

enum { TRACE_WINDOW_SPANS = 65536 };

/* Texts and arrays go into memory; the trace's sums are referenced (graph_unref(out->tree)). way:
 * the path through its calls; path: the file, as it is shown. */
void trace_bricks(struct bricks *out, struct arena *memory, const struct trace *t,
                  const struct critical_path *way, const char *path);

#endif
