/* What a profile does not hold, and what is therefore not known. */
#pragma once

#include "engine/kernels/kernels.h"

enum { KERNELS_LACKING_MAX = 8 };
struct kernels_lacking {
    char text[KERNELS_LACKING_MAX][400]; /* sentences: "launch shapes of some kernels: how far …" */
    size_t n;
};
void kernels_lacking(struct kernels_lacking *to, const struct trace *t, const struct kernels *k);
