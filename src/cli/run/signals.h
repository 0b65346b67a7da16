/*
 * SIGINT, SIGTERM and SIGHUP where a command ends in order: they are noted, and the command asks.
 */
#ifndef ROOFTOP_CLI_RUN_SIGNALS_H
#define ROOFTOP_CLI_RUN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The last that came; 0: none. Code that passed it on to the watched command writes 0. */
extern volatile sig_atomic_t signals_caught;

/*
 * From now on. Signals that are ignored (SIGHUP under nohup, SIGINT in a shell's background) stay
 * so, unless ignored_too: for a command that would leave half-made files behind.
 */
void signals_catch(bool ignored_too);
/* Readable once one has come; for poll. -1 before signals_catch. */
int signals_fd(void);
/* Empties signals_fd. */
void signals_heard(void);
/* For a struct watch (base/watch.h): work goes on until one comes. */
bool signals_none(void *ctx);

#endif
