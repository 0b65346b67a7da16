/* Opened profiles, for tests of the screen. */
#pragma once

#include "engine/analysis/analysis.h"

/* A profile with two streams of a GPU, one of which waits for the other (tests/data/path). Each
 * call returns the same one; tests do not close it. */
const struct analysis *opened_streams(void);
