/*
 * Notes SIGINT, SIGTERM and SIGHUP for commands that end in order: they check signals_caught.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* The last signal; 0: none. Code that passes the signal on to the watched command sets it to 0. */
extern volatile sig_atomic_t signals_caught;

/*
 * Begins to catch them. Signals that are ignored (SIGHUP under nohup, SIGINT in a shell's
 * background) stay ignored, unless ignored_too is set, for commands that would leave incomplete
 * files behind.
 */
void signals_catch(bool ignored_too);
/* Catches SIGUSR1, SIGUSR2 and SIGQUIT too, for a command that they are passed on to. */
void signals_catch_more(void);
/* A descriptor that becomes readable when a signal has come. -1 before signals_catch. */
int signals_fd(void);
/* Makes signals_fd unreadable again. */
void signals_heard(void);
/* For a struct watch (base/watch.h): true until a signal has come. */
bool signals_none(void *ctx);
