/* Recognises files of other tools that rooftop does not read, from their beginning. */
#pragma once

#include "engine/trace/trace_look.h"

struct trace_foreign {
    const char *what; /* "a zip archive" */
    const char *help; /* how to get a readable file, or what to open instead */
};

/* What kind of file it is; NULL: unknown. */
const struct trace_foreign *trace_foreign_of(const struct trace_look *l);
