/* The guards of the syntax tree, for the loop of proposals and the judge. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/clang/clang_tree.h"
#include "backends/clang/libclang.h"
#include "base/linkage.h"
#include "base/watch.h"
#include "engine/judge/judge.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/source_guards/source_guards.h"

static bool is_available(struct error *why)
{
    char *path = libclang_found();
    if (!path)
        error_set(why, ERROR_UNSUPPORTED, ENOSYS, linkage_help(CLANG_INSTALL), "libclang", "%s",
                  linkage_reason("it is not installed"));
    free(path);
    return path != NULL;
}

static void mark_allowed_guards(bool allow[JUDGE_GUARDS], const char *list)
{
    char name[64];
    for (const char *at = list; at && *at;) {
        const size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        allow[judge_guard_named(name)] = true;
        at += n + (at[n] == ',');
    }
}

/* Whether the compiler's own headers are installed: another package has them, and most headers
 * include them. */
static bool finds_headers(void)
{
    static const char text[] = "#include <stddef.h>\n";
    const struct clang_source s = {.path = "headers.c", .text = text, .n = sizeof text - 1};
    struct syntax_tree tree;
    struct error ignored = ERROR_INIT;
    char why[CLANG_WHY];
    const bool found = clang_parse(&s, &tree, why, &ignored) == 0;
    syntax_free(&tree);
    return found;
}

static int refuse_unread(const struct source_pair *p, bool candidate, const char *why,
                         struct source_refusal *refused, struct error *err)
{
    if (strstr(why, "file not found") && !finds_headers() && !watch_given_up())
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
                         "apt install libclang-common-14-dev; or --allow parse judges it without a "
                         "look at the sources",
                         p->path, "libclang does not find the compiler's own headers: %.150s", why);
    if (!candidate)
        return error_set(err, ERROR_INPUT, EINVAL,
                         "--allow parse judges it without a look at the sources", p->path,
                         "libclang cannot read the baseline: %.180s", why);
    snprintf(refused->guard, sizeof refused->guard, "%s", judge_guard_name(GUARD_PARSE));
    snprintf(refused->evidence, sizeof refused->evidence, "%s", why);
    refused->unreadable = true;
    return 1;
}

/* Whether the candidate includes a file beside it that the baseline does not have. */
static bool brings_its_own(const struct source_pair *p, const struct syntax_tree *t)
{
    const char *a = p->path, *b = p->candidate_path;
    const char *end = strrchr(a, '/'), *other = b ? strrchr(b, '/') : NULL;
    const size_t n = end ? (size_t)(end - a) : 0;
    const size_t m = other ? (size_t)(other - b) : 0;
    struct syntax_tokens tokens;
    bool found = false;
    if (!b || (n == m && strncmp(a, b, n) == 0))
        return false;
    syntax_split(&tokens, t->source, t->n);
    for (size_t i = 0; i + 2 < tokens.n && !found; i++)
        found = tokens.list[i].directive == 2 &&
                syntax_token_is(t->source, &tokens.list[i + 1], "include") &&
                !syntax_token_is(t->source, &tokens.list[i + 2], "<");
    syntax_tokens_free(&tokens);
    return found;
}

static int refuse_as(const struct judge_refusal *judged, struct source_refusal *refused)
{
    snprintf(refused->guard, sizeof refused->guard, "%s", judge_guard_name(judged->guard));
    snprintf(refused->evidence, sizeof refused->evidence, "%s", judged->evidence);
    return 1;
}

static int judge_two_versions(const struct source_pair *p, const struct syntax_tree trees[2],
                              const bool *allow, struct source_refusal *refused)
{
    struct judge_refusal judged;
    const struct source_versions v = {
        .baseline = &trees[0], .candidate = &trees[1], .function = p->function, .allow = allow};
    if (!allow[GUARD_ELSEWHERE] && brings_its_own(p, &trees[1])) {
        judge_refuse(&judged, GUARD_ELSEWHERE,
                     "it includes files of its own folder, which is not the baseline's");
        return refuse_as(&judged, refused);
    }
    return source_guards_check(&v, &judged) ? refuse_as(&judged, refused) : 0;
}

static int check(const struct source_pair *p, struct source_refusal *refused, struct error *err)
{
    const struct clang_source sources[] = {{.path = p->path,
                                            .text = p->original,
                                            .n = p->n_original,
                                            .build = p->build,
                                            .amd = p->amd},
                                           {.path = p->candidate_path ? p->candidate_path : p->path,
                                            .text = p->candidate,
                                            .n = p->n_candidate,
                                            .build = p->build,
                                            .amd = p->amd}};
    struct syntax_tree trees[2] = {{.source = NULL}, {.source = NULL}};
    bool allow[JUDGE_GUARDS] = {false};
    char why[CLANG_WHY] = "";
    int rc = 0;
    if (!*p->function) /* any part may change, and it may be no C */
        return 0;
    mark_allowed_guards(allow, p->allow);
    for (int i = 0; i < 2 && rc == 0; i++) {
        rc = clang_parse(&sources[i], &trees[i], why, err);
        if (rc == 1 && allow[GUARD_PARSE]) {
            rc = 0;
            break;
        }
        if (rc == 1)
            rc = refuse_unread(p, i == 1, why, refused, err);
    }
    if (rc == 0 && trees[0].count && trees[1].count)
        rc = judge_two_versions(p, trees, allow, refused);
    syntax_free(&trees[0]);
    syntax_free(&trees[1]);
    return rc;
}

const struct source_guard_ops source_guard_clang = {
    .name = "syntax-tree",
    .summary = "compares the trees of both sources, by libclang",
    .words = NULL, /* the judge has them */
    .available = is_available,
    .check = check,
};
