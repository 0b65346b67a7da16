/* rooftop path: the critical path of what instrumented programs recorded, and the slack beside it.
 */
#ifndef ROOFTOP_CLI_PATH_H
#define ROOFTOP_CLI_PATH_H

#include "cli/options/options.h"

int path_run(struct options *o); /* the exit status */

#endif
