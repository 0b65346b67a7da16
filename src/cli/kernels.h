/* rooftop kernels and rooftop report: the table of kernels of a profile, and its summary. */
#ifndef ROOFTOP_CLI_KERNELS_H
#define ROOFTOP_CLI_KERNELS_H

#include "cli/options/options.h"

int kernels_run(struct options *o);
int report_run(struct options *o);

#endif
