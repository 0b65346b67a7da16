/* Files of other tools that rooftop does not read, told from their beginning. */
#pragma once

#include "engine/trace/trace_look.h"

struct trace_foreign {
    const char *what; /* "a zip archive" */
    const char *help; /* what makes something readable of it, or is read instead */
};

/* What the file is; NULL: not known. */
const struct trace_foreign *trace_foreign_of(const struct trace_look *l);
