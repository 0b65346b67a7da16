/* The end of rooftop -- COMMAND: what the run, or all of them, came to. */
#ifndef ROOFTOP_CLI_RUN_SUMMARY_H
#define ROOFTOP_CLI_RUN_SUMMARY_H

#include <stdio.h>

#include "engine/compare/run.h"

/* Means of several runs with their spread (standard deviation, and the 95 % interval of the mean of
 * times). Nothing where none ended. */
void summary_text(FILE *out, const struct runs *runs, bool ascii);

#endif
