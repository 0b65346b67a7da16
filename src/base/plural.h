/* Nouns after numbers: "1 copy", "2 copies". */
#pragma once

#include <stdint.h>

/* The form of a noun that fits the number. */
static inline const char *plural(uint64_t n, const char *one, const char *more)
{
    return n == 1 ? one : more;
}
