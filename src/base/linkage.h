/*
 * How this program is linked: usually to the system's C library, which opens other libraries when
 * they are needed; with `make ALONE=yes` its own C library is linked in, and it opens none.
 */
#pragma once

#include <stdbool.h>

#ifdef ROOFTOP_ALONE
#define LINKAGE_ALONE true
#else
#define LINKAGE_ALONE false
#endif

/* Why a library cannot be opened: `usual`, unless this program opens none at all. */
static inline const char *linkage_reason(const char *usual)
{
    if (LINKAGE_ALONE)
        return "this rooftop is linked statically, so it opens no library";
    return usual;
}

/* What would help then: `usual`, unless this program opens none at all. */
static inline const char *linkage_help(const char *usual)
{
    if (LINKAGE_ALONE)
        return "with glibc 2.29 or newer: glibc/bin/rooftop of the same archive";
    return usual;
}
