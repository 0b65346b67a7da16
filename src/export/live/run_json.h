/* Runs as a part of a document, and back. docs/COMPARE.md describes it. */
#ifndef ROOFTOP_EXPORT_LIVE_RUN_JSON_H
#define ROOFTOP_EXPORT_LIVE_RUN_JSON_H

#include <cjson/cJSON.h>

#include "base/error.h"
#include "engine/compare/run.h"

cJSON *run_json(const struct run *r);

/* Whether the file begins as what rooftop --headless --format json printed. */
bool run_json_recognise(const char *path);
/* Appends those of a document of rooftop --headless --format json. ERROR_INPUT with what would help
 * where it is damaged, or holds no run. */
int run_json_read(struct runs *out, const char *path, struct error *err);
/* The same of n bytes; path is for messages. */
int run_json_parse(struct runs *out, const char *text, size_t n, const char *path,
                   struct error *err);

#endif
