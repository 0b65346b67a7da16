/* The key w of the dashboard: writes what is shown to files. */
#ifndef ROOFTOP_CLI_RUN_DASHBOARD_WRITE_H
#define ROOFTOP_CLI_RUN_DASHBOARD_WRITE_H

#include "cli/run/screen.h"

/* Writes the picture, its numbers and the past to the app's path, or one of them if the path has
 * its ending. A message in the footer says what was written, or why not. */
void dashboard_write(struct screen *s);

#endif
