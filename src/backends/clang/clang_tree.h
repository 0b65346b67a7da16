/* A source in C, C++, HIP or CUDA as a tree, by libclang. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/source_guards/syntax.h"

enum { CLANG_WHY = 240 };

struct clang_source {
    const char *path; /* its name: for its language, and for what it includes beside it */
    const char *text; /* of n bytes, ended by 0 */
    size_t n;
    const char *build; /* the command that builds it, for its -D, -U, -I, -std, -f, -m; or NULL */
    bool amd;          /* it is for an AMD GPU: CUDA's endings are of HIP, too */
};

/*
 * Parses in a process of its own, which has 20 s and 4 GiB: a source may be anything. Returns 0
 * with *out, which borrows the text and is freed by syntax_free; 1 with *why where it is no source
 * that can be read: the first error, and its line; -errno with err where nothing can be parsed
 * here.
 */
int clang_parse(const struct clang_source *s, struct syntax_tree *out, char why[CLANG_WHY],
                struct error *err);
/* What helps where there is no libclang, or none of its headers. */
#define CLANG_INSTALL "apt install libclang1-14 libclang-common-14-dev"
/* In this process: what the other does. */
int clang_parse_here(const struct clang_source *s, struct syntax_tree *out, char why[CLANG_WHY],
                     struct error *err);
