#include <stddef.h>

#include "engine/syscalls/tracer.h"

#define TRACER(id) extern const struct tracer_ops tracer_##id;
#include "capabilities.def"

const struct tracer_ops *const tracers[] = {
#define TRACER(id) &tracer_##id,
#include "capabilities.def"
    NULL,
};
