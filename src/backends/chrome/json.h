/*
 * Reads JSON as a sequence of tokens from a stream. It keeps only the present token, does not
 * recurse, and limits the depth. It is stricter than a browser, except for what writers of traces
 * produce: a comma before the closing bracket of an array, NaN and Infinity, raw control characters
 * in strings.
 */
#ifndef ROOFTOP_BACKENDS_CHROME_JSON_H
#define ROOFTOP_BACKENDS_CHROME_JSON_H

#include "backends/chrome/input.h"

enum {
    JSON_DEPTH = 128,
    JSON_TEXT = 64 << 10, /* bytes of a string that are kept; the rest is skipped */
    JSON_DIGITS = 400     /* bytes of a number, at most */
};

enum json_token {
    JSON_END, /* end of the document */
    JSON_CUT, /* the input ended inside the document */
    JSON_BAD, /* malformed, or a read error: see chrome_json_error */
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
    /* of the last key, string, number or word: not terminated, valid until the next call */
    const char *text;
    size_t size;
    unsigned depth; /* of open objects and arrays */
    const char *why;
    char *kept;
    uint8_t expect;
    bool escaped; /* a backslash was read, but not what it escapes */
    bool in_object[JSON_DEPTH];
};

void chrome_json_open(struct chrome_json *j, struct chrome_input *in);
enum json_token chrome_json_next(struct chrome_json *j);
/* Skips the value that began with t. Returns JSON_BAD or JSON_CUT if they occurred, else t. */
enum json_token chrome_json_skip(struct chrome_json *j, enum json_token t);
/* After JSON_BAD: fills err with "file:line:column" and the reason. */
int chrome_json_error(const struct chrome_json *j, struct error *err);
void chrome_json_close(struct chrome_json *j);

/*
 * Converts text to text * 10^scale, rounded to nearest, without a double in between. False: not a
 * number, or it does not fit into 63 bits.
 */
bool chrome_number(const char *text, size_t size, int scale, int64_t *out);

#endif
