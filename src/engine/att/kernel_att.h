/*
 * A thread trace tells of a kernel what its profile does not: waits and the mix of instructions. It
 * only adds to what is not known; times stay those of the profile. docs/KERNELS.md has the
 * formulas.
 */
#ifndef ROOFTOP_ENGINE_ATT_KERNEL_ATT_H
#define ROOFTOP_ENGINE_ATT_KERNEL_ATT_H

#include "engine/att/att.h"
#include "engine/kernels/kernels.h"

/* What a trace tells; the rest is NaN. */
void kernel_att_facts(struct facts *out, const struct att *a);
/* To the rows of its kernel, in all groups, whose labels are found anew. How many rows: 0 where the
 * profile has no such kernel. */
uint32_t kernels_add_att(struct kernels *k, const struct att *a);

#endif
