#include <stddef.h>

#include "engine/trace.h"

extern const struct reader_ops reader_bricks, reader_chrome;

const struct reader_ops *const readers[] = {&reader_bricks, &reader_chrome, NULL};
