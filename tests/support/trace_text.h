/* Reads traces whose text a test writes itself, as the program reads them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/trace/trace.h"

/* Writes size bytes to a file in /tmp, compressed with gzip if packed; stores its path in
 * path[64]. */
void trace_text_file(char *path, const char *text, size_t size, bool packed);
/* Writes the text to a file, reads it with the reader that recognises it, and removes it. Results
 * as of trace_open. */
int trace_text_open(struct trace *out, const char *text, size_t size, bool packed,
                    struct error *err);
/* The same for a text that must be readable; otherwise the test fails. */
void trace_text_read(struct trace *out, const char *text);
/* The same for a file of tests/data. */
void trace_text_data(struct trace *out, const char *path);

/* The n-th node (from 0) of the calls with this name; GRAPH_NONE if there is none. */
uint32_t trace_text_node(const struct trace *t, const char *name, unsigned n);
void trace_text_is(const struct trace *t, uint32_t node, enum node_kind kind, uint32_t parent,
                   uint64_t start, uint64_t duration);
const struct graph_detail *trace_text_detail(const struct trace *t, uint32_t node);
bool trace_text_edge(const struct trace *t, uint32_t from, uint32_t to, enum edge_kind kind);
