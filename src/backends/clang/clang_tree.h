/* A source in C, C++, HIP or CUDA as a tree, by libclang. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/source_guards/syntax.h"

enum { CLANG_WHY = 240 };

struct clang_source {
    const char *path; /* its name, for its language and for files beside it that it includes */
    const char *text; /* of n bytes, ended by 0 */
    size_t n;
    const char *build; /* the command that builds it, for its -D, -U, -I, -std, -f, -m; or NULL */
    bool amd;          /* it is for an AMD GPU: CUDA's file endings mean HIP too */
};

/* Parses any text in a separate process with limits of 20 s and 4 GiB. Returns 0 with *out, which
 * borrows the text and is freed by syntax_free; 1 if it is no readable source: *why has the first
 * error and its line; -errno with err if nothing can be parsed here. */
int clang_parse(const struct clang_source *s, struct syntax_tree *out, char why[CLANG_WHY],
                struct error *err);
/* Installs libclang and its headers. */
#define CLANG_INSTALL "apt install libclang1-14 libclang-common-14-dev"
/* The same in the calling process. */
int clang_parse_here(const struct clang_source *s, struct syntax_tree *out, char why[CLANG_WHY],
                     struct error *err);
