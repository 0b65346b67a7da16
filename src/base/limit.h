/* Limits a number to a range. `least` wins if the range is empty; NAN stays NAN. */
#pragma once

static inline int limit_int(int v, int least, int most)
{
    if (v < least)
        return least;
    return v > most ? most : v;
}

static inline double limit_double(double v, double least, double most)
{
    if (v < least)
        return least;
    return v > most ? most : v;
}
