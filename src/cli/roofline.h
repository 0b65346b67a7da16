/* rooftop roofline: kernels and bricks under their roofs. */
#ifndef ROOFTOP_CLI_ROOFLINE_H
#define ROOFTOP_CLI_ROOFLINE_H

#include "cli/options/options.h"

int roofline_run(struct options *o);

#endif
