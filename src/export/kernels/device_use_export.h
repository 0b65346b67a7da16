/* The use of devices by ranks, for the report. */
#ifndef ROOFTOP_EXPORT_KERNELS_DEVICE_USE_EXPORT_H
#define ROOFTOP_EXPORT_KERNELS_DEVICE_USE_EXPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "engine/kernels/device_use.h"

/* Writes a section; nothing if no device did anything. */
void device_uses_text(FILE *out, const struct device_uses *u, bool ascii);
/* "ranks", "slowest", "idlest" into the document of a report. */
void device_uses_json(cJSON *doc, const struct device_uses *u, const struct trace *t);
/* "rank 3 GPU 0 idle_ns,12" a line. */
void device_uses_csv(FILE *out, const struct device_uses *u);

/* "rank 3, GPU 0", or the one that exists. */
const char *device_use_name(const struct device_use *r, char *out, size_t size);
/* "of its idle time 80.0 % until the host launched, ..."; "" where it was never idle. */
const char *device_use_idle_text(const struct device_use *r, char *out, size_t size);
/* "at most 5.06 GiB allocated, 11.9 GiB reserved, of 40.0 GiB"; "" where it is not told. */
const char *device_use_memory_text(const struct device_use *r, bool ascii, char *out, size_t size);
/* Fills lines with remarks about all devices. Returns the number of lines. */
enum { DEVICE_USE_LINES = 4 };
int device_uses_say(const struct device_uses *u, char lines[DEVICE_USE_LINES][256]);

#endif
