/* A profile as a document of speedscope (speedscope.app/file-format-schema.json). */
#pragma once

#include <stdio.h>

#include "engine/functions/hot_stacks.h"

/* One profile with a sample for each call path that has samples of its own; its weight is their
 * number, or their ns or bytes. */
void export_speedscope(FILE *out, const struct hot_stacks *p);
