/* rooftop export: profiles as documents for other programs. */
#ifndef ROOFTOP_CLI_EXPORT_H
#define ROOFTOP_CLI_EXPORT_H

#include "cli/options/options.h"

int export_run(struct options *o);

#endif
