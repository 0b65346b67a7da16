/* A profile as the views of tree, path and roofline show it. */
#ifndef ROOFTOP_ENGINE_TRACE_BRICKS_H
#define ROOFTOP_ENGINE_TRACE_BRICKS_H

#include "base/arena.h"
#include "engine/bricks.h"
#include "engine/trace.h"

enum { TRACE_WINDOW_SPANS = 65536 };

/* Texts and arrays go into memory; the trace's sums are referenced (graph_unref(out->tree)). path:
 * the file, as it is shown. 0, or -ENOMEM with err. */
int trace_bricks(struct bricks *out, struct arena *memory, const struct trace *t, const char *path,
                 struct error *err);

#endif
