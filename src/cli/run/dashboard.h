/* The dashboard: connects the terminal, the app and the engine. */
#pragma once

#include "cli/options/options.h"
#include "tui/app/app.h"

/* The screen, and snapshots as text, JSON or CSV. Each returns the exit status. */
int dashboard_run(struct options *o);
int headless_run(struct options *o);

/* Like dashboard_run, but fill gives the app what it shows. */
typedef void dashboard_fill(struct app *a, const void *what);
int dashboard_show(struct options *o, dashboard_fill *fill, const void *what);
