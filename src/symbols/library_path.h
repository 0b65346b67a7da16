/* Where the dynamic linker finds a library: ld.so(8). */
#ifndef ROOFTOP_SYMBOLS_LIBRARY_PATH_H
#define ROOFTOP_SYMBOLS_LIBRARY_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { LIBRARY_FOLDERS_MAX = 256, NEEDED_MAX = 256 };

/* What an ELF file says of the libraries it needs; texts are the arena's. */
struct needed {
    const char *names[NEEDED_MAX];
    size_t n;
    const char *rpath, *runpath; /* NULL none */
    const char *interpreter;     /* the dynamic linker; NULL none */
    unsigned char class, data;   /* e_ident */
    unsigned short machine;
};
/* false where path is no ELF file. */
bool needed_read(struct needed *out, const char *path, struct arena *texts);

/* The folders of /etc/ld.so.conf and what it includes, then the usual ones. */
struct library_folders {
    const char *list[LIBRARY_FOLDERS_MAX];
    size_t n;
};
void library_folders_read(struct library_folders *out, struct arena *texts);

/* The library called name that a file at `from` needs; NULL where none of its kind is found. */
const char *library_find(const struct library_folders *f, const struct needed *of, const char *from,
                         const char *name, struct arena *texts);

#endif
