/* rooftop att: thread traces of GPU kernels, instruction by instruction. */
#ifndef ROOFTOP_CLI_ATT_H
#define ROOFTOP_CLI_ATT_H

#include "cli/options/options.h"

int att_run(struct options *o); /* the exit status */

#endif
