/*
 * When devices were at work for a program, whatever their queues: what is said of a time in which
 * something waited. Programs belong together where one launches the other's work: some profilers
 * show a GPU as a program of its own.
 */
#ifndef ROOFTOP_ENGINE_GRAPH_BUSY_H
#define ROOFTOP_ENGINE_GRAPH_BUSY_H

#include "engine/graph/graph.h"

struct busy;

/* Passes over the graph's edges and its device work (which: of it; NULL: all); 16 bytes a span of
 * that that touches no other. Free it; NULL: there was no work. */
struct busy *busy_find(const struct graph *g, bool (*which)(const struct graph *g, uint32_t v));
/* How many ns of [from, to) any device was at work for v's program; NULL: none ever. Fast where it
 * is asked for times near each other. */
uint64_t busy_within(struct busy *b, uint32_t v, uint64_t from, uint64_t to);
void busy_free(struct busy *b); /* NULL allowed */

#endif
