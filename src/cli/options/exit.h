/*
 * Exit codes as a table (the manual is made from it), and how a failure is told.
 */
#ifndef ROOFTOP_CLI_OPTIONS_EXIT_H
#define ROOFTOP_CLI_OPTIONS_EXIT_H

#include "base/error.h"

/* Which commands can end with a status without saying so in their description. */
enum exit_who { EXIT_OF_SOME, EXIT_OF_ALL, EXIT_OF_STARTERS };

struct exit_row {
    int code;
    const char *text; /* one clause */
    enum exit_who who;
};
extern const struct exit_row exit_table[]; /* terminated by text == NULL */

/* One line on stderr, control bytes replaced; returns the exit code that belongs to err. */
int exit_report(const struct error *err);
/* The same for what is no failure. */
void exit_note(const char *text);
/*
 * The same after a command was to be started: a target that could not be is the command, so 127
 * where it was not found and 126 where it could not be executed, as shells have it.
 */
int exit_report_command(const struct error *err);
/* What a shell would say of a wait status: the code, or 128 + the signal. */
int exit_of_wait_status(int wait_status);
/*
 * Ends the process the way signo would have, so that shells and make see it. Call it with
 * everything cleaned up; returns 128 + signo only where the signal cannot end us.
 */
int exit_by_signal(int signo);

#endif
