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

/* "rank 3, GPU 0", or only one of the two if the other is unknown. Returns out. */
const char *device_use_name(const struct device_use *r, char *out, size_t size);
/* "of its idle time 80.0 % until the host launched, ..."; "" if it was never idle. Returns out. */
const char *device_use_idle_text(const struct device_use *r, char *out, size_t size);
/* "at most 5.06 GiB allocated, 11.9 GiB reserved, of 40.0 GiB"; "" if memory was not recorded.
 * Returns out. */
const char *device_use_memory_text(const struct device_use *r, bool ascii, char *out, size_t size);
/* Fills lines with remarks about all devices. Returns the number of lines. */
enum { DEVICE_USE_LINES = 4 };
int device_uses_say(const struct device_uses *u, char lines[DEVICE_USE_LINES][256]);
