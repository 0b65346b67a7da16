/* The pieces that documents in JSON are made of. */
#ifndef ROOFTOP_EXPORT_EXPORT_JSON_VALUE_H
#define ROOFTOP_EXPORT_EXPORT_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/bricks/bricks.h"
#include "engine/value/value.h"

/* The document as text with nothing raw in it (base/print.h), malloc'ed: the only way one becomes
 * text. NULL: no memory. */
char *json_document(const cJSON *doc, bool indented);
/* The same into a file. */
void json_write(FILE *out, const cJSON *doc, bool indented);
/* As valid UTF-8; NULL is null. */
void json_add_text(cJSON *to, const char *key, const char *text);
/* Exact, where a double would round: counts reach 2^64. */
void json_add_u64(cJSON *to, const char *key, uint64_t v);
void json_add_number(cJSON *to, const char *key, double v); /* not finite: null */
/* { value, unit, valid, why…}: docs/SNAPSHOT.md. */
cJSON *json_value(const struct value *v);
void json_add_value(cJSON *to, const char *key, const struct value *v);
void json_add_ok(cJSON *to, const char *key, double v, enum unit unit);

/* "bricks" of a snapshot; NULL is null. */
cJSON *json_bricks(const struct bricks *b);
struct gpus;
/* "gpus" of a snapshot; NULL is null. */
cJSON *json_gpus(const struct gpus *g);

#endif
