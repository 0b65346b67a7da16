/* What the two halves of the JSON reader share. */
#ifndef ROOFTOP_BACKENDS_ATT_JSON_IMPL_H
#define ROOFTOP_BACKENDS_ATT_JSON_IMPL_H

#include "backends/att/json.h"

/* A fault: what stands here is not what should. */
void json_unexpected(struct json *j, const char *what, const char *wanted);
/* Past this word, if it is next. */
bool json_word(struct json *j, const char *text);
/* Past the text whose quote is next; into out what fits, never half a character. */
void json_string(struct json *j, char *out, size_t size);

#endif
