/* Words of commands as a shell takes them. */
#ifndef ROOFTOP_CLI_OPTIONS_SHELL_WORD_H
#define ROOFTOP_CLI_OPTIONS_SHELL_WORD_H

#include <stdio.h>

void shell_word(FILE *out, const char *word); /* quoted where that is needed */

#endif
