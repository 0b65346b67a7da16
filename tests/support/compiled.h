/* Compiles programs while a test runs, in a directory of their own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Makes the directory, with compiled_c in a.c. Only one may exist at a time. */
void compiled_new(void);
void compiled_free(void);
const char *compiled_dir(void);
/* A program with functions inlined in several levels, a cold one, and one that nothing calls. */
extern const char compiled_c[];

void compiled_write(const char *name, const char *text);
/* Runs a shell command in the directory. Returns whether it succeeded; otherwise its messages are
 * printed. */
bool compiled_shell(const char *command);
/* The path of a file in the directory; valid until the fourth call after it. */
const char *compiled_path(const char *name);
/* The address range of .text in an ELF file. */
void compiled_text(const char *path, uint64_t *from, uint64_t *to);
