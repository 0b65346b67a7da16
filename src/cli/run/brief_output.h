/* The short answer of a command (export/brief.h): what to run next, and where it goes. */
#pragma once

#include "cli/options/options.h"
#include "export/brief.h"

/* Adds commands about what the command line named: its files, else its processes, else its command.
 * commands: "rooftop report path"; terminated by NULL. Nothing was named: nothing is added. */
void brief_next_about(struct brief *b, const struct options *o, const char *const *commands);
/* Adds the same command line without --brief and --format markdown, with more options ("--for 40";
 * "" = none). */
void brief_next_again(struct brief *b, const struct options *o, const char *more);
/* Prints it where a document of the command would go. 0 or -errno with ERROR_OUTPUT. */
int brief_output(const struct brief *b, const struct options *o, struct error *err);
