/* Profiles that were opened, for tests of the screen. */
#ifndef ROOFTOP_TESTS_SUPPORT_OPENED_H
#define ROOFTOP_TESTS_SUPPORT_OPENED_H

#include "engine/analysis/analysis.h"

/* Two streams of a GPU, one of which waits for the other (tests/data/path). The same one each time;
 * the test does not close it. */
const struct analysis *opened_streams(void);

#endif
