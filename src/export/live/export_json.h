/*
 * A snapshot as JSON: schema "rooftop.snapshot/1" (docs/SNAPSHOT.md, docs/snapshot.schema.json).
 */
#pragma once

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "engine/live/snapshot.h"

#define EXPORT_JSON_SCHEMA "rooftop.snapshot/1"

/* Makes the document; free it with cJSON_Delete. version: the program's, for the member
 * "generator". */
cJSON *export_json(const struct snapshot *s, const char *version);
/* The same as text, on one line (without a newline) or indented; free it with free(). */
char *export_json_text(const struct snapshot *s, const char *version, bool indented);

/* Member "bricks" of a snapshot; null if b is NULL. */
cJSON *json_bricks(const struct bricks *b);
/* Member "gpus" of a snapshot; null if g is NULL. */
cJSON *json_gpus(const struct gpus *g);
