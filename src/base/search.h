/*
 * Binary search in a sorted sequence. `at` is a variable of an unsigned type. `before` is an
 * expression that uses it: true for the first indexes from `at` on, then false up to `end`. Sets
 * `at` to the first index for which it is false, or to `end`.
 *
 *     size_t at = 0;
 *     SEARCH_FIRST(at, t->n, t->rows[at].address < address);
 */
#pragma once

#define SEARCH_FIRST(at, end, before)                                                              \
    do {                                                                                           \
        __typeof__(at) search_low = (at), search_high = (end);                                     \
        while (search_low < search_high) {                                                         \
            (at) = search_low + (search_high - search_low) / 2;                                    \
            if (before)                                                                            \
                search_low = (at) + 1;                                                             \
            else                                                                                   \
                search_high = (at);                                                                \
        }                                                                                          \
        (at) = search_low;                                                                         \
    } while (0)
