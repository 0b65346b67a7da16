/* What readers left out of a profile, as documents have it. */
#ifndef ROOFTOP_EXPORT_LEFT_OUT_JSON_H
#define ROOFTOP_EXPORT_LEFT_OUT_JSON_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/trace/trace.h"

/* {"records":12,"causes":[{"cause":"without a readable time","records":12}]}; 0 and [] if nothing
 * is. */
cJSON *left_out_json(const struct trace *t);
/* Writes ,"left_out": and that object; nothing if t is NULL. */
void left_out_json_write(FILE *out, const struct trace *t);

#endif
