/* The dashboard: the terminal, the app and the engine brought together. */
#ifndef ROOFTOP_CLI_RUN_DASHBOARD_H
#define ROOFTOP_CLI_RUN_DASHBOARD_H

#include "cli/options/options.h"
#include "tui/app/app_compare.h"

/* dashboard_run (cli/options/commands.h) with a comparison to show, which is lent. */
int dashboard_compare(struct options *o, const struct shown_comparison *comparison);

#endif
