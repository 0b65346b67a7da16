/* What the bricks cost a token. */
#ifndef TRANSFORMER_COST_H
#define TRANSFORMER_COST_H

#include "model.h"

/* Produces tokens with and without bricks in alternation, and prints the difference. Returns 0,
 * or 1 if there is no memory. */
int cost_measure(struct model *m, const struct kernels *k, struct pool *p, long tokens);

#endif
