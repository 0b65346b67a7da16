/*
 * Files that come through a pipe but must be read at any place: databases, which sessions are too,
 * and perf.data. Such a pipe is copied to a temporary file (TMPDIR, else /tmp) that has no name:
 * however rooftop ends, nothing is left. The pipe's descriptor becomes one of the copy, so all
 * readers open it as any other file. What can be read from begin to end is left in its pipe.
 */
#pragma once

#include "base/error.h"

struct options;

/* The path itself, or for a pipe with a name in a folder that of its copy, which lives as long as
 * rooftop. NULL with err. Waits for the first bytes of a pipe; the thread's watch ends that. */
const char *spool_input(const char *path, struct error *err);
/* Replaces the files of a command that draws no screen; the screen opens its own in a thread. */
int spool_operands(struct options *o, struct error *err);
