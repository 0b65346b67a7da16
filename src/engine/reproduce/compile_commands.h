/*
 * compile_commands.json (JSON Compilation Database Format, clang.llvm.org): how each file of a
 * project is compiled. Bounded; paths are made absolute and plain ("/a/b/c", no "." or "..").
 */
#ifndef ROOFTOP_ENGINE_REPRODUCE_COMPILE_COMMANDS_H
#define ROOFTOP_ENGINE_REPRODUCE_COMPILE_COMMANDS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct compile_command {
    const char *directory; /* where it runs */
    const char *file;      /* absolute */
    const char **argv;     /* the compiler first; NULL-terminated */
    size_t argc;
};

struct compile_commands {
    struct arena arena;
    struct compile_command *all;
    size_t n;
};

/* 0, or ERROR_INPUT: it is not there, or not such a file, with the place. */
int compile_commands_read(struct compile_commands **out, const char *path, struct error *err);
/* The one that compiles this file (absolute and plain); of several the one for a GPU. NULL none. */
const struct compile_command *compile_commands_find(const struct compile_commands *c,
                                                    const char *file);
void compile_commands_free(struct compile_commands *c); /* NULL allowed */

/* Splits a line as a shell does, without expanding anything. argv in the arena, NULL-terminated. */
const char **shell_split(struct arena *arena, const char *line, size_t *argc);
/* The plain form of a path below a directory: without "." and "..", as text; links stay. */
const char *path_plain(struct arena *arena, const char *directory, const char *path);

#endif
