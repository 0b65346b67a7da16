/* What came out of a call, against what the baseline gave for the same inputs. */
#ifndef ROOFTOP_ENGINE_JUDGE_OUTPUTS_H
#define ROOFTOP_ENGINE_JUDGE_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/judge/harness.h"

struct judge_difference {
    size_t n, first;    /* how many values are wrong, and the place of the first */
    double wanted, got; /* of the first */
    double worst;       /* the largest |got - wanted| of those that may differ; 0: none */
};

/* How far a real value may be away. Whole ones may not at all. */
enum judge_rule {
    JUDGE_EACH,  /* |wanted| * relative + absolute */
    JUDGE_WHOLE, /* the largest |wanted| of the output * relative + absolute: where large values
                    cancel each other, what is left has their rounding, in the baseline, too */
    JUDGE_EXACT, /* the same bits, but for the sign of zero and the payload of NaN */
};
/*
 * Compares an output of an argument. A NaN equals a NaN only, an infinity the same one. Returns
 * whether it is right.
 */
bool judge_same(const struct harness *h, const struct judge_argument *a, const void *wanted,
                const void *got, enum judge_rule rule, struct judge_difference *d);

/*
 * Three wrong answers that a check must see; if it does not, it is blind.
 * - nothing was done: the output is what it was before;
 * - the first input was copied: its bytes, again and again where it is shorter;
 * - the precision is lower: float32 with the 11 bits of half precision, float64 with 24.
 */
enum judge_twin { JUDGE_NOTHING, JUDGE_COPY, JUDGE_LOWER, JUDGE_TWINS };
const char *judge_twin_name(enum judge_twin t);
/*
 * Makes the twin's output. before: what it was before the call; right: what the baseline gave;
 * input: of n bytes, NULL where there is none. False: there is no such twin of this argument.
 */
bool judge_twin_make(enum judge_twin t, const struct judge_argument *a, const void *before,
                     const void *right, const void *input, size_t n, void *out);

#endif
