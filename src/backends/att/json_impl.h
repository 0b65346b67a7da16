/* What the two files of the JSON reader share. */
#ifndef ROOFTOP_BACKENDS_ATT_JSON_IMPL_H
#define ROOFTOP_BACKENDS_ATT_JSON_IMPL_H

#include "backends/att/json.h"

/* Reports that the next value is not the expected one. */
void json_unexpected(struct att_json *j, const char *what, const char *wanted);
/* Skips this word if it is next. */
bool json_word(struct att_json *j, const char *text);
/* Reads a text, whose quote is next, into out; cuts it at the end of a character. */
void json_string(struct att_json *j, char *out, size_t size);

#endif
