/*
 * Names of lanes (threads, queues) and of their programs by which those that look the same are told
 * apart: two threads "python" are "python 4711" and "python 4712", queue 1 of two GPUs "GPU 0 queue
 * 1" and "GPU 1 queue 1".
 */
#ifndef ROOFTOP_ENGINE_TRACE_LANE_NAMES_H
#define ROOFTOP_ENGINE_TRACE_LANE_NAMES_H

#include "base/arena.h"
#include "engine/graph/graph.h"

/*
 * out[i]: the name of node nodes[i], as it is in the graph where no other one has it. Else with the
 * name of its program before it (apart: they stand one below the other, without their programs as
 * headings), with its number (of a thread, process, queue) behind it, at last with "#2", "#3" by
 * order. Texts belong to the graph or to memory.
 */
void lane_names(const struct graph *g, const uint32_t *nodes, uint32_t n, bool apart,
                struct arena *memory, const char **out);

#endif
