/* What the files of this room read of a JSON text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/tokens.h"

/* Whether the text of the current token, a key or string, is name. */
bool renacer_is(const struct json_tokens *j, const char *name);
void renacer_text(const struct json_tokens *j, char *out, size_t size);
/* A number of any size: decimal, or hexadecimal in a string. False: it is none. */
bool renacer_number(const struct json_tokens *j, enum json_token t, uint64_t *out);
