/*
 * Exit statuses as a table, from which the manual is made, and messages about failures.
 */
#pragma once

#include "base/error.h"
#include "base/exit_code.h"

/* Which commands can end with a status although their description does not list it. */
enum exit_who { EXIT_OF_SOME, EXIT_OF_ALL, EXIT_OF_STARTERS };

struct exit_row {
    int code;
    const char *text; /* one clause */
    enum exit_who who;
};
extern const struct exit_row exit_table[]; /* terminated by text == NULL */

/* Prints the error as one line on stderr, with control bytes replaced. Nothing is printed about
 * output whose reader has gone, as other programs do. Returns the exit status for it. */
int exit_report(const struct error *err);
/* Prints a line that is no error. */
void exit_note(const char *text);
/*
 * The same for a command that should have been started: returns 127 if it was not found and 126 if
 * it could not be executed, as shells do.
 */
int exit_report_command(const struct error *err);
/* The exit status that a shell would give a wait status: the code, or 128 + the signal. */
int exit_of_wait_status(int wait_status);
/*
 * Ends the process by the signal, so that shells and make see it. Call it after cleaning up.
 * Returns 128 + signo only if the signal does not end the process.
 */
int exit_by_signal(int signo);
