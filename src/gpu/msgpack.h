/*
 * Reads MessagePack value by value, in place. Allocates nothing and calls nothing that does,
 * because it also runs inside other programs. Never reads past the end. After an error all
 * functions fail, and `bad` tells the error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum msgpack_type {
    MSGPACK_NIL,
    MSGPACK_BOOL,
    MSGPACK_UNSIGNED, /* not negative, however it was encoded */
    MSGPACK_SIGNED,   /* below 0 */
    MSGPACK_FLOAT,
    MSGPACK_STRING,
    MSGPACK_BINARY, /* bytes and extensions */
    MSGPACK_ARRAY,  /* its elements follow */
    MSGPACK_MAP,    /* its keys and values follow, alternating */
};

struct msgpack {
    const uint8_t *start, *p, *end;
    const char *bad; /* NULL, or the error at p, as a clause */
};

struct msgpack_value {
    enum msgpack_type type;
    bool boolean;
    uint64_t u;       /* MSGPACK_UNSIGNED */
    int64_t i;        /* MSGPACK_SIGNED */
    double f;         /* MSGPACK_FLOAT */
    const char *text; /* of strings and bytes; in place, not terminated */
    uint32_t n;       /* bytes of text, elements of an array, pairs of a map */
};

void msgpack_open(struct msgpack *r, const void *bytes, size_t n);
/* Reads the next value; of arrays and maps only the head. False: at the end, or an error. */
bool msgpack_next(struct msgpack *r, struct msgpack_value *out);
/* Skips the contents of v, which msgpack_next just returned; does nothing if v is no array or map.
 * Nesting costs no stack. */
bool msgpack_skip(struct msgpack *r, const struct msgpack_value *v);
/* Whether v is a string equal to text. */
bool msgpack_is(const struct msgpack_value *v, const char *text);
/* Reads the next value; another type is an error. */
bool msgpack_expect(struct msgpack *r, enum msgpack_type type, struct msgpack_value *out);
/* The position in bytes from the start. */
size_t msgpack_at(const struct msgpack *r);
