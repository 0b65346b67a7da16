/* The built-in proposers: rewritten sources of src/engine/rewrites/, from trees by libclang. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/clang/clang_tree.h"
#include "backends/clang/libclang.h"
#include "base/arena.h"
#include "base/hash.h"
#include "engine/optimize/proposer.h"
#include "engine/rewrites/rewrites.h"

struct rewriting {
    uint64_t text; /* the hash of the source that the next one is of */
    size_t next;
    bool ended; /* the source cannot be read: it is not asked again */
};

static int rewriting_open(void **state, const char *argument, struct error *err)
{
    char *path = libclang_found();
    (void)argument;
    if (!path)
        return error_set(err, ERROR_UNSUPPORTED, ENOSYS, CLANG_INSTALL, "--proposer",
                         "it reads sources by libclang, which is not installed");
    free(path);
    *state = xcalloc(1, sizeof(struct rewriting));
    return 0;
}

static int ask(struct rewriting *s, rewriter *rewrite, const struct proposal_request *r,
               struct proposal_answer *out, struct error *err)
{
    const struct clang_source source = {
        .path = r->path, .text = r->text, .n = r->n, .build = r->build};
    const uint64_t text = hash_bytes(0, r->text, r->n);
    struct syntax_tree tree;
    struct rewrite made = {.text = NULL};
    char why[CLANG_WHY] = "";
    if (r->broken || s->ended)
        return 0; /* PROPOSAL_NONE: it repairs nothing */
    const int rc = clang_parse(&source, &tree, why, err);
    s->ended = rc != 0;
    if (rc < 0)
        return rc;
    if (rc > 0)
        return error_set(err, ERROR_TARGET, EINVAL,
                         strstr(why, "file not found") ? CLANG_INSTALL : NULL, r->path,
                         "libclang cannot read it: %.180s", why);
    if (text != s->text)
        *s = (struct rewriting){.text = text};
    if (rewrite(&tree, r->function, s->next, &made)) {
        s->next++;
        *out = (struct proposal_answer){.kind = PROPOSAL_FILE, .text = made.text, .n = made.n};
        snprintf(out->note, sizeof out->note, "%s", made.note);
    }
    syntax_free(&tree);
    return 0;
}

static int ask_unroll(void *state, const struct proposal_request *r, struct proposal_answer *out,
                      struct error *err)
{
    return ask(state, rewrite_unroll, r, out, err);
}

static int ask_pragma(void *state, const struct proposal_request *r, struct proposal_answer *out,
                      struct error *err)
{
    return ask(state, rewrite_pragma, r, out, err);
}

const struct proposer_ops proposer_unroll = {
    .name = "unroll",
    .summary = "unrolls loops that count by 2 to 8",
    .open = rewriting_open,
    .ask = ask_unroll,
    .close = free,
};
const struct proposer_ops proposer_pragma = {
    .name = "pragma",
    .summary = "asks the compiler to unroll innermost loops by 2, 4 and 8",
    .open = rewriting_open,
    .ask = ask_pragma,
    .close = free,
};
