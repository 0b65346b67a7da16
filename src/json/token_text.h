/* What tokens.c and token_text.c share. */
#pragma once

#include "json/tokens.h"

/*
 * Reads a string after its quote. JSON_STRING with the text, otherwise the token that stopped it.
 */
enum json_token json_token_string(struct json_tokens *j);
/* Reads a number or word. */
enum json_token json_token_word(struct json_tokens *j);
enum json_token json_token_bad(struct json_tokens *j, const char *why);
/* The token for the end of the input: it ended, or a read failed. */
enum json_token json_token_no_more(const struct json_tokens *j);
