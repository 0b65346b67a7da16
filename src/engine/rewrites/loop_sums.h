/* Variables of a loop into which values are added, or multiplied, or joined bit by bit: nothing
 * else is done with them in it. */
#ifndef ROOFTOP_ENGINE_REWRITES_LOOP_SUMS_H
#define ROOFTOP_ENGINE_REWRITES_LOOP_SUMS_H

#include "engine/rewrites/simple_loop.h"

enum { SUMS_MOST = 8, SUM_USES_MOST = 64 };

struct loop_sum {
    size_t variable;
    char sign; /* + (- and ++ too), *, &, | or ^ */
    bool real; /* another order rounds otherwise */
    bool wide; /* a whole number of 8 bytes; else of at most 4 */
};
struct loop_sums {
    struct loop_sum list[SUMS_MOST];
    size_t n;
    struct loop_sum_use {
        uint32_t start, end; /* bytes: where its body names one */
        size_t sum;
    } uses[SUM_USES_MOST]; /* in the order of the text */
    size_t nuses;
};

/* l: a simple loop without loops in it. False: it has none. */
bool loop_sums_read(const struct loop_reading *r, const struct simple_loop *l,
                    struct loop_sums *out);

#endif
