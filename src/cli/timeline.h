/* `rooftop timeline`: lanes over time. */
#ifndef ROOFTOP_CLI_TIMELINE_H
#define ROOFTOP_CLI_TIMELINE_H

#include "cli/options/options.h"

int timeline_run(struct options *o);

#endif
