/* Programs made by the compiler while a test runs, in a directory of their own. */
#ifndef TESTS_SUPPORT_COMPILED_H
#define TESTS_SUPPORT_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the directory, with compiled_c in a.c; one at a time. */
void compiled_new(void);
void compiled_free(void);
const char *compiled_dir(void);
/* Functions inlined in several levels, one that is cold, one that nothing calls. */
extern const char compiled_c[];

void compiled_write(const char *name, const char *text);
/* A shell command in the directory; true where it succeeded, else its messages are printed. */
bool compiled_shell(const char *command);
/* The path of a file there, until four calls later. */
const char *compiled_path(const char *name);
/* Where .text of an ELF file lies in its address space. */
void compiled_text(const char *path, uint64_t *from, uint64_t *to);

#endif
