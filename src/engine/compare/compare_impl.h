/* What the parts of a comparison share. */
#pragma once

#include "engine/compare/compare.h"

/* If a kernel has several launch shapes, replaces its means and the errors of single runs by those
 * of one mix of the shapes that all runs have. r becomes unlike if there is no such shape. */
void compare_within_shapes(struct compare_row *r, const struct runs *const of[2]);

/* Finds the launch shape s in a number of another run; NULL if that run lacks it. */
const struct run_shape *compare_shape(const struct run_number *x, const struct run_shape *s);

/* How much work each run did, as a multiple of the mean of A's runs. */
struct compare_units {
    double *of[2]; /* one value for each run of the side; NULL = unknown */
    double least;  /* the smallest number of units of work in a run, exact to 1 */
};
/* Fills w and u from the tokens if all runs have them, else from the calls of bricks, kernels. */
void compare_work_find(struct compare_work *w, struct compare_units *u,
                       const struct runs *const of[2]);
void compare_units_free(struct compare_units *u);
/* Whether the number grows with the work: a total of a run. */
bool compare_is_total(const struct compare_row *r);
