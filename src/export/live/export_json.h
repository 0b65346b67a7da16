/*
 * A snapshot as JSON: schema "rooftop.snapshot/1" (docs/SNAPSHOT.md, docs/snapshot.schema.json).
 */
#ifndef ROOFTOP_EXPORT_LIVE_EXPORT_JSON_H
#define ROOFTOP_EXPORT_LIVE_EXPORT_JSON_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "engine/live/snapshot.h"

#define EXPORT_JSON_SCHEMA "rooftop.snapshot/1"

/* The document; cJSON_Delete it. version: of the program, for "generator". */
cJSON *export_json(const struct snapshot *s, const char *version);
/* The same as text, one line (without a newline) or indented; free() it. */
char *export_json_text(const struct snapshot *s, const char *version, bool indented);

/* "bricks" of a snapshot; NULL is null. */
cJSON *json_bricks(const struct bricks *b);
/* "gpus" of a snapshot; NULL is null. */
cJSON *json_gpus(const struct gpus *g);

#endif
