/* Short rows for records of documents. A file defines TYPE, the structure, before each of them. */
#pragma once

#include "engine/value/field.h"

/* const struct fields cpu_record = RECORD_OF(ROW(INT, id), ROW(TEXT, name)); */
#define RECORD_OF(...)                                                                             \
    {                                                                                              \
        (const struct field[]){__VA_ARGS__},                                                       \
            sizeof((const struct field[]){__VA_ARGS__}) / sizeof(struct field), sizeof(TYPE)       \
    }

#define ROW(kind, member) MEMBER(kind, TYPE, member, #member)
#define NAMED(kind, ...)  MEMBER(kind, TYPE, __VA_ARGS__)
#define KNOWN(kind, ...)  MEMBER(kind, TYPE, __VA_ARGS__, .form = MEMBER_KNOWN, .none = -1)
#define HEX(kind, ...)    MEMBER(kind, TYPE, __VA_ARGS__, .form = MEMBER_HEX)
/* Rows of structures: a pointer to n of them, or an array with n of them. */
#define LIST(member, n, ...)  ROWS_OF(ROWS, TYPE, member, n, __VA_ARGS__)
#define ARRAY(member, n, ...) ROWS_OF(ARRAY, TYPE, member, n, __VA_ARGS__)
/* The members of a structure that a pointer points to, without an object around them. */
#define PART(member, of) NAMED(TO, member, "", .form = MEMBER_PART, .record = (of))
#define FIXED(key, text)                                                                           \
    {                                                                                              \
        .type = FIELD_TEXT, .form = MEMBER_FIXED, .name = (key), .why = (text)                     \
    }
