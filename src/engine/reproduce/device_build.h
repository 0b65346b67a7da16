/*
 * How to compile a file only for a GPU: the words of its compile command, without those for the
 * host, for other GPUs and for other outputs. Folders of headers are kept apart, because they may
 * move.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/reproduce/compile_commands.h"

struct device_word {
    const char *flag; /* "-I", "-isystem", "-include"; a complete option if path is NULL */
    const char *path; /* absolute and plain */
    bool joined;      /* flag and path are one word */
};

struct device_build {
    const char *compiler; /* as in the command; "clang++" if there is none */
    struct device_word *words;
    size_t n;
    bool known;     /* a command was known */
    bool optimises; /* the command has an option for the level of optimisation */
};

/* Fills *out; texts go into the arena. command NULL: only a default compiler is known. */
void device_build_of(struct device_build *out, const struct compile_command *command,
                     struct arena *arena);
/* Whether a word names a search folder for headers. */
bool device_word_searches(const struct device_word *w);
