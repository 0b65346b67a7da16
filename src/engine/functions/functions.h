/*
 * A profile as a flat list: the samples of each function, by itself and with its callees.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/functions/hot_stacks.h"

struct function_row {
    uint32_t symbol; /* index into the profile's symbols */
    uint64_t self;   /* samples in the function itself */
    uint64_t total;  /* self plus callees; a sample counts once, even in a recursion */
};

/* Makes one row for each symbol, sorted by self, then total (largest first), then name. Returns the
 * number of rows; the caller frees *rows. */
size_t functions_list(const struct hot_stacks *p, struct function_row **rows);
/* The share of the profile's samples, in percent. */
double functions_percent(const struct hot_stacks *p, uint64_t samples);
/* Writes file and line: "src/gemm.cpp:88"; "" if the source is unknown. */
void functions_source(const struct hot_symbol *s, char *out, size_t size);
/* "fp", "dwarf", "none" */
const char *functions_callgraph_name(enum callgraph c);
/* "user", "kernel", "jit", "vdso", "unknown" */
const char *functions_where_name(enum hot_where w);
