/*
 * Growable arrays: a pointer, the number of elements, and the number that fit into it. All
 * start as zero, and free frees the pointer. n and cap have the same unsigned type. The owner
 * bounds a list of untrusted length.
 */
#pragma once

#include "base/arena.h"

enum { LIST_FIRST = 64 };

/* Makes room for one more element: doubles a full array. Arguments are evaluated several times. */
#define LIST_ROOM(list, n, cap)                                                                    \
    do {                                                                                           \
        if (!(list) || (n) >= (cap)) {                                                             \
            (cap) = (cap) ? 2 * (cap) : LIST_FIRST;                                                \
            (list) = xrealloc((list), (cap), sizeof *(list));                                      \
        }                                                                                          \
    } while (0)

/* Appends an element and counts it. */
#define LIST_ADD(list, n, cap, ...)                                                                \
    do {                                                                                           \
        LIST_ROOM(list, n, cap);                                                                   \
        (list)[(n)++] = (__VA_ARGS__);                                                             \
    } while (0)

/* Makes room for `need` elements; an array that must grow gets room for twice as many. */
#define LIST_FIT(list, need, cap)                                                                  \
    do {                                                                                           \
        if ((need) > (cap)) {                                                                      \
            (cap) = 2 * (need);                                                                    \
            (list) = xrealloc((list), (cap), sizeof *(list));                                      \
        }                                                                                          \
    } while (0)
