/* Loops on trees made by hand: no parser is needed, so each rule is tried everywhere. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rewrites/rewrites.h"
#include "support/test.h"

/* The nodes of SOURCE; those that a test changes have names. */
enum {
    FILE_NODE,
    FUNCTION,
    PARAMETER,
    BLOCK,
    FOR,
    DECLARATIONS,
    COUNTER,
    ZERO,
    TEST,
    LEFT,
    I_LEFT,
    RIGHT,
    BOUND,
    STEP,
    I_STEP,
    BODY,
    CALL,
    READ,
    I_READ,
    NODES
};

#define SOURCE "void f(int n)\n{\n    for (int i = 0; i < n; i++) { g(i); }\n}\n"
static const char texts[] = "\0f\0i\0n\0int\0__syncthreads\0atomicAdd\0sin\0const int";
enum {
    T_F = 1,
    T_I = 3,
    T_N = 5,
    T_INT = 7,
    T_BARRIER = 11,
    T_ATOMIC = 25,
    T_SIN = 35,
    T_CONST = 39
};

static struct syntax_node nodes[NODES];
static struct syntax_tree tree;

static void put(size_t i, uint16_t kind, uint32_t parent, uint32_t size, const char *from,
                const char *text)
{
    const char *at = strstr(SOURCE, from);
    nodes[i] = (struct syntax_node){.kind = kind,
                                    .parent = parent,
                                    .size = size,
                                    .start = (uint32_t)(at - SOURCE),
                                    .end = (uint32_t)(at - SOURCE + (long)strlen(text)),
                                    .line = 3};
}

static void whole(size_t i, uint32_t name, uint32_t target)
{
    nodes[i].bytes = 4;
    nodes[i].type = T_INT;
    nodes[i].name = name;
    nodes[i].target = target;
    nodes[i].names = target == PARAMETER ? SYNTAX_PARAMETER : SYNTAX_VARIABLE;
}

static void make(void)
{
    put(FILE_NODE, SYNTAX_FILE, 0, NODES, SOURCE, SOURCE);
    put(FUNCTION, SYNTAX_FUNCTION, FILE_NODE, NODES - FUNCTION, SOURCE, SOURCE);
    nodes[FUNCTION].name = T_F;
    nodes[FUNCTION].flags = SYNTAX_DEFINITION;
    put(PARAMETER, SYNTAX_PARAMETER, FUNCTION, 1, "int n", "int n");
    put(BLOCK, SYNTAX_BLOCK, FUNCTION, NODES - BLOCK, "{\n", "{\n");
    put(FOR, SYNTAX_FOR, BLOCK, NODES - FOR, "for", "for (int i = 0; i < n; i++) { g(i); }");
    put(DECLARATIONS, SYNTAX_DECLARATIONS, FOR, 3, "int i = 0;", "int i = 0;");
    put(COUNTER, SYNTAX_VARIABLE, DECLARATIONS, 2, "int i = 0", "int i = 0");
    put(ZERO, SYNTAX_INTEGER, COUNTER, 1, "0;", "0");
    put(TEST, SYNTAX_BINARY, FOR, 5, "i < n", "i < n");
    put(LEFT, SYNTAX_IMPLICIT, TEST, 2, "i < n", "i");
    put(I_LEFT, SYNTAX_REFERENCE, LEFT, 1, "i < n", "i");
    put(RIGHT, SYNTAX_IMPLICIT, TEST, 2, "n; i", "n");
    put(BOUND, SYNTAX_REFERENCE, RIGHT, 1, "n; i", "n");
    put(STEP, SYNTAX_UNARY, FOR, 2, "i++", "i++");
    put(I_STEP, SYNTAX_REFERENCE, STEP, 1, "i++", "i");
    put(BODY, SYNTAX_BLOCK, FOR, 4, "{ g(i); }", "{ g(i); }");
    put(CALL, SYNTAX_CALL, BODY, 3, "g(i)", "g(i)");
    put(READ, SYNTAX_IMPLICIT, CALL, 2, "i); }", "i");
    put(I_READ, SYNTAX_REFERENCE, READ, 1, "i); }", "i");
    whole(PARAMETER, T_N, 0);
    whole(COUNTER, T_I, 0);
    const size_t counters[] = {I_LEFT, I_STEP, I_READ}, reads[] = {LEFT, RIGHT, READ, STEP, TEST};
    for (size_t i = 0; i < 3; i++)
        whole(counters[i], T_I, COUNTER);
    for (size_t i = 0; i < 5; i++)
        whole(reads[i], 0, 0);
    whole(BOUND, T_N, PARAMETER);
    tree = (struct syntax_tree){.source = SOURCE,
                                .n = strlen(SOURCE),
                                .nodes = nodes,
                                .count = NODES,
                                .texts = (char *)texts,
                                .ntexts = sizeof texts};
    assert_true(syntax_valid(&tree));
}

static bool is_taken(rewriter *rewrite)
{
    struct rewrite r;
    const bool taken = rewrite(&tree, "f", 0, &r);
    free(r.text);
    return taken;
}

TEST(a_simple_loop_is_unrolled)
{
    struct rewrite r;
    make();
    assert_true(rewrite_unroll(&tree, "f", 2, &r));
    assert_string_equal(r.note, "unrolled the loop at line 3 by 2");
    assert_string_equal(r.text, "void f(int n)\n{\n    {\nint i = 0;\n"
                                "for (; (i < n) && (unsigned)(n) - (unsigned)(i) > 1u;) {\n"
                                "{\n{ g(i); }\n}\ni++;\n{\n{ g(i); }\n}\ni++;\n}\n"
                                "for (; i < n; i++) { g(i); }\n}\n}\n");
    assert_int_equal(r.n, strlen(r.text));
    free(r.text);
    assert_false(rewrite_unroll(&tree, "f", 7, &r));
    assert_false(rewrite_unroll(&tree, "g", 0, &r));
    assert_true(rewrite_pragma(&tree, "f", 0, &r));
    assert_non_null(
        strstr(r.text, "\n#pragma GCC unroll 4\nfor (int i = 0; i < n; i++) { g(i); }"));
    free(r.text);
}

/* What the loop's body has instead of a call: neither way touches it. */
TEST(bodies_that_stop_it)
{
    static const uint16_t kinds[] = {SYNTAX_BREAK,    SYNTAX_CONTINUE, SYNTAX_RETURN,
                                     SYNTAX_GOTO,     SYNTAX_LABEL,    SYNTAX_SWITCH,
                                     SYNTAX_ASSEMBLY, SYNTAX_LAMBDA,   SYNTAX_TYPE};
    static const uint32_t names[] = {T_BARRIER, T_ATOMIC};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        make();
        nodes[CALL].kind = kinds[i];
        if (is_taken(rewrite_unroll) || is_taken(rewrite_pragma))
            fail_msg("kind %d", kinds[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make();
        nodes[I_READ].names = SYNTAX_FUNCTION;
        nodes[I_READ].name = names[i];
        if (is_taken(rewrite_unroll) || is_taken(rewrite_pragma))
            fail_msg("%s", texts + names[i]);
    }
    make();
    nodes[CALL].kind = SYNTAX_VARIABLE;
    assert_true(is_taken(rewrite_pragma));
    nodes[CALL].flags = SYNTAX_STATIC;
    assert_false(is_taken(rewrite_pragma));
}

/* On a GPU a function that nobody knows may have a barrier in it. */
TEST(calls_on_a_gpu)
{
    make();
    tree.gpu = true;
    assert_true(is_taken(rewrite_unroll));
    nodes[CALL].flags = SYNTAX_UNKNOWN;
    assert_false(is_taken(rewrite_unroll));
    nodes[CALL].flags = 0;
    nodes[I_READ].names = SYNTAX_FUNCTION;
    assert_false(is_taken(rewrite_unroll));
    nodes[I_READ].name = T_SIN;
    assert_true(is_taken(rewrite_unroll));
}

TEST(variables_that_may_change)
{
    static const uint16_t flags[] = {SYNTAX_STATIC, SYNTAX_EXTERN, SYNTAX_THREAD, SYNTAX_VOLATILE,
                                     SYNTAX_GLOBAL};
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            make();
            nodes[v ? COUNTER : PARAMETER].flags |= flags[i];
            assert_false(is_taken(rewrite_unroll));
        }
    for (uint32_t v = COUNTER; v; v = v == COUNTER ? PARAMETER : 0) {
        make();
        nodes[I_READ].target = v;
        assert_true(is_taken(rewrite_unroll));
        nodes[READ].kind = SYNTAX_OTHER; /* no value is read: its address may be taken */
        assert_false(is_taken(rewrite_unroll));
        nodes[READ].kind = SYNTAX_IMPLICIT;
        nodes[READ].type = T_CONST; /* a reference to it is made */
        assert_false(is_taken(rewrite_unroll));
    }
    make();
    nodes[PARAMETER].bytes = 0; /* a pointer, a real number, a reference */
    assert_false(is_taken(rewrite_unroll));
}

TEST(comparisons_of_other_values)
{
    make(); /* int i, unsigned n */
    nodes[RIGHT].is_unsigned = nodes[LEFT].is_unsigned = nodes[BOUND].is_unsigned = 1;
    assert_false(is_taken(rewrite_unroll));
    nodes[I_LEFT].is_unsigned = 1; /* both unsigned */
    assert_true(is_taken(rewrite_unroll));
    make(); /* compared as 8 bytes */
    nodes[LEFT].bytes = nodes[RIGHT].bytes = 8;
    assert_true(is_taken(rewrite_unroll));
    nodes[RIGHT].bytes = 4;
    assert_false(is_taken(rewrite_unroll));
}
