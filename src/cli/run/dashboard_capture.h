/* Captures asked for on the screen: rooftop --capture -- COMMAND. */
#ifndef ROOFTOP_CLI_RUN_DASHBOARD_CAPTURE_H
#define ROOFTOP_CLI_RUN_DASHBOARD_CAPTURE_H

#include "cli/options/options.h"
#include "tui/app/app.h"

struct dashboard_capture;

/* While there is one thread. *out stays NULL where it is not asked for. */
int dashboard_capture_open(struct dashboard_capture **out, const struct options *o,
                           struct error *err);
/* What app_capture says. */
void dashboard_capture_ask(struct dashboard_capture *c, struct app *app);
/* Tells the app how far it is; whether that changed the picture. Both: c may be NULL. */
bool dashboard_capture_poll(struct dashboard_capture *c, struct app *app);
void dashboard_capture_close(struct dashboard_capture *c);

#endif
