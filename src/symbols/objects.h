/*
 * Finds the files that a program's code comes from. Before it runs: the program, its dynamic linker
 * and the libraries that it names. While it runs: the files that the process has mapped.
 *
 * Libraries are searched where the dynamic linker would look: DT_RPATH, LD_LIBRARY_PATH,
 * DT_RUNPATH, the folders of /etc/ld.so.conf, the default folders (ld.so(8)). Libraries that a
 * program loads later with dlopen are not included.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"

enum { OBJECTS_MAX = 512 };

struct object {
    const char *path; /* the path under which we can open it */
    const char *name; /* the path that the program uses */
    unsigned long long dev, inode;
};
struct objects {
    struct object list[OBJECTS_MAX]; /* the program itself first, each file once */
    size_t n;
    size_t missing; /* libraries that were not found, mapped files that no longer exist */
    struct arena texts;
};

/* command: as for execvp; a #! script leads to its interpreter. ERROR_TARGET if there is no such
 * program. Call objects_free even after an error. */
int objects_of_program(struct objects *out, const char *command, struct error *err);
/* Lists the files that a process has mapped. ERROR_TARGET or ERROR_PERMISSION if /proc/PID/maps
 * cannot be read. */
int objects_of_process(struct objects *out, pid_t pid, struct error *err);
void objects_free(struct objects *o);
