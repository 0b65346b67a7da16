/* Checks a cJSON document against the part of JSON Schema that docs/ uses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

/*
 * Supports type, const, enum, properties, required, additionalProperties (false), items, minItems,
 * minimum, maximum, minLength, oneOf, and $ref into the same document. Any other keyword is an
 * error, because a rule that is not checked would be worthless. On false, why says where and what.
 */
bool json_schema_check(const cJSON *schema, const cJSON *doc, char *why, size_t size);
/* Parses a file; NULL if it cannot be read or parsed. */
cJSON *json_file(const char *path);
