/*
 * JSON read in one pass, value by value, without a tree of it: the memory is the caller's, and any
 * fault, of syntax or of type, is told with file, line and byte. The first fault stays; what is
 * called after it does nothing and gives 0 or false. Asks the thread's watch: -ECANCELED.
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

struct json {
    const char *file, *text;
    size_t size, at;
    struct error *err;
    int rc;
    uint64_t items; /* gone to so far */
    bool first;     /* no item of the innermost array or object was read yet */
};

/* Integers up to here are exact in every program that reads JSON; larger ones are refused. */
#define JSON_INTEGER_MAX (INT64_C(1) << 53)

void json_open(struct json *j, const char *file, const char *text, size_t size, struct error *err);
/* '{', '[', '"', 't' or 'f', 'n', '0' for a number; 0 at the end or at what begins no value. */
char json_type(struct json *j);
/* Enters it; false after a fault, and for null, which is passed over: it means "nothing". */
bool json_object(struct json *j);
bool json_array(struct json *j);
/* Goes to the next item; false, and out of the array, behind the last one. */
bool json_item(struct json *j);
/* To the next member and past its key, cut to what fits; false behind the last one. */
bool json_key(struct json *j, char *key, size_t size);
/* The next item of an array must be there: for rows of fixed columns. */
bool json_column(struct json *j, const char *what);
/* Over what is left of the innermost array, and out of it. */
void json_leave(struct json *j);
/* Over any value. */
void json_skip(struct json *j);

/* what: named in a fault, "hits". */
int64_t json_i64(struct json *j, const char *what);
uint64_t json_u64(struct json *j, const char *what); /* 0 or more */
uint32_t json_u32(struct json *j, const char *what);
double json_double(struct json *j, const char *what);
/* Bytes of the text, escapes resolved, NUL-terminated in memory; null is "". */
const char *json_text(struct json *j, const char *what, struct arena *memory);
/* The same into out, cut to what fits. */
void json_copy(struct json *j, const char *what, char *out, size_t size);

/* Nothing may follow. */
void json_end(struct json *j);
/* A fault at byte `at`, unless there was one. */
void json_fail(struct json *j, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
