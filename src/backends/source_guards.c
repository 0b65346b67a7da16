#include <stddef.h>

#include "engine/source_guards/source_guard_ops.h"

#define SOURCE_GUARD(id) extern const struct source_guard_ops source_guard_##id;
#include "capabilities.def"

const struct source_guard_ops *const source_guards[] = {
#define SOURCE_GUARD(id) &source_guard_##id,
#include "capabilities.def"
    NULL,
};
