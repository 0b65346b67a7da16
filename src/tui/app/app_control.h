/* Signals and nice values for the process under the cursor, or those that are tagged: asked first,
 * carried out by the loop that drives the app. */
#ifndef ROOFTOP_TUI_APP_APP_CONTROL_H
#define ROOFTOP_TUI_APP_APP_CONTROL_H

#include "tui/app/app.h"

/* Asks whether to send the signal; pid 0 = those that are tagged,
 * else the process under the cursor. A set of enum
 * app_request, 0 with err where it cannot be. */
unsigned app_control_signal(struct app *a, int signo, pid_t pid, struct error *err);
/* The same with a nice value. relative: added to the one it has. */
unsigned app_control_nice(struct app *a, int nice, bool relative, pid_t pid, struct error *err);
/* F7 and F8. */
unsigned app_control_step(struct app *a, enum action act);

#endif
