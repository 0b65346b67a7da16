/* Captures that are requested on the screen: rooftop --capture -- COMMAND. */
#ifndef ROOFTOP_CLI_RUN_DASHBOARD_CAPTURE_H
#define ROOFTOP_CLI_RUN_DASHBOARD_CAPTURE_H

#include "cli/options/options.h"
#include "tui/app/app.h"

struct dashboard_capture;

/* Call it while there is one thread. *out stays NULL if --capture was not given. */
int dashboard_capture_open(struct dashboard_capture **out, const struct options *o,
                           struct error *err);
/* Requests what app_capture describes. */
void dashboard_capture_ask(struct dashboard_capture *c, struct app *app);
/* Tells the app about progress; returns whether the picture changed. In both functions c may be
 * NULL. */
bool dashboard_capture_poll(struct dashboard_capture *c, struct app *app);
void dashboard_capture_close(struct dashboard_capture *c);

#endif
