/* rooftop code-object: what a code object of AMD's GPUs holds. */
#ifndef ROOFTOP_CLI_CODE_OBJECT_H
#define ROOFTOP_CLI_CODE_OBJECT_H

#include "cli/options/options.h"

int code_object_run(struct options *o); /* the exit status */

#endif
