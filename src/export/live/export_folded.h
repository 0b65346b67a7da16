/* A profile as folded stacks, which flame graph tools read: "caller;callee;leaf N" lines. */
#ifndef ROOFTOP_EXPORT_LIVE_EXPORT_FOLDED_H
#define ROOFTOP_EXPORT_LIVE_EXPORT_FOLDED_H

#include <stdio.h>

#include "engine/hot/profile.h"

/*
 * One line a call path with samples of its own, in the order of the nodes. Inlined frames end in
 * "_[i]", the kernel's in "_[k]", those of run-time compilers in "_[j]", as those tools colour
 * them. Bytes that would break a line, and ';', become '?'.
 */
void export_folded(FILE *out, const struct profile *p);

#endif
