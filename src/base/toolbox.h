/*
 * Programs of others that rooftop and its tests run: compilers, disassemblers, profilers. One table
 * has the names and folders under which each is searched, the oldest version that is accepted, and
 * the question whether it knows a GPU.
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
    TOOLBOX_CLANG, /* with its linker: it builds code objects */
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

/* Lists a row's installed programs without running them: first those in the installation folders,
 * newest first, then those in PATH with a number, newest first, then the plain name. A program with
 * two names is listed once. out has room for TOOLBOX_MAX. Returns how many. */
size_t toolbox_list(enum toolbox_row row, struct toolbox_tool *out);
/*
 * Finds the first tool of the list that is new enough and knows the processor ("gfx942"; NULL:
 * any). It runs the tools, for at most some seconds each. Fails with ERROR_UNSUPPORTED if none is
 * installed, all are too old or none knows the processor; err names the tools found, with versions.
 */
int toolbox_find(enum toolbox_row row, const char *processor, struct toolbox_tool *out,
                 struct error *err);
/* Writes the version that a program of a row reports, as "LLVM 14.0.6"; "" if it reports none.
 * Returns the number before the first point, or 0. */
int toolbox_version(enum toolbox_row row, const char *path, char *out, size_t size);
/* Returns how to install a row's program, as an instruction. */
const char *toolbox_help(enum toolbox_row row);
