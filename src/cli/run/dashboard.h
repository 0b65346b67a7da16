/* The dashboard: the terminal, the app and the engine brought together. */
#ifndef ROOFTOP_CLI_RUN_DASHBOARD_H
#define ROOFTOP_CLI_RUN_DASHBOARD_H

#include "cli/options/options.h"
#include "tui/app/app_compare.h"

/* Returns the exit status (the watched command's, where there is one). Needs a terminal on stdout.
 */
int dashboard_run(struct options *o);
/* The same with a comparison to show, which is lent. */
int dashboard_compare(struct options *o, const struct app_comparison *comparison);

#endif
