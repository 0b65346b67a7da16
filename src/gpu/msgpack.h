/*
 * MessagePack, value by value, in place. Allocates nothing and calls nothing that does: it also
 * runs inside other people's programs. Never reads past the end; after a mistake everything fails
 * and `bad` says what it was.
 */
#ifndef ROOFTOP_GPU_MSGPACK_H
#define ROOFTOP_GPU_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum msgpack_type {
    MSGPACK_NIL,
    MSGPACK_BOOL,
    MSGPACK_UNSIGNED, /* what is not negative, however it was written */
    MSGPACK_SIGNED,   /* below 0 */
    MSGPACK_FLOAT,
    MSGPACK_STRING,
    MSGPACK_BINARY, /* bytes, extensions too */
    MSGPACK_ARRAY,  /* its elements follow */
    MSGPACK_MAP,    /* its keys and values follow, in turn */
};

struct msgpack {
    const uint8_t *start, *p, *end;
    const char *bad; /* NULL, or what is wrong at p: a clause */
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
/* The next value; of arrays and maps only the head. False: at the end, or bad. */
bool msgpack_next(struct msgpack *r, struct msgpack_value *out);
/* What is inside v, which msgpack_next just gave; nothing where v is no array or map. However deep
 * it is, this takes no more stack. */
bool msgpack_skip(struct msgpack *r, const struct msgpack_value *v);
/* Whether v is this text. */
bool msgpack_is(const struct msgpack_value *v, const char *text);
/* The next value must be of this type; else r is bad. */
bool msgpack_expect(struct msgpack *r, enum msgpack_type type, struct msgpack_value *out);
/* Where r stands: bytes from its start. */
size_t msgpack_at(const struct msgpack *r);

#endif
