/* Traces that a test writes itself: a text as a file, read as the program reads it. */
#ifndef TESTS_SUPPORT_TRACE_TEXT_H
#define TESTS_SUPPORT_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/trace/trace.h"

/* Writes size bytes to a file of /tmp, gzip if packed; its path, in path[64]. */
void trace_text_file(char *path, const char *text, size_t size, bool packed);
/* Reads that file with whatever reader recognises it; the file is gone then. As trace_open. */
int trace_text_open(struct trace *out, const char *text, size_t size, bool packed,
                    struct error *err);
/* The same for a text that must be read; the test fails where it is not. */
void trace_text_read(struct trace *out, const char *text);
/* The same for a file of tests/data. */
void trace_text_data(struct trace *out, const char *path);

/* The n-th node (from 0) of the calls with this name; GRAPH_NONE: none. */
uint32_t trace_text_node(const struct trace *t, const char *name, unsigned n);
void trace_text_is(const struct trace *t, uint32_t node, enum node_kind kind, uint32_t parent,
                   uint64_t start, uint64_t duration);
const struct graph_detail *trace_text_detail(const struct trace *t, uint32_t node);
bool trace_text_edge(const struct trace *t, uint32_t from, uint32_t to, enum edge_kind kind);

#endif
