/*
 * Signals and nice values for the process under the cursor or for the tagged ones. The app asks the
 * user first; the loop that drives the app carries it out.
 */
#pragma once

#include "tui/app/app.h"

/*
 * Asks the user whether to send the signal. pid 0: to the tagged processes, else to the one under
 * the cursor. Returns a set of enum app_request, or 0 with err if it is not possible.
 */
unsigned app_control_signal(struct app *a, int signo, pid_t pid, struct error *err);
/* The same for a nice value. relative: nice is added to the present value. */
unsigned app_control_nice(struct app *a, int nice, bool relative, pid_t pid, struct error *err);
/* The actions of F7 and F8. */
unsigned app_control_step(struct app *a, enum action act);
