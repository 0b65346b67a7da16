/*
 * Reads JSON in one pass, value by value, without building a tree. The caller owns the memory.
 * Every error, of syntax or of type, is reported with file, line and byte. After the first error,
 * all functions do nothing and return 0 or false. It asks the thread's watch: -ECANCELED.
 *
 *     if (json_array(j))
 *         while (json_item(j))
 *             sum += json_u64(j, "hits");
 *     json_end(j);
 *     return j->rc;
 */
#ifndef ROOFTOP_BACKENDS_ATT_JSON_H
#define ROOFTOP_BACKENDS_ATT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct att_json {
    const char *file, *text;
    size_t size, at;
    struct error *err;
    int rc;
    uint64_t items; /* items visited so far */
    bool first;     /* no item of the innermost array or object was read yet */
};

/* Integers up to this value are exact in every program that reads JSON; larger ones are refused. */
#define JSON_INTEGER_MAX (INT64_C(1) << 53)

void json_open(struct att_json *j, const char *file, const char *text, size_t size,
               struct error *err);
/*
 * The type of the next value: '{', '[', '"', 't' or 'f', 'n', '0' for a number; 0 at the end or
 * where no value begins.
 */
char json_type(struct att_json *j);
/*
 * Enters an object or array; false after an error, and for null, which is skipped: it means
 * "nothing".
 */
bool json_object(struct att_json *j);
bool json_array(struct att_json *j);
/* Moves to the next item; after the last, leaves the array and returns false. */
bool json_item(struct att_json *j);
/* Reads the key of the next member, cut to size; false after the last. */
bool json_key(struct att_json *j, char *key, size_t size);
/* Requires a next item: for rows with fixed columns. */
bool json_column(struct att_json *j, const char *what);
/* Skips the rest of the innermost array and leaves it. */
void json_leave(struct att_json *j);
/* Skips any value. */
void json_skip(struct att_json *j);

/* Read a number. what: its name in errors, "hits". */
int64_t json_i64(struct att_json *j, const char *what);
uint64_t json_u64(struct att_json *j, const char *what); /* 0 or more */
uint32_t json_u32(struct att_json *j, const char *what);
double json_double(struct att_json *j, const char *what);
/* Reads a text into memory, with escapes resolved and NUL-terminated; null becomes "". */
const char *json_text(struct att_json *j, const char *what, struct arena *memory);
/* The same into out, cut to size. */
void json_copy(struct att_json *j, const char *what, char *out, size_t size);

/* Requires the end of the document. */
void json_end(struct att_json *j);
/* Reports an error at byte `at`, unless there was one before. */
void json_fail(struct att_json *j, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
