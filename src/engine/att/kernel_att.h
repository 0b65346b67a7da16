/*
 * Adds to a kernel what only a thread trace knows: waits and the mix of instructions. It fills only
 * unknown facts; times stay those of the profile. docs/KERNELS.md has the formulas.
 */
#pragma once

#include "engine/att/att.h"
#include "engine/kernels/kernels.h"

/* Sets the facts that a trace gives; the others are NaN. */
void kernel_att_facts(struct facts *out, const struct att *a);
/* Adds the facts to the rows of the trace's kernel in all groups and finds their labels again.
 * Returns the number of rows; 0 if the profile has no such kernel. */
uint32_t kernels_add_att(struct kernels *k, const struct att *a);
