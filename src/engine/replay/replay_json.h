/* Reads members of a replay's documents. An absent member, or one of another type, is unknown. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

const char *replay_json_text(const cJSON *o, const char *key); /* NULL if unknown */
double replay_json_number(const cJSON *o, const char *key);    /* NaN if unknown */
uint64_t replay_json_u64(const cJSON *o, const char *key);     /* 0 if unknown; at most 2^53 */
bool replay_json_has(const cJSON *o, const char *key);         /* whether it is a number */
