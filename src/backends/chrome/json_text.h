/* What json.c and json_text.c share. */
#ifndef ROOFTOP_BACKENDS_CHROME_JSON_TEXT_H
#define ROOFTOP_BACKENDS_CHROME_JSON_TEXT_H

#include "backends/chrome/json.h"

/*
 * Reads a string after its quote. JSON_STRING with the text, otherwise the token that stopped it.
 */
enum json_token chrome_json_string(struct chrome_json *j);
/* Reads a number or word. */
enum json_token chrome_json_word(struct chrome_json *j);
enum json_token chrome_json_bad(struct chrome_json *j, const char *why);
/* The token for the end of the input: it ended, or a read failed. */
enum json_token chrome_json_no_more(const struct chrome_json *j);

#endif
