/* What llvm-mca says of the code that `rooftop lab validate` measured. */
#pragma once

#include "engine/lab/lab.h"

/* Predicts how fast the loop of the balanced stream, as compiled for this target, can run; or
 * writes why it cannot. Runs llvm-mca, for a second or two. target "": nothing was compiled, and
 * nothing is written. */
void lab_limit_predict(struct lab_limit *out, const char *target);
