/* rooftop bricks: every brick and kernel with its statistics, its category's share, its budget, and
 * beside each other where it ran in several backends or programs. */
#ifndef ROOFTOP_CLI_BRICKS_H
#define ROOFTOP_CLI_BRICKS_H

#include "cli/options/options.h"

int bricks_run(struct options *o); /* the exit status */

#endif
