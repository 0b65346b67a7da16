/* What the bricks cost a token. */
#ifndef TRANSFORMER_COST_H
#define TRANSFORMER_COST_H

#include "model.h"

/* Runs tokens by turns with and without bricks and prints the difference; 0, or 1 without memory.
 */
int cost_measure(struct model *m, const struct kernels *k, struct pool *p, long tokens);

#endif
