/* rooftop profile: runs a command under the profiler of its GPU, and opens the result. */
#ifndef ROOFTOP_CLI_PROFILE_H
#define ROOFTOP_CLI_PROFILE_H

#include "cli/options/options.h"

int profile_run(struct options *o);

#endif
