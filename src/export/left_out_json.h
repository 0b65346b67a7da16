/* Writes what readers left out of a profile into documents. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/trace/trace.h"

/* Adds "left_out": {"records":12,"causes":[{"cause":"without a readable time","records":12}]}; 0
 * and
 * [] if nothing is left out, no member if t is NULL. */
void left_out_json_add(cJSON *to, const struct trace *t);
/* Writes the same, with a comma before it. */
void left_out_json_write(FILE *out, const struct trace *t);
