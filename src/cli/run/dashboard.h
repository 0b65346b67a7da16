/* The dashboard: connects the terminal, the app and the engine. */
#pragma once

#include "cli/options/options.h"
#include "tui/app/app.h"

/* Like dashboard_run (cli/options/commands.h), but fill gives the app what it shows. */
typedef void dashboard_fill(struct app *a, const void *what);
int dashboard_show(struct options *o, dashboard_fill *fill, const void *what);
