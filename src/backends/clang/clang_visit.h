/* From libclang's cursors to the plain tree. */
#pragma once

#include "backends/clang/clang_tree.h"
#include "backends/clang/libclang.h"

/* Fills nodes and texts of a tree whose source is set and was parsed as path. False: it has more
 * than a tree may have. */
bool clang_visit(const struct libclang *c, void *unit, const char *path, struct syntax_tree *out);
/* What a kind of cursor (CXCursorKind) is in the tree. */
enum syntax_kind clang_kind(int cursor);
