/*
 * Growable arrays: a pointer, how many it holds, and how many it has room for, zeroed at first and
 * freed by free. n and cap are of one unsigned type or size_t; a list of untrusted length is
 * bounded by its owner.
 */
#pragma once

#include "base/arena.h"

enum { LIST_FIRST = 64 };

/* Makes room for one more after the n that are there: doubles what is full. Arguments are evaluated
 * several times. */
#define LIST_ROOM(list, n, cap)                                                                    \
    do {                                                                                           \
        if (!(list) || (n) >= (cap)) {                                                             \
            (cap) = (cap) ? 2 * (cap) : LIST_FIRST;                                                \
            (list) = xrealloc((list), (cap), sizeof *(list));                                      \
        }                                                                                          \
    } while (0)

/* Adds one after the n that are there, and counts it. */
#define LIST_ADD(list, n, cap, ...)                                                                \
    do {                                                                                           \
        LIST_ROOM(list, n, cap);                                                                   \
        (list)[(n)++] = (__VA_ARGS__);                                                             \
    } while (0)

/* Makes room for this many, and as many more where there is not enough. */
#define LIST_FIT(list, need, cap)                                                                  \
    do {                                                                                           \
        if ((need) > (cap)) {                                                                      \
            (cap) = 2 * (need);                                                                    \
            (list) = xrealloc((list), (cap), sizeof *(list));                                      \
        }                                                                                          \
    } while (0)
