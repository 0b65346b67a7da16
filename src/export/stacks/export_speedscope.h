/* A profile as a document of speedscope (speedscope.app/file-format-schema.json). */
#pragma once

#include <stdio.h>

#include "engine/functions/hot_stacks.h"

/* Writes one profile. Each call path that has samples of its own becomes one sample, whose weight
 * is the number, ns or bytes of those samples. */
void export_speedscope(FILE *out, const struct hot_stacks *p);
