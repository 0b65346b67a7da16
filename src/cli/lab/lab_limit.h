/* What llvm-mca says of the code that `rooftop lab validate` measured. */
#pragma once

#include "engine/lab/lab.h"

/* Predicts the loop of the balanced stream as compiled for this target, or writes why not. Runs
 * llvm-mca, for a second or two. target "": nothing was compiled, and nothing is written. */
void lab_limit_predict(struct lab_limit *out, const char *target);
