/* What the parts of a comparison share. */
#pragma once

#include "engine/compare/compare.h"

/* Where a kernel has several launch shapes: replaces its means, and the errors of single runs, by
 * those of one mix of the shapes that all runs have. Where there is none it becomes "unlike". */
void compare_within_shapes(struct compare_row *r, const struct runs *const of[2]);

/* The same launch shape in a number of another run, or NULL. */
const struct run_shape *compare_shape(const struct run_number *x, const struct run_shape *s);

/* How much work each run did, as a multiple of the mean of A's runs. */
struct compare_units {
    double *of[2]; /* for each run; NULL: unknown */
    double least;  /* the fewest units of work in a run, before that: their error is 1 */
};
/* Fills w and u from what all runs have: tokens, else calls of bricks and kernels. */
void compare_work_find(struct compare_work *w, struct compare_units *u,
                       const struct runs *const of[2]);
void compare_units_free(struct compare_units *u);
/* Whether the number grows with the work: a total of a run. */
bool compare_is_total(const struct compare_row *r);
