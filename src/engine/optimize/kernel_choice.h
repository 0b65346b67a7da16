/* Chooses kernels of a profile that are worth optimising: by their share of the critical path
 * and by their headroom below the roof. kernel_thresholds.def has the thresholds with their
 * source. */
#pragma once

#include "engine/kernels/kernels.h"
#include "engine/optimize/proposer.h"

enum kernel_threshold {
#define THRESHOLD(id, name, least, text, source) THRESHOLD_##id,
#include "engine/optimize/kernel_thresholds.def"
#undef THRESHOLD
    KERNEL_THRESHOLDS
};
extern const struct kernel_threshold_row {
    const char *name;
    double least;
    const char *text, *source;
} kernel_thresholds[KERNEL_THRESHOLDS];

struct kernel_choice {
    const struct kernel_row *row;
    /* In the order of the thresholds, 0 to 1; NaN: not known. Headroom is 1 less what is reached of
     * the theoretical peak: of bytes where the intensity is below the ridge, else of FLOP/s. */
    double value[KERNEL_THRESHOLDS];
    enum kernel_threshold lacks; /* the first threshold that is not reached, or whose value is not
                                    known; else KERNEL_THRESHOLDS */
};

/* The kernels of a table, without copies and collectives: those worth a try first, by priority;
 * then the others by their share of the path. Equal ones stay as in the table. The caller frees the
 * list; NULL where there is none. */
struct kernel_choice *kernel_choices(const struct kernel_table *table, size_t *n);
/* What proposers are told of it. */
void kernel_choice_profile(const struct kernel_choice *c, struct proposal_profile *out);
