/*
 * Programs of others that rooftop and its tests run: compilers, disassemblers, profilers. One table
 * says under which names and in which folders each is looked for, from which version on its answers
 * are believed, and how it is asked whether it knows a GPU.
 *
 * The C compiler of a build command has no row. It is ${CC:-cc}: POSIX gives it that name on every
 * machine, no version of it is refused, and the command stays a text that its user can read, repeat
 * and find in a log. A compiler in compile_commands.json is the one that its user ran.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum toolbox_row {
    TOOLBOX_CLANG, /* with its linker: it is asked to build a code object */
    TOOLBOX_HIPCC,
    TOOLBOX_LLVM_MCA,
    TOOLBOX_LLVM_MC,
    TOOLBOX_LLVM_OBJDUMP,
    TOOLBOX_OBJDUMP,
    TOOLBOX_ROCPROFV3,
    TOOLBOX_NSYS,
    TOOLBOX_ROWS,
};

enum { TOOLBOX_MAX = 32 };
struct toolbox_tool {
    char name[PATH_MAX]; /* for people: "llvm-objdump-19", or a path outside of PATH */
    char path[PATH_MAX];
};

/*
 * Lists what is installed of a row, without running it: first in the installation folders, newest
 * first, then in PATH by numbered names, newest first, then by the plain name. A program with two
 * names is listed once. out has room for TOOLBOX_MAX. Returns how many.
 */
size_t toolbox_list(enum toolbox_row row, struct toolbox_tool *out);
/*
 * Finds the first of the list that is new enough and knows the processor ("gfx942"; NULL: none is
 * asked for). It runs the tools, for at most some seconds each. ERROR_UNSUPPORTED where none is
 * installed, all are too old or none knows the processor: err names what was found, with versions,
 * and what would help.
 */
int toolbox_find(enum toolbox_row row, const char *processor, struct toolbox_tool *out,
                 struct error *err);
/*
 * Writes the version that a program of a row reports, as "LLVM 14.0.6"; "" where it reports none.
 * Returns the number before the first point, or 0.
 */
int toolbox_version(enum toolbox_row row, const char *path, char *out, size_t size);
/* What installs a row, as an instruction. */
const char *toolbox_help(enum toolbox_row row);
