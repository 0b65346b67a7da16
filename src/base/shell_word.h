/* Writes words as a shell would read them. */
#pragma once

#include <stdio.h>

/* Writes the word, quoted if necessary. */
void shell_word(FILE *out, const char *word);
/* The same for a file's name, which no program takes for an option: "-x" becomes "./-x". */
char *shell_path(const char *path);
