/* A profile as folded stacks, which flame graph tools read: "caller;callee;leaf N" lines. */
#pragma once

#include <stdio.h>

#include "engine/functions/hot_stacks.h"

/* One line for each call path that has samples of its own, in the order of the nodes. As these
 * tools expect for colours, names of inlined frames end in "_[i]", of kernel frames in "_[k]", and
 * of run-time compiled code in "_[j]". Bytes that would break a line, and ';', become '?'. */
void export_folded(FILE *out, const struct hot_stacks *p);
