#include <stddef.h>

#include "engine/live/source.h"

#define SOURCE(id) extern const struct source_ops source_##id;
#include "capabilities.def"

const struct source_ops *const backends[] = {
#define SOURCE(id) &source_##id,
#include "capabilities.def"
    NULL,
};
