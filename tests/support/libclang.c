#include "support/libclang.h"

#include <string.h>

#include "backends/clang/clang_tree.h"
#include "engine/source_guards/source_guard_ops.h"
#include "support/skip.h"

extern const struct source_guard_ops source_guard_clang;

void need_libclang(void)
{
    static const char text[] = "#include <stddef.h>\n";
    const struct clang_source s = {.path = "x.c", .text = text, .n = strlen(text)};
    struct syntax_tree tree = {.source = NULL};
    struct error err = ERROR_INIT;
    char why[CLANG_WHY] = "";
    if (!source_guard_clang.available(&err))
        skip_because("%s: %s; %s", err.what, err.why, err.help);
    const int rc = clang_parse(&s, &tree, why, &err);
    syntax_free(&tree);
    if (rc < 0)
        skip_because("%s: %s; %s", err.what, err.why, err.help);
    if (rc > 0)
        skip_because("libclang has no headers: %s; " CLANG_INSTALL, why);
}
