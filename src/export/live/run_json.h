/* Writes runs as a part of a snapshot's document, and reads them back (docs/COMPARE.md). */
#pragma once

#include <cjson/cJSON.h>

#include "base/error.h"
#include "engine/compare/run.h"

cJSON *run_json(const struct run *r);

/* Whether the file begins like the output of rooftop --headless --format json. */
bool run_json_recognise(const char *path);
/* Appends the runs of such a document. 0 or -errno: ERROR_INPUT, with what would help, if it is
 * damaged or contains no run. */
int run_json_read(struct runs *out, const char *path, struct error *err);
/* The same for n bytes; path is for messages. */
int run_json_parse(struct runs *out, const char *text, size_t n, const char *path,
                   struct error *err);
