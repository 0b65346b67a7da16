/*
 * A profile as a flat list: how many samples each function holds, itself and with all it calls.
 */
#ifndef ROOFTOP_ENGINE_HOT_FUNCTIONS_H
#define ROOFTOP_ENGINE_HOT_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/hot/profile.h"

struct function_row {
    uint32_t symbol; /* index into the profile's symbols */
    uint64_t self;   /* samples in the function itself */
    uint64_t total;  /* and in what it calls; a sample counts once, however often it recurses */
};

/* One row a symbol, most samples first (self, then total, then name). *rows is malloc'ed. */
size_t functions_list(const struct profile *p, struct function_row **rows);
/* "fp", "dwarf", "none" */
const char *functions_callgraph_name(enum callgraph c);
/* "user", "kernel", "jit", "vdso", "unknown" */
const char *functions_where_name(enum profile_where w);

#endif
