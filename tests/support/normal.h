/* Random numbers that are the same in every run. */
#pragma once

#include <stdint.h>

/* Approximately normal, with mean 0 and standard deviation 1: the sum of twelve uniform numbers
 * less six. Changes the seed. */
static inline double normal_next(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*seed >> 11) / 9007199254740992.0;
    }
    return sum;
}
