/* "Did you mean …": the known names nearest to what the user wrote. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_MAX = 3, NEAREST_NAME_MAX = 96 };

/* Start it, offer every known name, then ask for the nearest. */
struct nearest {
    const char *wanted;                       /* borrowed */
    int n;                                    /* entries in the arrays below, nearest first */
    int distance[NEAREST_MAX];                /* edits; 1 for a name that begins with `wanted` */
    char best[NEAREST_MAX][NEAREST_NAME_MAX]; /* as offered, cut */
};

void nearest_start(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *known);
/* Returns the nearest name, or NULL if none is near enough: at most one edit for every three
 * characters, case ignored. */
const char *nearest_found(const struct nearest *n);
/* Writes all names that are near enough: "'view', 'view-gpu' or 'view-att'". Returns false and
 * writes "" if there are none. */
bool nearest_list(const struct nearest *n, char *out, size_t size);
