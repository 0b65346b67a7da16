/*
 * A set of source files that is taken elsewhere as a tree of its own: files that were named, and
 * what they include, found as a compiler would, but without its conditions: what is in an #if that
 * does not hold is taken too, where it is there. The toolchain's own headers stay where they are.
 */
#ifndef ROOFTOP_ENGINE_REPRODUCE_SOURCE_TREE_H
#define ROOFTOP_ENGINE_REPRODUCE_SOURCE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/reproduce/device_build.h"

enum { SOURCE_FILES_MAX = 1 << 13 };

struct source_file {
    const char *path;  /* absolute and plain */
    const char *below; /* in the tree: the part of path behind its root; set by source_tree_root */
    bool newer;        /* it was changed since; see source_tree_add */
};

struct source_tree {
    struct arena arena;
    struct source_file *files;
    size_t n, cap;
    const char **folders; /* that headers were found in by a flag, and that move with them */
    size_t nfolders, cap_folders;
    const char *root; /* the folder that all of them are below; NULL: not yet */
};

/*
 * Adds a file that somebody named. False, and nothing is added: it is not there, not a regular
 * file, larger than 32 MiB, none of source code by its name, or the toolchain's own.
 */
bool source_tree_add(struct source_tree *t, const char *path);
/* Whether it would. */
bool source_tree_takes(const char *path);
/* Adds what all of them include, and what those do; words: where headers are looked for. */
void source_tree_close(struct source_tree *t, const struct device_build *build);
/* Finds the root; from then on nothing is added. */
void source_tree_root(struct source_tree *t);
/* Where a file or folder lies in the tree: "" the root itself; NULL: it is not part of it. */
const char *source_tree_below(const struct source_tree *t, const char *path);
void source_tree_free(struct source_tree *t);

#endif
