/* Writes a word as a shell would read it. */
#ifndef ROOFTOP_CLI_OPTIONS_SHELL_WORD_H
#define ROOFTOP_CLI_OPTIONS_SHELL_WORD_H

#include <stdio.h>

void shell_word(FILE *out, const char *word); /* quoted if necessary */

#endif
