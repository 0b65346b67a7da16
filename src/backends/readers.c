#include <stddef.h>

#include "engine/trace.h"

extern const struct reader_ops reader_bricks;

const struct reader_ops *const readers[] = {&reader_bricks, NULL};
