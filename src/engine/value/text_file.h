/* Files read whole: small ones that people write (TOML), documents of other tools. */
#pragma once

#include <stddef.h>

#include "base/error.h"

enum { TEXT_FILE_MAX = 1 << 20 };

/*
 * Reads a file of at most TEXT_FILE_MAX bytes. *text is terminated; the caller frees it, also after
 * an error. Returns 0, or a negative errno with err.
 */
int text_file_read(char **text, size_t *n, const char *path, struct error *err);
/* The same for at most `most` bytes. Memory grows with the file. */
int text_file_read_most(char **text, size_t *n, const char *path, size_t most, struct error *err);
