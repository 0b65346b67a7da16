/*
 * Rewritten sources do what the source does: all are compiled into one program with it, which
 * calls them with trip counts from 0 to 40 on random arrays; the guards accept each. Loops that are
 * not simple stay. (Forks: not for TSan.)
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/clang/clang_tree.h"
#include "engine/optimize/proposer.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/rewrites/rewrites.h"
#include "engine/value/text_file.h"
#include "support/libclang.h"
#include "support/program.h"
#include "support/test.h"

#define SIMPLE "tests/data/rewrites/simple.c"
#define OTHERS "tests/data/rewrites/others.c"
#define SUMS   "tests/data/rewrites/sums.c"

extern const struct source_guard_ops source_guard_clang;
extern const struct proposer_ops proposer_unroll, proposer_accumulators, proposer_pragma;

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
    /* what nobody calls is not compiled */
    fprintf(f,
            "#undef box\n#define box box_%zu\n#define void static void\n#line 1\n%s\n"
            "#undef void\n",
            number, text);
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
    fputs("#include <limits.h>\n#include <stddef.h>\n#include <stdint.h>\n", f);
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

/* options: of the compiler. */
static void all_are_equal(const char *source, rewriter *rewrite, size_t each, const char *options)
{
    enum { MOST = 256 };
    char folder[] = "/tmp/rooftop-test-XXXXXX", path[64];
    size_t functions[MOST];
    struct source s;
    struct program p;
    need_libclang();
    open_source(&s, source);
    assert_non_null(mkdtemp(folder));
    setenv("OPTIONS", options, 1);
    setenv("D", folder, 1);
    snprintf(path, sizeof path, "%s/all.c", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    const size_t n = put_all(f, &s, rewrite, each, MOST, functions);
    assert_true(n < MOST);
    put_main(f, &s, functions, n);
    fclose(f);
    program_run(&p, "${CC:-cc} -O1 -w $OPTIONS -o $D/all $D/all.c && $D/all");
    if (p.status != 0)
        fail_msg("%s: exit %d: %s%s", path, p.status, p.out, p.err);
    program_free(&p);
    assert_int_equal(system("rm -r $D"), 0);
    close_source(&s);
}

TEST(unrolled_loops_do_what_they_did)
{
    all_are_equal(SIMPLE, rewrite_unroll, FACTORS, "");
}

/* What they do is the compiler's; that they change nothing else, the guards say. */
TEST(pragmas_and_attributes_are_accepted)
{
    static rewriter *const all[] = {rewrite_pragma, rewrite_vectorise, rewrite_options};
    struct source s;
    struct rewrite r;
    need_libclang();
    open_source(&s, SUMS);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(all[i](&s.tree, s.functions[i], 0, &r));
        guards_accept(&s, s.functions[i], &r);
        free(r.text);
    }
    close_source(&s);
}

/* A sum in another order that overflowed would end the program. */
TEST(split_sums_are_what_they_were)
{
    all_are_equal(SUMS, rewrite_accumulators, 4,
                  "-fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error");
}

TEST(other_loops_stay)
{
    struct source s;
    struct rewrite r;
    need_libclang();
    open_source(&s, OTHERS);
    assert_true(s.nfunctions >= 30);
    for (size_t i = 0; i < s.nfunctions; i++)
        if (rewrite_unroll(&s.tree, s.functions[i], 0, &r))
            fail_msg("%s: %s", s.functions[i], r.text);
    close_source(&s);
}

/* Their loops can be unrolled, but what they add to is not split. */
TEST(other_sums_stay)
{
    static const char *const paths[] = {"tests/data/rewrites/no_sums.c",
                                        "tests/data/rewrites/no_sums.cc"};
    struct source s;
    struct rewrite r;
    need_libclang();
    for (size_t k = 0; k < 2; k++) {
        open_source(&s, paths[k]);
        assert_true(s.nfunctions >= 3);
        for (size_t i = 0; i < s.nfunctions; i++) {
            if (!rewrite_unroll(&s.tree, s.functions[i], 0, &r))
                fail_msg("%s is no simple loop", s.functions[i]);
            free(r.text);
            if (rewrite_accumulators(&s.tree, s.functions[i], 0, &r))
                fail_msg("%s: %s", s.functions[i], r.text);
        }
        close_source(&s);
    }
}

#define DOT                                                                                        \
    "float dot(const float *x, float y[], int n)\n{\n    float s = 0;\n"                           \
    "    for (int i = 0; i < n; i++)\n        s += x[i] * y[i];\n    return s;\n}\n"
static void parse(const char *text, const char *path, struct syntax_tree *out)
{
    struct error err = ERROR_INIT;
    char why[CLANG_WHY] = "";
    const struct clang_source c = {.path = path, .text = text, .n = strlen(text)};
    if (clang_parse(&c, out, why, &err) != 0)
        fail_msg("%s: %s %s", path, why, err.why);
}

static void expect(rewriter *rewrite, const char *path, const char *text, const char *note,
                   const char *made)
{
    struct syntax_tree tree;
    struct rewrite r;
    parse(text, path, &tree);
    assert_true(rewrite(&tree, "dot", 0, &r));
    assert_string_equal(r.note, note);
    assert_string_equal(r.text, made);
    assert_int_equal(r.n, strlen(r.text));
    free(r.text);
    syntax_free(&tree);
}

TEST(texts_are_these)
{
    struct syntax_tree tree;
    struct rewrite r;
    need_libclang();
    expect(rewrite_accumulators, "dot.c", DOT,
           "split s of the loop at line 4 into 8: it rounds otherwise",
           "float dot(const float *x, float y[], int n)\n{\n    float s = 0;\n    {\nint i = 0;\n"
           "{\nfloat rooftop_s[8];\nint rooftop_lane;\n"
           "for (rooftop_lane = 0; rooftop_lane < 8; rooftop_lane++) {\n"
           "rooftop_s[rooftop_lane] = 0;\n}\n"
           "for (; (i < n) && (unsigned)(n) - (unsigned)(i) > 7u;)\n"
           "for (rooftop_lane = 0; rooftop_lane < 8; rooftop_lane++) {\n{\n"
           "rooftop_s[rooftop_lane] += x[i] * y[i];\n}\ni++;\n}\n"
           "for (rooftop_lane = 0; rooftop_lane < 8; rooftop_lane++) {\n"
           "s += rooftop_s[rooftop_lane];\n}\n}\n"
           "for (; i < n; i++) s += x[i] * y[i];\n}\n    return s;\n}\n");
    expect(rewrite_options, "dot.c", DOT, "asked for -O3 of the function at line 1",
           "__attribute__((optimize(\"O3\"))) " DOT);
    expect(rewrite_restrict, "dot.cc",
           "int dot(int *x, int **const y, int (*z)[4], int (*f)(int),"
           " int a[], int &n) { return n; }",
           "promised that the arrays of the function at line 1 never overlap: no check tries it",
           "int dot(int *__restrict x, int **const __restrict y, int (*z)[4], int (*f)(int),"
           " int a[], int &n) { return n; }");
    parse("float dot(const float *x, float n) { return x[0] + n; }", "dot.c", &tree);
    assert_false(rewrite_restrict(&tree, "dot", 0, &r)); /* with whom would it overlap? */
    syntax_free(&tree);
    parse("__attribute__((optimize(\"O2\"))) int dot(void) { return 1; }", "dot.c", &tree);
    assert_false(rewrite_options(&tree, "dot", 0, &r));
    syntax_free(&tree);
}

static void ask_for(const struct proposer_ops *ops, void *p, struct proposal_request *r,
                    const char *text, struct proposal_answer *out)
{
    struct error err = ERROR_INIT;
    free(out->text);
    *out = (struct proposal_answer){.kind = PROPOSAL_NONE};
    r->text = text;
    r->n = strlen(text);
    if (ops->ask(p, r, out, &err) != 0)
        fail_msg("%s", err.why);
}

/* Where an answer became the best, its loop is split otherwise, from the source that it was of. */
TEST(a_loop_is_split_again)
{
    struct error err = ERROR_INIT;
    struct proposal_answer a = {.text = NULL};
    struct proposal_request r = {.path = "dot.c", .function = "dot"};
    void *p = NULL;
    need_libclang();
    assert_int_equal(proposer_accumulators.open(&p, NULL, &err), 0);
    ask_for(&proposer_accumulators, p, &r, DOT, &a);
    assert_non_null(strstr(a.note, "into 8"));
    char *eight = strdup(a.text);
    assert_non_null(eight);
    ask_for(&proposer_accumulators, p, &r, eight, &a);
    assert_non_null(strstr(a.note, "into 16"));
    assert_non_null(strstr(a.text, "rooftop_s[16]"));
    assert_null(strstr(a.text, "rooftop_s[8]"));
    ask_for(&proposer_accumulators, p, &r, eight, &a); /* that was no gain */
    assert_non_null(strstr(a.note, "into 4"));
    char *four = strdup(a.text);
    ask_for(&proposer_accumulators, p, &r, four, &a);
    assert_non_null(strstr(a.note, "into 32"));
    ask_for(&proposer_accumulators, p, &r, four, &a);
    assert_int_equal(a.kind, PROPOSAL_NONE);
    ask_for(&proposer_accumulators, p, &r, DOT, &a); /* a base again: all were made of it */
    assert_int_equal(a.kind, PROPOSAL_NONE);
    ask_for(&proposer_accumulators, p, &r, "/* somebody else's */\n" DOT, &a);
    assert_non_null(strstr(a.note, "into 8"));
    free(a.text);
    free(eight);
    free(four);
    proposer_accumulators.close(p);
}

/* What each compiler understands, and no attribute that could drop options of the command, or that
 * asks for what the command has. */
TEST(pragmas_are_the_compilers)
{
    static const struct {
        const char *build, *says;
    } cases[] = {{"cc -O2 -shared -fPIC -o {out} {source}", "asked for -O3"},
                 {"cc -O2 -fno-strict-aliasing -fPIC -o {out} {source}", "asked to unroll"},
                 {"cc -O2 -O3 -fPIC -o {out} {source}", "asked to unroll"},
                 {"cc -Ofast -o {out} {source}", "asked to unroll"},
                 {"cc -O3 -O2 -o {out} {source}", "asked for -O3"},
                 {"clang -O2 -o {out} {source}", "asked for vectors"},
                 {NULL, "asked for -O3"}};
    need_libclang();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        struct proposal_answer a = {.text = NULL};
        struct proposal_request r = {.path = "dot.c", .function = "dot", .build = cases[i].build};
        void *p = NULL;
        assert_int_equal(proposer_pragma.open(&p, NULL, &err), 0);
        ask_for(&proposer_pragma, p, &r, DOT, &a);
        if (!strstr(a.note, cases[i].says))
            fail_msg("%s: %s", cases[i].build, a.note);
        free(a.text);
        proposer_pragma.close(p);
    }
}

/* What is left over from an unrolled loop is not unrolled again, and two proposals differ. */
TEST(proposers_give_each_once)
{
    struct source s;
    struct error err = ERROR_INIT;
    struct proposal_answer a = {.kind = PROPOSAL_NONE};
    void *p = NULL;
    size_t n = 0;
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

/* Two texts that alternate: each gets all its versions once, and then no more. */
TEST(bases_may_alternate)
{
    struct source s;
    struct error err = ERROR_INIT;
    char *texts[2], *last[2] = {NULL, NULL};
    size_t n[2] = {0, 0};
    void *p = NULL;
    need_libclang();
    open_source(&s, SIMPLE);
    assert_int_equal(proposer_unroll.open(&p, NULL, &err), 0);
    for (int i = 0; i < 2; i++)
        assert_true(asprintf(&texts[i], "/* %d */ %s", i, s.text) > 0);
    for (int i = 0; i < 2 * FACTORS + 4; i++) {
        struct proposal_answer a = {.kind = PROPOSAL_NONE};
        const int which = i % 2;
        const struct proposal_request r = {
            .path = s.path, .text = texts[which], .n = strlen(texts[which]), .function = "up"};
        assert_int_equal(proposer_unroll.ask(p, &r, &a, &err), 0);
        assert_int_equal(a.kind, i < 2 * FACTORS ? PROPOSAL_FILE : PROPOSAL_NONE);
        if (a.kind == PROPOSAL_NONE)
            continue;
        n[which]++;
        assert_true(a.text[3] == '0' + which && (!last[which] || strcmp(last[which], a.text) != 0));
        free(last[which]);
        last[which] = a.text;
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(n[i], FACTORS);
        free(texts[i]);
        free(last[i]);
    }
    proposer_unroll.close(p);
    close_source(&s);
}
