/*
 * Rewritten sources do what the source does: all are compiled into one program with it, which
 * calls them with trip counts from 0 to 40 on random arrays; the guards accept each. Loops that are
 * not simple stay. (Forks: not for TSan.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/clang/clang_tree.h"
#include "engine/optimize/proposer.h"
#include "engine/optimize/source_guard.h"
#include "engine/rewrites/rewrites.h"
#include "engine/value/text_file.h"
#include "support/libclang.h"
#include "support/program.h"

#define SIMPLE "tests/data/rewrites/simple.c"
#define OTHERS "tests/data/rewrites/others.c"

extern const struct source_guard_ops source_guard_clang;
extern const struct proposer_ops proposer_unroll;

enum { FACTORS = 7, FUNCTIONS_MOST = 64 };

struct source {
    const char *path;
    char *text;
    size_t n;
    struct syntax_tree tree;
    const char *functions[FUNCTIONS_MOST];
    size_t nfunctions;
};

static void open_source(struct source *s, const char *path)
{
    struct error err = ERROR_INIT;
    char why[CLANG_WHY] = "";
    *s = (struct source){.path = path};
    assert_int_equal(text_file_read(&s->text, &s->n, path, &err), 0);
    const struct clang_source c = {.path = path, .text = s->text, .n = s->n};
    if (clang_parse(&c, &s->tree, why, &err) != 0)
        fail_msg("%s: %s %s", path, why, err.why);
    for (size_t i = syntax_declaration(&s->tree, 0); i; i = syntax_declaration(&s->tree, i))
        if (s->tree.nodes[i].kind == SYNTAX_FUNCTION &&
            (s->tree.nodes[i].flags & SYNTAX_DEFINITION)) {
            assert_true(s->nfunctions < FUNCTIONS_MOST);
            s->functions[s->nfunctions++] = syntax_name(&s->tree, i);
        }
}

static void close_source(struct source *s)
{
    free(s->text);
    syntax_free(&s->tree);
}

static void guards_accept(const struct source *s, const char *function, const struct rewrite *r)
{
    const struct source_pair pair = {.path = s->path,
                                     .function = function,
                                     .build = "cc -o {out} {source}",
                                     .original = s->text,
                                     .n_original = s->n,
                                     .candidate = r->text,
                                     .n_candidate = r->n};
    struct source_refusal refused = {.guard = ""};
    struct error err = ERROR_INIT;
    if (source_guard_clang.check(&pair, &refused, &err) != 0)
        fail_msg("%s: %s: %s %s\n%s", function, refused.guard, refused.evidence, err.why, r->text);
}

/* A whole source again, with other names. */
static void put_renamed(FILE *f, const struct source *s, const char *text, size_t number)
{
    for (size_t i = 0; i < s->nfunctions; i++)
        fprintf(f, "#undef %s\n#define %s %s_%zu\n", s->functions[i], s->functions[i],
                s->functions[i], number);
    fprintf(f, "#line 1\n%s\n", text);
}

static void put_main(FILE *f, const struct source *s, const size_t *functions, size_t n)
{
    for (size_t i = 0; i < s->nfunctions; i++)
        fprintf(f, "#undef %s\n", s->functions[i]);
    fputs("#include <stdio.h>\n#include <string.h>\n"
          "static unsigned seed = 1;\n"
          "static int draw(void) { return (int)((seed = seed * 1664525u + 1013904223u) >> 8); }\n"
          "static int differ(const char *name, void (*was)(int *, int), void (*is)(int *, int))\n"
          "{\n    int a[64], b[64];\n    for (int n = 0; n <= 40; n++) {\n"
          "        for (int i = 0; i < 64; i++)\n            a[i] = b[i] = draw() % 100;\n"
          "        was(a, n);\n        is(b, n);\n        if (memcmp(a, b, sizeof a) != 0)\n"
          "            return printf(\"%s: n = %d\\n\", name, n);\n    }\n    return 0;\n}\n"
          "int main(void)\n{\n    int bad = 0;\n",
          f);
    for (size_t i = 1; i < n; i++)
        fprintf(f, "    bad |= differ(\"%s_%zu\", %s_0, %s_%zu);\n", s->functions[functions[i]], i,
                s->functions[functions[i]], s->functions[functions[i]], i);
    fputs("    return bad != 0;\n}\n", f);
}

/* All rewritten sources of all functions: number i is of functions[i]. Returns how many. */
static size_t put_all(FILE *f, const struct source *s, rewriter *rewrite, size_t each, size_t most,
                      size_t *functions)
{
    size_t n = 1;
    put_renamed(f, s, s->text, 0);
    for (size_t i = 0; i < s->nfunctions; i++) {
        struct rewrite r;
        size_t k = 0;
        for (; n < most && rewrite(&s->tree, s->functions[i], k, &r); k++) {
            if (k == 0)
                guards_accept(s, s->functions[i], &r);
            functions[n] = i;
            put_renamed(f, s, r.text, n++);
            free(r.text);
        }
        if (k < each)
            fail_msg("%s: %zu versions", s->functions[i], k);
    }
    return n;
}

static void all_are_equal(rewriter *rewrite, size_t each)
{
    enum { MOST = 256 };
    char folder[] = "/tmp/rooftop-test-XXXXXX", path[64];
    size_t functions[MOST];
    struct source s;
    struct program p;
    need_libclang();
    open_source(&s, SIMPLE);
    assert_non_null(mkdtemp(folder));
    setenv("D", folder, 1);
    snprintf(path, sizeof path, "%s/all.c", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    const size_t n = put_all(f, &s, rewrite, each, MOST, functions);
    assert_true(n < MOST);
    put_main(f, &s, functions, n);
    fclose(f);
    program_run(&p, "${CC:-cc} -O1 -Wno-unknown-pragmas -o $D/all $D/all.c && $D/all");
    if (p.status != 0)
        fail_msg("%s: exit %d: %s%s", path, p.status, p.out, p.err);
    program_free(&p);
    assert_int_equal(system("rm -r $D"), 0);
    close_source(&s);
}

static void unrolled_loops_do_what_they_did(void **state)
{
    (void)state;
    all_are_equal(rewrite_unroll, FACTORS);
}

static void loops_with_pragmas_do_what_they_did(void **state)
{
    (void)state;
    all_are_equal(rewrite_pragma, 3);
}

static void other_loops_stay(void **state)
{
    struct source s;
    struct rewrite r;
    (void)state;
    need_libclang();
    open_source(&s, OTHERS);
    assert_true(s.nfunctions >= 30);
    for (size_t i = 0; i < s.nfunctions; i++)
        if (rewrite_unroll(&s.tree, s.functions[i], 0, &r))
            fail_msg("%s: %s", s.functions[i], r.text);
    close_source(&s);
}

/* What is left over from an unrolled loop is not unrolled again, and two proposals differ. */
static void proposers_give_each_once(void **state)
{
    struct source s;
    struct error err = ERROR_INIT;
    struct proposal_answer a = {.kind = PROPOSAL_NONE};
    void *p = NULL;
    size_t n = 0;
    (void)state;
    need_libclang();
    open_source(&s, SIMPLE);
    assert_int_equal(proposer_unroll.open(&p, NULL, &err), 0);
    struct proposal_request r = {.path = s.path, .text = s.text, .n = s.n, .function = "up"};
    char *last = NULL;
    for (;; n++) {
        a = (struct proposal_answer){.kind = PROPOSAL_NONE};
        assert_int_equal(proposer_unroll.ask(p, &r, &a, &err), 0);
        if (a.kind == PROPOSAL_NONE)
            break;
        assert_true(n < FACTORS && (!last || strcmp(last, a.text) != 0));
        free(last);
        last = a.text;
    }
    assert_int_equal(n, FACTORS);
    r.text = last;
    r.n = last ? strlen(last) : 0;
    assert_int_equal(proposer_unroll.ask(p, &r, &a, &err), 0);
    assert_int_equal(a.kind, PROPOSAL_NONE);
    r.text = "int up(void) { return x; }";
    r.n = strlen(r.text);
    assert_true(proposer_unroll.ask(p, &r, &a, &err) < 0);
    assert_non_null(strstr(err.why, "libclang cannot read it"));
    assert_int_equal(proposer_unroll.ask(p, &r, &a, &err), 0);
    assert_int_equal(a.kind, PROPOSAL_NONE);
    proposer_unroll.close(p);
    free(last);
    close_source(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unrolled_loops_do_what_they_did),
        cmocka_unit_test(loops_with_pragmas_do_what_they_did),
        cmocka_unit_test(other_loops_stay),
        cmocka_unit_test(proposers_give_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
