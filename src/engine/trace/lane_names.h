/*
 * Distinct names of lanes (threads, queues) and of programs. Two threads "python" become "python
 * 4711" and "python 4712"; queue 1 of two GPUs becomes "GPU 0 queue 1" and "GPU 1 queue 1".
 */
#pragma once

#include "base/arena.h"
#include "engine/graph/graph.h"

/*
 * Sets out[i] to a name for nodes[i], i < n. A name that is already unique stays as it is in the
 * graph. Otherwise the name of its program is put before it (only if apart: the list shows no
 * headings of programs), then its number (of the thread, process, queue) behind it, and finally
 * "#2", "#3" in order. The texts belong to the graph or to `memory`.
 */
void lane_names(const struct graph *g, const uint32_t *nodes, uint32_t n, bool apart,
                struct arena *memory, const char **out);
