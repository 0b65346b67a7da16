/* Finds nodes of a trace by name, for tests of readers. */
#pragma once

#include "engine/trace/trace.h"

/* Reads one file; fails the test with the error if it cannot be read. */
void look_open(struct trace *t, const char *path);
/* Reads the file and expects an error message that contains all the words; the list ends with
 * NULL. */
void look_refused(const char *path, ...) __attribute__((sentinel));
/* The nth node (from 0) of that kind and name; GRAPH_NONE if there is none. */
uint32_t look_node(const struct trace *t, enum node_kind kind, const char *name, unsigned nth);
/* The same, but fails the test if there is none. */
uint32_t look_for(const struct trace *t, enum node_kind kind, const char *name, unsigned nth);
unsigned look_count(const struct trace *t, enum node_kind kind);
bool look_edge(const struct trace *t, uint32_t from, uint32_t to, enum edge_kind kind);
/* Valid until the next call. */
const struct trace_dispatch *look_dispatch(const struct trace *t, uint32_t node);
/* NaN if there is none. */
double look_counter(const struct trace *t, uint32_t node, const char *name);
const struct graph_detail *look_detail(const struct trace *t, uint32_t node);
/* A sorted list with a line "kind name parent start duration" for each node: the same for equal
 * graphs, whatever the order of their nodes. The caller frees it. */
char *look_lines(const struct trace *t);
