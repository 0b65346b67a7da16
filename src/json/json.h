/*
 * Reads a JSON text in memory in one pass, value by value, by the types that the caller expects,
 * without building a tree. Every error, of syntax or of type, is reported with file, line and byte.
 * After the first error, all functions do nothing and return 0 or false. It checks the thread's
 * watch: -ECANCELED. For a stream, or values of any type, use tokens.h.
 *
 *     json_open(&j, path, text, size, err);
 *     if (json_array(&j))
 *         while (json_item(&j))
 *             sum += json_u64(&j, "hits");
 *     json_end(&j);
 *     json_close(&j);
 *     return j.rc;
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "json/tokens.h"

struct json {
    const char *file;
    const char *help; /* what would help after an error; the caller sets it, or NULL */
    struct error *err;
    int rc;
    uint64_t items; /* items and members visited so far */
    /* used only by json.c: */
    struct json_input in;
    struct json_tokens tokens;
    enum json_token token; /* the next one, if peeked */
    bool peeked;
    bool announced; /* json_item announced a value that was not taken yet */
};

/* Integers up to this value are exact in every program that reads JSON; larger ones are refused. */
#define JSON_INTEGER_MAX (INT64_C(1) << 53)

/* file, text and err must outlive j, which stays where it is. */
void json_open(struct json *j, const char *file, const char *text, size_t size, struct error *err);
void json_close(struct json *j);
/* The offset in bytes of the next value, for json_fail. */
size_t json_at(struct json *j);
/* The type of the next value: '{', '[', '"', 't' or 'f', 'n', '0' for a number; 0 at the end or if
 * no value begins. */
char json_type(struct json *j);
/* Enters an object or array; false after an error, and for null, which is skipped: it means
 * "nothing". */
bool json_object(struct json *j);
bool json_array(struct json *j);
/* Moves to the next item; after the last, leaves the array and returns false. */
bool json_item(struct json *j);
/* Reads the key of the next member, cut to size; false after the last. */
bool json_key(struct json *j, char *key, size_t size);
/* Requires a next item: for rows with fixed columns. */
bool json_column(struct json *j, const char *what);
/* Skips the rest of the innermost array and leaves it. */
void json_leave(struct json *j);
/* Skips any value. */
void json_skip(struct json *j);

/* Read a number. what: its name in errors, "hits". */
int64_t json_i64(struct json *j, const char *what);
uint64_t json_u64(struct json *j, const char *what); /* 0 or more */
uint32_t json_u32(struct json *j, const char *what);
double json_double(struct json *j, const char *what);
/* Reads a text into memory, with escapes resolved, cut to JSON_TEXT bytes and NUL-terminated; null
 * becomes "". */
const char *json_text(struct json *j, const char *what, struct arena *memory);
/* The same into out, cut to size. */
void json_copy(struct json *j, const char *what, char *out, size_t size);

/* Requires the end of the document. */
void json_end(struct json *j);
/* Reports an error at byte `at`, unless there was one before. */
void json_fail(struct json *j, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
