/*
 * "Did you mean …": the known names nearest to what was written.
 */
#ifndef ROOFTOP_BASE_NEAREST_H
#define ROOFTOP_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_MAX = 3, NEAREST_NAME_MAX = 96 };

/* Feed it every known name, then read what is near enough to be meant. */
struct nearest {
    const char *wanted;        /* borrowed */
    int n;                     /* of the two below, the nearest first */
    int distance[NEAREST_MAX]; /* edits; 1 for a name that begins with what is wanted */
    char best[NEAREST_MAX][NEAREST_NAME_MAX]; /* as offered, cut */
};

void nearest_start(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *known);
/* The best, or NULL. Near enough is one edit in three characters, case not counted. */
const char *nearest_found(const struct nearest *n);
/* All that are near enough: "'view', 'view-gpu' or 'view-att'"; "" and false where none is. */
bool nearest_list(const struct nearest *n, char *out, size_t size);

#endif
