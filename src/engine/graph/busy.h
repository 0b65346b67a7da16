/*
 * When devices were busy with a program's work, in any queue, to explain waits. Programs of which
 * one launches the other's work count as one, because some profilers show a GPU as a program of its
 * own.
 */
#pragma once

#include "engine/graph/graph.h"

struct busy;

/* Reads the graph's edges and its device work, or only the work that `which` accepts (NULL: all).
 * Takes 16 bytes for each stretch of busy time. NULL if there was no work. Free with busy_free. */
struct busy *busy_find(const struct graph *g, bool (*which)(const struct graph *g, uint32_t v));
/* For how many ns of [from, to) any device was busy with work of v's program; 0 if b is NULL. Fast
 * if successive calls ask for times close to each other. */
uint64_t busy_within(struct busy *b, uint32_t v, uint64_t from, uint64_t to);
void busy_free(struct busy *b); /* NULL allowed */
