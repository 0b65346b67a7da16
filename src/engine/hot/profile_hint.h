/* What a profile cannot tell because of how the program was built or started, and what would help.
 */
#ifndef ROOFTOP_ENGINE_HOT_PROFILE_HINT_H
#define ROOFTOP_ENGINE_HOT_PROFILE_HINT_H

#include "engine/hot/profile.h"
#include "engine/value/value.h"

enum { PROFILE_HINT_MAX = 320 };

struct profile_hint {
    /* Of all samples, %. */
    struct value nameless; /* taken in code that a run-time compiler made and nobody named */
    struct value cut;      /* whose callers end before the function that a thread starts with */
    const char *runtime;   /* "java", from its libraries among the samples; NULL unknown */
    char text[PROFILE_HINT_MAX]; /* "" where neither matters */
};
void profile_hint(const struct profile *p, struct profile_hint *out);

#endif
