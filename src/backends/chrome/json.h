/*
 * JSON as a row of tokens, pulled one at a time from a stream: nothing is kept but the token, no
 * recursion, bounded depth. Stricter than a browser, except for what writers of traces do: a comma
 * before a closing bracket of an array, NaN and Infinity, raw control characters in strings.
 */
#ifndef ROOFTOP_BACKENDS_CHROME_JSON_H
#define ROOFTOP_BACKENDS_CHROME_JSON_H

#include "backends/chrome/input.h"

enum {
    JSON_DEPTH = 128,
    JSON_TEXT = 64 << 10, /* bytes of a string that are kept; the rest is read and forgotten */
    JSON_DIGITS = 400     /* bytes of a number */
};

enum json_token {
    JSON_END, /* of the document */
    JSON_CUT, /* the input ended inside of it */
    JSON_BAD, /* malformed, or the input failed: chrome_json_error */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_WORD /* true, false, null */
};

struct chrome_json {
    struct chrome_input *in;
    const char *text; /* of the last key, string, number, word: until the next call; no NUL after */
    size_t size;
    unsigned depth; /* of objects and arrays that are open */
    const char *why;
    char *kept;
    uint8_t expect;
    bool escaped; /* a backslash was read, what it stands before was not */
    bool in_object[JSON_DEPTH];
};

void chrome_json_open(struct chrome_json *j, struct chrome_input *in);
enum json_token chrome_json_next(struct chrome_json *j);
/* Past the value that t began: JSON_BAD and JSON_CUT come through, else t. */
enum json_token chrome_json_skip(struct chrome_json *j, enum json_token t);
/* After JSON_BAD: fills err, "file:line:column" and why. */
int chrome_json_error(const struct chrome_json *j, struct error *err);
void chrome_json_close(struct chrome_json *j);

/* text * 10^scale, rounded to the nearest, without a detour through a double. false: not a number,
 * or not one of 63 bits. */
bool chrome_number(const char *text, size_t size, int scale, int64_t *out);

#endif
