/* Finds a library where the dynamic linker would find it: ld.so(8). */
#ifndef ROOFTOP_SYMBOLS_LIBRARY_PATH_H
#define ROOFTOP_SYMBOLS_LIBRARY_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { LIBRARY_FOLDERS_MAX = 256, NEEDED_MAX = 256 };

/* What an ELF file says about the libraries that it needs; texts lie in the arena. */
struct needed {
    const char *names[NEEDED_MAX];
    size_t n;
    const char *rpath, *runpath; /* NULL: none */
    const char *interpreter;     /* the dynamic linker; NULL: none */
    unsigned char class, data;   /* e_ident */
    unsigned short machine;
};
/* Reads path. False where it is not an ELF file. */
bool needed_read(struct needed *out, const char *path, struct arena *texts);

/* The folders of /etc/ld.so.conf and the files it includes, then the default ones. */
struct library_folders {
    const char *list[LIBRARY_FOLDERS_MAX];
    size_t n;
};
void library_folders_read(struct library_folders *out, struct arena *texts);

/*
 * Finds the library `name` that the file at `from` needs, and returns its path in the arena. NULL:
 * no library of the same class and machine was found.
 */
const char *library_find(const struct library_folders *f, const struct needed *of, const char *from,
                         const char *name, struct arena *texts);

#endif
