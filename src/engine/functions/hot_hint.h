/* Says what a profile lacks because of how the program was built or started, and what would help.
 */
#pragma once

#include "engine/functions/hot_stacks.h"
#include "engine/value/value.h"

enum { HOT_HINT_MAX = 320 };

struct hot_hint {
    /* Both in % of all samples. */
    struct value nameless;   /* samples in code of a run-time compiler without names */
    struct value cut;        /* samples whose stack ends before the thread's first function */
    const char *runtime;     /* "java", from its libraries among the samples; NULL unknown */
    char text[HOT_HINT_MAX]; /* "" if neither matters */
};
void hot_hint(const struct hot_stacks *p, struct hot_hint *out);
