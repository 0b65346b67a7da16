/*
 * Snapshots without a terminal: for scripts, CI and pictures.
 */
#ifndef ROOFTOP_CLI_RUN_HEADLESS_H
#define ROOFTOP_CLI_RUN_HEADLESS_H

#include "cli/options/options.h"

/* Returns the exit status; failures are reported on stderr. */
int headless_run(struct options *o);

#endif
