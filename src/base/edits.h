/* The fewest edits that turn one sequence into another: lines of texts, of traces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Elements [a, a + na) of the first sequence are replaced by elements [b, b + nb) of the second. */
struct edit {
    size_t a, na, b, nb;
};

struct edits {
    struct edit *list; /* in order; between two of them lies at least one common element */
    size_t n, cap;
};

/* Whether element a of the first sequence equals element b of the second. */
typedef bool edits_same_fn(const void *sequences, size_t a, size_t b);

/*
 * Compares sequences of na and nb elements. Finds the fewest removed and added elements (E. Myers,
 * "An O(ND) difference algorithm and its variations", Algorithmica 1, 1986) if these are at most
 * `most`; with more, one edit replaces everything between the common beginning and the common end.
 * Needs about 4 * most * most bytes at most, and time for (na + nb) * most comparisons.
 */
void edits_find(size_t na, size_t nb, size_t most, edits_same_fn *same, const void *sequences,
                struct edits *out);
void edits_free(struct edits *e);
