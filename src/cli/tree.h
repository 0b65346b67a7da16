/* rooftop tree: the execution tree of instrumented programs, in every format graphs have. */
#ifndef ROOFTOP_CLI_TREE_H
#define ROOFTOP_CLI_TREE_H

#include "cli/options/options.h"

int tree_run(struct options *o); /* the exit status */

#endif
