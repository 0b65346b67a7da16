/* The dashboard: connects the terminal, the app and the engine. */
#pragma once

#include "cli/options/options.h"
#include "tui/app/app_compare.h"

/* Like dashboard_run (cli/options/commands.h), but shows a comparison, which stays the caller's. */
int dashboard_compare(struct options *o, const struct shown_comparison *comparison);
