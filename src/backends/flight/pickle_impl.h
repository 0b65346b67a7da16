/* A pickle while it is read: what pickle.c and pickle_values.c share. All functions that return
 * bool return false after an error, and why tells it. */
#pragma once

#include "backends/flight/plain.h"

struct pickle {
    struct plain *out;
    const char *text;
    size_t at, n; /* the next byte; their number */
    const char *why;
    bool ended;
};

bool pickle_fail(struct pickle *k, const char *why);
/* An integer without sign of 1 to 8 bytes, the least significant one first. */
uint64_t pickle_take_size(struct pickle *k, unsigned bytes);

/* Push a value. */
bool pickle_push(struct pickle *k, struct plain_value v);
bool pickle_push_number(struct pickle *k, int64_t v);
bool pickle_push_text(struct pickle *k, uint64_t n); /* of the next n bytes */
bool pickle_push_long(struct pickle *k, uint64_t n); /* likewise, an integer with sign */
bool pickle_push_float(struct pickle *k);            /* of 8 bytes */
