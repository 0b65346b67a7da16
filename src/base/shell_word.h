/* Writes words so that a shell reads them unchanged. */
#pragma once

#include <stdio.h>

/* Writes the word, quoted if necessary. */
void shell_word(FILE *out, const char *word);
/* The same for a file's name, as no option: "-x" becomes "./-x". The caller frees it. */
char *shell_path(const char *path);
