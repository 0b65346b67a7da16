/* rooftop reproduce: from a capture to a folder with source that can be edited, built and run. */
#ifndef ROOFTOP_CLI_REPRODUCE_H
#define ROOFTOP_CLI_REPRODUCE_H

#include "cli/options/options.h"

int reproduce_run(struct options *o);

#endif
