/* What devices did for each rank, as a section of the report. */
#pragma once

#include <cjson/cJSON.h>
#include <stdio.h>

#include "engine/kernels/device_use.h"

/* Writes the section as text; nothing if no device did anything. */
void device_uses_text(FILE *out, const struct device_uses *u, bool ascii);
/* Adds "ranks", "slowest" and "idlest" to the report's document. */
void device_uses_json(cJSON *doc, const struct device_uses *u, const struct trace *t);
/* Writes lines like "rank 3 GPU 0 idle_ns,12". */
void device_uses_csv(FILE *out, const struct device_uses *u);
