/* Looking into a trace by names: what tests of readers share. */
#ifndef TESTS_SUPPORT_TRACE_LOOK_H
#define TESTS_SUPPORT_TRACE_LOOK_H

#include "engine/trace/trace.h"

/* Reads one file; fails the test with the error where it cannot be read. */
void look_open(struct trace *t, const char *path);
/* Reads it and expects a refusal that contains all of the words, up to NULL. */
void look_refused(const char *path, ...) __attribute__((sentinel));
/* The nth of that kind and name, from 0; GRAPH_NONE: there is none. */
uint32_t look_node(const struct trace *t, enum node_kind kind, const char *name, unsigned nth);
/* The same, but it must be there. */
uint32_t look_for(const struct trace *t, enum node_kind kind, const char *name, unsigned nth);
unsigned look_count(const struct trace *t, enum node_kind kind);
bool look_edge(const struct trace *t, uint32_t from, uint32_t to, enum edge_kind kind);
/* Valid until the next call. */
const struct trace_dispatch *look_dispatch(const struct trace *t, uint32_t node);
/* NaN: there is none. */
double look_counter(const struct trace *t, uint32_t node, const char *name);
const struct graph_detail *look_detail(const struct trace *t, uint32_t node);
/* Every node as a line "kind name parent start duration", sorted: the same for the same graph
 * whatever order its nodes came in. The caller frees it. */
char *look_lines(const struct trace *t);

#endif
