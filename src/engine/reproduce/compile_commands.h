/*
 * compile_commands.json (JSON Compilation Database Format, clang.llvm.org): how each file of a
 * project is compiled. Bounded; paths are made absolute and plain ("/a/b/c", no "." or "..").
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct compile_command {
    const char *directory; /* working directory of the command */
    const char *file;      /* absolute */
    const char **argv;     /* the compiler first; NULL-terminated */
    size_t argc;
};

struct compile_commands {
    struct arena arena;
    struct compile_command *all;
    size_t n;
};

/* 0, or -errno with ERROR_INPUT and the place: the file is absent or is no such document. */
int compile_commands_read(struct compile_commands **out, const char *path, struct error *err);
/* The command that compiles this file (an absolute, plain path). If several do, one for a GPU is
 * preferred. NULL if there is none. */
const struct compile_command *compile_commands_find(const struct compile_commands *c,
                                                    const char *file);
void compile_commands_free(struct compile_commands *c); /* c may be NULL */

/* Splits a line into words as a shell does, without expansions. argv is in the arena and
 * NULL-terminated. */
const char **shell_split(struct arena *arena, const char *line, size_t *argc);
/* Joins directory and path to a path without "." and "..". Works on the text only: links are not
 * resolved. */
const char *path_plain(struct arena *arena, const char *directory, const char *path);
