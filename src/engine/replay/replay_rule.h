/* The user's rule for when two elements of memory count as equal. */
#pragma once

#include "base/error.h"
#include "engine/capture/memory_compare.h"

struct replay_rule {
    enum memory_type type;
    struct memory_tolerance tolerance;
};
/* The rule that compares bytes exactly. */
struct replay_rule replay_rule_exact(void);
/* Parses "f32", "f32,abs=1e-6,rel=1e-5,ulps=4" or "exact". 0 or -errno with ERROR_USAGE. */
int replay_rule_parse(const char *text, struct replay_rule *out, struct error *err);
