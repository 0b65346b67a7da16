/* `rooftop code`: what instrumented programs keep of their kernels' code. */
#ifndef ROOFTOP_CLI_CODE_H
#define ROOFTOP_CLI_CODE_H

#include "cli/options/options.h"

int code_run(struct options *o); /* the exit status */

#endif
