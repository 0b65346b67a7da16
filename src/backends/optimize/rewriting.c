/* The built-in proposers: rewritten sources of src/engine/rewrites/, from trees by libclang. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/clang/clang_tree.h"
#include "backends/clang/libclang.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/linkage.h"
#include "base/list.h"
#include "engine/optimize/proposer.h"
#include "engine/rewrites/launch_bounds.h"
#include "engine/rewrites/rewrites.h"

/* The next rewrite of a source. */
struct turn {
    uint64_t text; /* the source's hash */
    size_t way, next;
};

struct rewriting {
    struct turn *turns; /* of all sources so far, because several bases may come again */
    size_t nturns, cap;
    char *from; /* the source that the next rewrite changes, n bytes */
    size_t n;
    uint64_t text;     /* hash of that source */
    size_t turn;       /* its index in turns */
    uint64_t answer;   /* the hash of the last answer ... */
    size_t answer_way; /* ... and the kind and line of its loop */
    unsigned line;
    uint64_t kept; /* an answer that became the best */
    bool ended;    /* the source cannot be read, so no more rewrites are made */
};

static int rewriting_open(void **state, const char *argument, struct error *err)
{
    char *path = libclang_found();
    (void)argument;
    if (!path)
        return error_set(err, ERROR_UNSUPPORTED, ENOSYS, linkage_help(CLANG_INSTALL), "--proposer",
                         "%s",
                         linkage_reason("it reads sources by libclang, which is not installed"));
    free(path);
    *state = xcalloc(1, sizeof(struct rewriting));
    return 0;
}

static void rewriting_close(void *state)
{
    struct rewriting *s = state;
    if (s) {
        free(s->turns);
        free(s->from);
    }
    free(s);
}

static size_t turn_of(struct rewriting *s, uint64_t text)
{
    for (size_t i = 0; i < s->nturns; i++)
        if (s->turns[i].text == text)
            return i;
    LIST_ROOM(s->turns, s->nturns, s->cap);
    s->turns[s->nturns] = (struct turn){.text = text};
    return s->nturns++;
}

/* Makes a source the one to rewrite; a known one goes on where it stopped. */
static void begin_source(struct rewriting *s, const struct proposal_request *r, uint64_t text)
{
    free(s->from);
    s->from = xcalloc(r->n + 1, 1);
    s->n = r->n;
    memcpy(s->from, r->text, r->n);
    s->text = text;
    s->turn = turn_of(s, text);
    s->answer = s->kept = 0;
}

/* Makes the next rewrite, by the present way or a later one; made->text is NULL if there is none.
 * ways NULL: bounds of launches, which need more than the tree. */
static int make_next_rewrite(struct rewriting *s, rewriter *const *ways,
                             const struct proposal_request *r, struct rewrite *made,
                             struct error *err)
{
    const struct clang_source source = {
        .path = r->path, .text = s->from, .n = s->n, .build = r->build, .amd = r->amd};
    struct syntax_tree tree;
    char why[CLANG_WHY] = "";
    const int rc = clang_parse(&source, &tree, why, err);
    *made = (struct rewrite){.text = NULL};
    s->ended = rc != 0;
    if (rc < 0)
        return rc;
    if (rc > 0)
        return error_set(err, ERROR_TARGET, EINVAL,
                         strstr(why, "file not found") ? CLANG_INSTALL : NULL, r->path,
                         "libclang cannot read it: %.180s", why);
    struct turn *turn = &s->turns[s->turn];
    if (!ways)
        rewrite_launch_bounds(&tree, r->function, r->block[0] * r->block[1] * r->block[2],
                              turn->next, made);
    while (ways && ways[turn->way] && !ways[turn->way](&tree, r->function, turn->next, made)) {
        turn->way++;
        turn->next = 0;
    }
    turn->next++;
    syntax_free(&tree);
    return 0;
}

/*
 * If an answer became the best, first tries the other factors of its loop, on the source that it
 * was made from: a loop that was split by 8 may be faster split by 16, but can no longer be split.
 */
static int answer_with_rewrite(struct rewriting *s, rewriter *const *ways,
                               const struct proposal_request *r, struct proposal_answer *out,
                               struct error *err)
{
    const uint64_t text = hash_bytes(0, r->text, r->n);
    struct rewrite made;
    if (r->broken || s->ended)
        return 0; /* PROPOSAL_NONE: it does not repair */
    if (s->from && text == s->answer)
        s->kept = text;
    if (!s->from || (text != s->text && text != s->kept))
        begin_source(s, r, text);
    int rc = make_next_rewrite(s, ways, r, &made, err);
    if (rc == 0 && text != s->text &&
        (!made.text || made.line != s->line || s->turns[s->turn].way != s->answer_way)) {
        free(made.text);
        s->turns[s->turn].next--; /* so that it is still the next one */
        begin_source(s, r, text);
        rc = make_next_rewrite(s, ways, r, &made, err);
    }
    if (rc != 0 || !made.text)
        return rc;
    s->answer = hash_bytes(0, made.text, made.n);
    s->answer_way = s->turns[s->turn].way;
    s->line = made.line;
    *out = (struct proposal_answer){.kind = PROPOSAL_FILE, .text = made.text, .n = made.n};
    snprintf(out->note, sizeof out->note, "%s", made.note);
    return 0;
}

static int ask_accumulators(void *state, const struct proposal_request *r,
                            struct proposal_answer *out, struct error *err)
{
    static rewriter *const ways[] = {rewrite_accumulators, NULL};
    return answer_with_rewrite(state, ways, r, out, err);
}

static int ask_unroll(void *state, const struct proposal_request *r, struct proposal_answer *out,
                      struct error *err)
{
    static rewriter *const ways[] = {rewrite_unroll, NULL};
    return answer_with_rewrite(state, ways, r, out, err);
}

static int ask_restrict(void *state, const struct proposal_request *r, struct proposal_answer *out,
                        struct error *err)
{
    static rewriter *const ways[] = {rewrite_restrict, NULL};
    return answer_with_rewrite(state, ways, r, out, err);
}

/* Whether the command seems to run clang. */
static bool is_clang(const char *build)
{
    const char *cc = env_get("CC");
    return build &&
           (strstr(build, "clang") || (strstr(build, "${CC") && cc && strstr(cc, "clang")));
}

/* Whether the command has options that change the source's meaning: GCC before 12 ignores these in
 * a function that has its own options. */
static bool has_options(const char *build)
{
    for (const char *at = build ? strstr(build, " -f") : NULL; at; at = strstr(at + 3, " -f"))
        if (strncmp(at + 3, "PIC", 3) != 0 && strncmp(at + 3, "pic", 3) != 0)
            return true;
    return false;
}

/* Whether the last -O of the command is -O3 or includes it, so that -O3 for the function changes
 * nothing. */
static bool has_o3(const char *build)
{
    bool has = false;
    for (const char *at = build ? strstr(build, " -O") : NULL; at; at = strstr(at + 3, " -O"))
        has = strncmp(at + 3, "3", 1) == 0 || strncmp(at + 3, "fast", 4) == 0;
    return has;
}

static int ask_pragma(void *state, const struct proposal_request *r, struct proposal_answer *out,
                      struct error *err)
{
    static rewriter *const of_clang[] = {rewrite_vectorise, rewrite_pragma, NULL},
                           *const of_gcc[] = {rewrite_options, rewrite_pragma, NULL},
                           *const others[] = {rewrite_pragma, NULL};
    rewriter *const *ways = of_gcc;
    if (is_clang(r->build))
        ways = of_clang;
    else if (has_options(r->build) || has_o3(r->build))
        ways = others;
    return answer_with_rewrite(state, ways, r, out, err);
}

static int ask_bounds(void *state, const struct proposal_request *r, struct proposal_answer *out,
                      struct error *err)
{
    return r->block ? answer_with_rewrite(state, NULL, r, out, err) : 0;
}

const struct proposer_ops proposer_launch_bounds = {
    .name = "launch-bounds",
    .summary = "promises that no block is larger than the captured one, and asks for waves",
    .captured = true,
    .open = rewriting_open,
    .ask = ask_bounds,
    .close = rewriting_close,
};
const struct proposer_ops proposer_accumulators = {
    .name = "accumulators",
    .summary = "splits sums of loops, so that they wait less and vectors can be used",
    .open = rewriting_open,
    .ask = ask_accumulators,
    .close = rewriting_close,
};
const struct proposer_ops proposer_pragma = {
    .name = "pragma",
    .summary = "asks the compiler for -O3 of the function, unrolled loops, or vectors",
    .open = rewriting_open,
    .ask = ask_pragma,
    .close = rewriting_close,
};
const struct proposer_ops proposer_unroll = {
    .name = "unroll",
    .summary = "unrolls loops that count by 2 to 8",
    .open = rewriting_open,
    .ask = ask_unroll,
    .close = rewriting_close,
};
const struct proposer_ops proposer_restrict = {
    .name = "restrict",
    .summary = "promises that arrays do not overlap: no check tries it",
    .open = rewriting_open,
    .ask = ask_restrict,
    .close = rewriting_close,
};
