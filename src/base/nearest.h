/*
 * "Did you mean …": the known name nearest to what was written.
 */
#ifndef ROOFTOP_BASE_NEAREST_H
#define ROOFTOP_BASE_NEAREST_H

/* Feed it every known name, then read best: NULL where none is near enough to be meant. */
struct nearest {
    const char *wanted; /* borrowed */
    int distance;       /* of best */
    char best[96];      /* "" = none */
};

void nearest_start(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *known);
/* NULL, or best. Near enough is one edit in three characters, case not counted. */
const char *nearest_found(const struct nearest *n);

#endif
