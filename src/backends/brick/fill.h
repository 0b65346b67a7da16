/* Programs as a snapshot shows them. */
#ifndef ROOFTOP_BACKENDS_BRICK_FILL_H
#define ROOFTOP_BACKENDS_BRICK_FILL_H

#include "backends/brick/programs.h"
#include "base/arena.h"

/* After programs_poll. Arrays and texts go into memory; the caller lets go of tree. interval_s:
 * since the poll before, 0 = this is the first. */
void bricks_fill(struct bricks *out, struct arena *memory, struct programs *p, double interval_s);

#endif
