/* Makes the plain tree from libclang's cursors. */
#pragma once

#include "backends/clang/clang_tree.h"
#include "backends/clang/libclang.h"

/* Fills nodes and texts of a tree whose source is set and was parsed as path. false: it has more
 * nodes than a tree may have. */
bool clang_visit(const struct libclang *c, void *unit, const char *path, struct syntax_tree *out);
/* The tree's kind for a kind of cursor (CXCursorKind). */
enum syntax_kind clang_kind(int cursor);
