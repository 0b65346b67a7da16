/*
 * The files that a program's code comes from: the program, its dynamic linker and the libraries it
 * names, before it runs; or what a running process has mapped.
 *
 * Libraries are found where the dynamic linker would look: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH,
 * the folders of /etc/ld.so.conf, the usual ones (ld.so(8)). What a program loads by itself later
 * (dlopen) is not among them.
 */
#ifndef ROOFTOP_SYMBOLS_OBJECTS_H
#define ROOFTOP_SYMBOLS_OBJECTS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"

enum { OBJECTS_MAX = 512 };

struct object {
    const char *path; /* as we can open it */
    const char *name; /* as the program calls it */
    unsigned long long dev, inode;
};
struct objects {
    struct object list[OBJECTS_MAX]; /* the program itself first, each file once */
    size_t n;
    size_t missing; /* libraries that were not found, mapped files that are not there any more */
    struct arena texts;
};

/* command: as for execvp, a #! script leads to its interpreter. ERROR_TARGET where there is no such
 * program. Free the result after either outcome. */
int objects_of_program(struct objects *out, const char *command, struct error *err);
/* Of one file, whatever it is called. */
int objects_of_file(struct objects *out, const char *path, struct error *err);
/* ERROR_TARGET or ERROR_PERMISSION where /proc/PID/maps cannot be read. */
int objects_of_process(struct objects *out, pid_t pid, struct error *err);
void objects_free(struct objects *o);

#endif
