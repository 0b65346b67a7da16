/* Between json.c and json_text.c. */
#ifndef ROOFTOP_BACKENDS_CHROME_JSON_TEXT_H
#define ROOFTOP_BACKENDS_CHROME_JSON_TEXT_H

#include "backends/chrome/json.h"

/* After its quote: JSON_STRING with the text, or what stopped it. */
enum json_token chrome_json_string(struct chrome_json *j);
/* A number or word. */
enum json_token chrome_json_word(struct chrome_json *j);
enum json_token chrome_json_bad(struct chrome_json *j, const char *why);
/* The input has no more: it ended, or it failed. */
enum json_token chrome_json_no_more(const struct chrome_json *j);

#endif
