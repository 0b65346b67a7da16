/* A profile as pprof's profile.proto (github.com/google/pprof), not packed: go tool pprof and
 * others read it. */
#pragma once

#include <stdio.h>

#include "engine/functions/hot_stacks.h"

/* A sample for each call path that has samples of its own, with one value. Symbols are functions
 * with a location each; they have no mapping, so modules are not in it. */
void export_pprof(FILE *out, const struct hot_stacks *p);
