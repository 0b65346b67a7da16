/* What rooftop report prints of a file that is no profile of a GPU: its summary. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/options/options.h"
#include "engine/summary/subject.h"

/* Whether the only file is a session, captures, a code object, or thread traces, or the files tell
 * of ranks only. */
bool report_takes(const struct options *o);
/* Opens and reports it. Returns the exit status. */
int report_subject(struct options *o);
/* Writes the summary of what is open: samples, or a trace of system calls. */
int report_write_subject(FILE *out, const struct subject *of, const struct options *o,
                         struct error *err);
