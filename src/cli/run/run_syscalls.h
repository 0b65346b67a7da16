/* Traces the watched program for the view of system calls: what the dashboard and its headless form
 * share. */
#ifndef ROOFTOP_CLI_RUN_RUN_SYSCALLS_H
#define ROOFTOP_CLI_RUN_RUN_SYSCALLS_H

#include "cli/run/screen.h"
#include "engine/syscalls/picture/watch.h"

/* Whether the options ask for a trace from the start: --view syscalls, of a command or processes.
 */
bool run_syscalls_asked(const struct screen *s, const struct options *o);
/* Gives the app an empty picture, so that the view can be used before the trace has begun. */
void run_syscalls_expect(struct app *app);
/* Makes the engine wait, before it executes the command, until w traces it. */
void run_syscalls_before(struct engine_config *config, struct syscalls_watch *w);
/* Begins, or ends, as the app asks; a failure is a message. */
void run_syscalls_obey(struct syscalls_watch *w, struct app *app);
/* Lets the program go and waits for it: a stopped rooftop reads nothing. w may be NULL. */
void run_syscalls_pause(struct syscalls_watch *w);
/* Begins to trace the processes of -p. */
int run_syscalls_attach(struct syscalls_watch *w, const struct target *t, struct error *err);
/* Gives the app a new picture; ends the trace when its view is left. True: the app changed. */
bool run_syscalls_poll(struct syscalls_watch *w, struct app *app);

#endif
