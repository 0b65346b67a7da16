/* The summary at the end of rooftop -- COMMAND, of one run or of all. */
#ifndef ROOFTOP_CLI_RUN_SUMMARY_H
#define ROOFTOP_CLI_RUN_SUMMARY_H

#include <stdio.h>

#include "engine/compare/run.h"

/* Prints the means of several runs with their spread (standard deviation; for times the 95 %
 * interval of the mean). Prints nothing if no run has ended. */
void summary_text(FILE *out, const struct runs *runs, bool ascii);

#endif
