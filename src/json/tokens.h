/*
 * Reads JSON as a sequence of tokens from a stream. It keeps only the present token, does not
 * recurse, and limits the depth. Unless it is strict, it accepts these errors of writers of traces:
 * a comma before the closing bracket of an array, NaN and Infinity, raw control characters in
 * strings, and backslashes there that are no escapes (unescaped Windows paths).
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "json/input.h"

enum {
    JSON_DEPTH = 128,
    JSON_TEXT = 64 << 10, /* bytes of a string that are kept; the rest is skipped */
    JSON_DIGITS = 400     /* limit of bytes of a number */
};

enum json_token {
    JSON_END, /* end of the document */
    JSON_CUT, /* the input ended inside the document */
    JSON_BAD, /* malformed, or a read error: see json_tokens_error */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_WORD /* true, false, null */
};

struct json_tokens {
    struct json_input *in;
    /* text of the last key, string, number or word: not terminated, valid until the next call */
    const char *text;
    size_t size;
    unsigned depth; /* number of open objects and arrays */
    const char *why;
    char *kept;
    uint8_t expect;
    bool escaped;      /* a backslash was read, but not the escaped character */
    uint32_t loose;    /* number of backslashes that are no escapes, in strings so far */
    bool strict;       /* refuse the errors of writers of traces; the caller sets it */
    const char *begin; /* begin of the last token in the buffer, unless a refill came between */
    bool in_object[JSON_DEPTH];
};

void json_tokens_open(struct json_tokens *j, struct json_input *in);
enum json_token json_tokens_next(struct json_tokens *j);
/* Whether nothing can be read after a token. */
static inline bool json_token_broken(enum json_token t)
{
    return t == JSON_BAD || t == JSON_CUT || t == JSON_END;
}
/* Whether the token has this text. */
bool json_tokens_are(const struct json_tokens *j, const char *text);
/* Skips the value that began with t. Returns JSON_BAD or JSON_CUT if they occurred, else t. */
enum json_token json_tokens_skip(struct json_tokens *j, enum json_token t);
/* After JSON_BAD: fills err with "file:line:column" and the reason. */
int json_tokens_error(const struct json_tokens *j, struct error *err);
void json_tokens_close(struct json_tokens *j);

/* Converts text to text * 10^scale, rounded to nearest, without a double in between. False: not a
 * number, or it does not fit into 63 bits. */
bool json_scaled(const char *text, size_t size, int scale, int64_t *out);
