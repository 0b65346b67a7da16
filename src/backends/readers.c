#include <stddef.h>

#include "engine/trace/trace.h"

#define READER(id) extern const struct reader_ops reader_##id;
#include "capabilities.def"

const struct reader_ops *const readers[] = {
#define READER(id) &reader_##id,
#include "capabilities.def"
    NULL,
};
