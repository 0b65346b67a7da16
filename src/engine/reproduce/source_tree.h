/*
 * A set of source files to be copied as a tree: named files and the files that they include.
 * Includes are found as a compiler finds them, but without evaluating #if: existing files in
 * inactive branches are taken too. The toolchain's own headers are left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/reproduce/device_build.h"

enum { SOURCE_FILES_MAX = 1 << 13 };

struct source_file {
    const char *path;  /* absolute and plain */
    const char *below; /* path in the tree: what follows the root; set by source_tree_root */
    bool newer;        /* it was changed after the capture */
};

struct source_tree {
    struct arena arena;
    struct source_file *files;
    size_t n, cap;
    /* search folders in which headers were found; they move with the headers */
    const char **folders;
    size_t nfolders, cap_folders;
    const char *root; /* the folder that contains all files; NULL before source_tree_root */
};

/*
 * Adds a named file. false, and nothing is added, if it does not exist, is not a regular file, is
 * larger than 32 MiB, does not have a name of source code, or belongs to the toolchain.
 */
bool source_tree_add(struct source_tree *t, const char *path);
/* Whether source_tree_add would take the file. */
bool source_tree_takes(const char *path);
/* Adds all files that these include, directly or indirectly. build has the search folders. */
void source_tree_close(struct source_tree *t, const struct device_build *build);
/* Finds the root. No file may be added afterwards. */
void source_tree_root(struct source_tree *t);
/* The path of a file or folder in the tree; "" for the root; NULL if it is not part of the tree. */
const char *source_tree_below(const struct source_tree *t, const char *path);
void source_tree_free(struct source_tree *t);
