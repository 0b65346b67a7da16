/*
 * Sources and trees that are made to take long: 200,000 of what one rule looks for, and as many to
 * look through. With a walk for each, a rule takes minutes; here each only has to end, and to say
 * what it says about a few. (One thread: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/source_guards/source_guards.h"
#include "support/test.h"

enum { MANY = 200000, RAW_CAST = 117 };

/* A tree that is made: the file, in it what stands before the function, and the function. */
struct made {
    struct syntax_tree tree;
    char *source;
    size_t n_texts;
};

static uint32_t add_name(struct made *m, const char *name)
{
    const size_t n = strlen(name) + 1, at = m->tree.ntexts;
    m->tree.texts = xrealloc(m->tree.texts, at + n, 1);
    memcpy(m->tree.texts + at, name, n);
    m->tree.ntexts += n;
    return (uint32_t)at;
}

/* Adds a node below another, which is the last one or one of those above it. */
static size_t add(struct made *m, size_t parent, enum syntax_kind kind, uint32_t name)
{
    struct syntax_tree *t = &m->tree;
    const size_t i = t->count++;
    t->nodes[i] = (struct syntax_node){.kind = (uint16_t)kind,
                                       .raw = (uint16_t)(200 + kind),
                                       .line = 1,
                                       .parent = (uint32_t)parent,
                                       .size = 1,
                                       .name = name};
    for (size_t at = i; at; at = t->nodes[at].parent)
        t->nodes[t->nodes[at].parent].size++;
    return i;
}

static size_t add_function(struct made *m, const char *name)
{
    const size_t f = add(m, 0, SYNTAX_FUNCTION, add_name(m, name));
    m->tree.nodes[f].flags = SYNTAX_DEFINITION | SYNTAX_STATIC;
    return f;
}

/* head, then piece so many times, then tail. */
static char *text_of(const char *head, const char *piece, size_t times, const char *tail)
{
    char *text = xcalloc(strlen(head) + strlen(piece) * times + strlen(tail) + 1, 1), *at = text;
    at = stpcpy(at, head);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, piece);
    stpcpy(at, tail);
    return text;
}

/* Takes the text. There is room for most nodes. */
static void make(struct made *m, char *source, size_t most)
{
    *m = (struct made){.source = source};
    m->tree.source = source;
    m->tree.n = strlen(source);
    m->tree.nodes = xcalloc(most, sizeof *m->tree.nodes);
    add_name(m, "");
    m->tree.nodes[m->tree.count++] =
        (struct syntax_node){.kind = SYNTAX_FILE, .size = 1, .end = (uint32_t)m->tree.n};
}

static void unmake(struct made *m)
{
    syntax_free(&m->tree);
    free(m->source);
}

/* guard: of the objection; JUDGE_NO_GUARD: there is none. Frees both. */
static void ends_with(struct made *baseline, struct made *candidate, enum judge_guard guard)
{
    struct judge_refusal out;
    const struct source_versions v = {
        .baseline = &baseline->tree, .candidate = &candidate->tree, .function = "f"};
    assert_true(syntax_valid(&baseline->tree));
    assert_true(syntax_valid(&candidate->tree));
    const int rc = source_guards_check(&v, &out);
    if (out.guard != guard || rc != (guard != JUDGE_NO_GUARD))
        fail_msg("%d: guard %d, not %d: %s", rc, (int)out.guard, (int)guard, out.evidence);
    unmake(baseline);
    unmake(candidate);
}

/* Both with the function alone: only the text counts. */
static void texts_end_with(char *was, char *is, enum judge_guard guard)
{
    struct made b, c;
    make(&b, was, 4);
    make(&c, is, 4);
    add_function(&b, "f");
    add_function(&c, "f");
    ends_with(&b, &c, guard);
}

TEST(words)
{
    texts_end_with(text_of("", "a __VERSION__ ", MANY, ""), text_of("", "__VERSION__ ", MANY, ""),
                   JUDGE_NO_GUARD);
    texts_end_with(text_of("", "a __VERSION__ ", MANY, ""),
                   text_of("", "__VERSION__ ", MANY + 1, ""), GUARD_PARSE);
}

TEST(lines)
{
    static const char head[] = "#define B\n";
    texts_end_with(text_of(head, "#\n", MANY, ""), text_of(head, "#define A\n", 4000, "#\n"),
                   JUDGE_NO_GUARD);
    texts_end_with(text_of("", "#undef A\n", MANY, "#undef B\n"),
                   text_of("", "#define C\n", 4000, "#undef A\n"), GUARD_ELSEWHERE);
    /* a name that is longer than messages have room for is a word, too */
    texts_end_with(text_of("", "long_", 40, "\n"), text_of("#define ", "long_", 40, " 1\n"),
                   GUARD_ELSEWHERE);
}

TEST(attributes)
{
    texts_end_with(text_of("", "", 0, ""), text_of("#define A ", "[", 5 * MANY, "\n"),
                   JUDGE_NO_GUARD);
    texts_end_with(text_of("foo ", "a ", MANY, ""),
                   text_of("__attribute__((", "foo,", MANY, "foo))"), JUDGE_NO_GUARD);
    texts_end_with(text_of("foo ", "a ", MANY, ""), text_of("[[", "foo,", MANY, "bar(what)]] what"),
                   GUARD_ELSEWHERE);
}

/* The same name in each node of a side; the functions are called by a name of another kind. */
TEST(names)
{
    static const struct {
        enum syntax_kind names;
        enum judge_guard guard;
    } cases[] = {{SYNTAX_VARIABLE, GUARD_STATIC}, {SYNTAX_FUNCTION, GUARD_LIBRARY}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int known = 0; known < 2; known++) {
            struct made b, c;
            make(&b, text_of("", "", 0, ""), MANY + 4);
            make(&c, text_of("", "", 0, ""), MANY + 4);
            const size_t f = add_function(&b, "f"), g = add_function(&c, "f");
            const uint32_t a = add_name(&b, "a"), last = add_name(&b, "what"),
                           what = add_name(&c, "what");
            for (size_t i = 0; i < MANY; i++) {
                const size_t was = add(&b, f, SYNTAX_REFERENCE, i + known == MANY ? last : a),
                             is = add(&c, g, SYNTAX_REFERENCE, what);
                b.tree.nodes[was].names = c.tree.nodes[is].names = (uint16_t)cases[n].names;
                c.tree.nodes[is].flags = SYNTAX_GLOBAL;
            }
            ends_with(&b, &c, known ? JUDGE_NO_GUARD : cases[n].guard);
        }
}

/* Calls through a constant pointer whose value is long; a cast in it makes it unknown. */
TEST(pointers)
{
    for (int cast = 0; cast < 2; cast++) {
        struct made b, c;
        make(&b, text_of("", "", 0, ""), 4);
        make(&c, text_of("", "", 0, ""), 3 * MANY + 8);
        add_function(&b, "f");
        const uint32_t table = add_name(&c, "table");
        const size_t v = add(&c, 0, SYNTAX_VARIABLE, table);
        c.tree.nodes[v].flags = SYNTAX_GLOBAL | SYNTAX_CONSTANT;
        for (size_t i = 0; i < MANY; i++)
            add(&c, v, SYNTAX_INTEGER, 0);
        if (cast)
            c.tree.nodes[c.tree.count - 1].raw = RAW_CAST;
        const size_t f = add_function(&c, "f");
        for (size_t i = 0; i < MANY; i++) {
            const size_t call = add(&c, f, SYNTAX_CALL, table),
                         r = add(&c, call, SYNTAX_REFERENCE, table);
            c.tree.nodes[r].names = SYNTAX_VARIABLE;
            c.tree.nodes[r].flags = SYNTAX_GLOBAL | SYNTAX_CONSTANT;
            c.tree.nodes[r].target = (uint32_t)v;
        }
        ends_with(&b, &c, cast ? GUARD_LIBRARY : JUDGE_NO_GUARD);
    }
}

/* Each line asks for the only loop, in which there is nothing; or a return at its end. */
TEST(loops)
{
    for (int returns = 0; returns < 2; returns++) {
        struct made b, c;
        make(&b, text_of("", "", 0, ""), 4);
        add_function(&b, "f");
        make(&c, text_of("", "#pragma unroll\n", 4000, "loop"), MANY + 8);
        const size_t f = add_function(&c, "f"), loop = add(&c, f, SYNTAX_FOR, 0);
        for (size_t i = 0; i < MANY; i++)
            add(&c, loop, i + returns == MANY ? SYNTAX_RETURN : SYNTAX_OTHER, 0);
        for (size_t i = f; i < c.tree.count; i++) {
            c.tree.nodes[i].start = (uint32_t)c.tree.n - 4;
            c.tree.nodes[i].end = (uint32_t)c.tree.n;
        }
        ends_with(&b, &c, returns ? GUARD_UNROLL : JUDGE_NO_GUARD);
    }
}

/* Numbers in one sum of numbers; in one with a lane they are those of a wave. */
TEST(waves)
{
    for (int lane = 0; lane < 3; lane++) {
        struct made b, c;
        make(&b, text_of("", "", 0, ""), MANY + 8);
        make(&c, text_of("", "", 0, ""), MANY + 8);
        struct made *both[] = {&b, &c};
        for (size_t s = 0; s < 2; s++) {
            const size_t f = add_function(both[s], "f"), sum = add(both[s], f, SYNTAX_BINARY, 0);
            both[s]->tree.gpu = true;
            for (size_t i = 0; i < MANY; i++)
                both[s]->tree.nodes[add(both[s], sum, SYNTAX_INTEGER, 0)].value =
                    s == 1 || (lane == 2 && i == 0) ? 32 : 7;
            if (lane > 0)
                add(both[s], sum, SYNTAX_REFERENCE, add_name(both[s], "threadIdx"));
        }
        ends_with(&b, &c, lane == 1 ? GUARD_WAVE : JUDGE_NO_GUARD);
    }
}

/* Functions that call each the next one, of which the last has an atomic operation; the function
 * calls the last of them. */
TEST(calls)
{
    for (int twice = 0; twice < 2; twice++) {
        struct made b, c;
        make(&b, text_of("", "", 0, ""), 2 * MANY + 16);
        make(&c, text_of("", "", 0, ""), 2 * MANY + 16);
        struct made *both[] = {&b, &c};
        for (size_t s = 0; s < 2; s++) {
            struct syntax_tree *t = &both[s]->tree;
            const uint32_t g = add_name(both[s], "g");
            size_t last = 0;
            for (size_t i = 0; i < MANY; i++) {
                last = add(both[s], 0, SYNTAX_FUNCTION, g);
                t->nodes[last].flags = SYNTAX_DEFINITION | SYNTAX_STATIC;
                const size_t call =
                    add(both[s], last, i + 1 < MANY ? SYNTAX_CALL : SYNTAX_OTHER, g);
                t->nodes[call].names = SYNTAX_FUNCTION;
                t->nodes[call].target = (uint32_t)(i + 1 < MANY ? call + 1 : 0);
                t->nodes[call].flags = i + 1 < MANY ? 0 : SYNTAX_ATOMIC;
            }
            const size_t f = add_function(both[s], "f"), loop = add(both[s], f, SYNTAX_FOR, 0);
            for (size_t i = 0; i < 1 + s * (size_t)twice; i++) {
                const size_t call = add(both[s], loop, SYNTAX_CALL, g);
                t->nodes[call].names = SYNTAX_FUNCTION;
                t->nodes[call].target = (uint32_t)last;
            }
        }
        ends_with(&b, &c, twice ? GUARD_UNROLL : JUDGE_NO_GUARD);
    }
}

/* A call with many arguments that all are dynamic shared memory. */
TEST(arguments)
{
    for (int twice = 0; twice < 2; twice++) {
        struct made b, c;
        make(&b, text_of("", "", 0, ""), 2 * MANY + 16);
        make(&c, text_of("", "", 0, ""), 2 * MANY + 16);
        struct made *both[] = {&b, &c};
        for (size_t s = 0; s < 2; s++) {
            struct syntax_tree *t = &both[s]->tree;
            const uint32_t name = add_name(both[s], "g"), type = add_name(both[s], "int *");
            const size_t g = add(both[s], 0, SYNTAX_FUNCTION, name);
            t->nodes[g].flags = SYNTAX_DEFINITION | SYNTAX_STATIC;
            for (size_t i = 0; i < MANY; i++)
                t->nodes[add(both[s], g, SYNTAX_PARAMETER, 0)].type = type;
            const size_t used = add(both[s], g, SYNTAX_REFERENCE, 0);
            t->nodes[used].target = (uint32_t)(used - 1);
            const size_t f = add_function(both[s], "f"), loop = add(both[s], f, SYNTAX_FOR, 0);
            for (size_t k = 0; k < 1 + s * (size_t)twice; k++) {
                const size_t call = add(both[s], loop, SYNTAX_CALL, name);
                t->nodes[call].names = SYNTAX_FUNCTION;
                t->nodes[call].target = (uint32_t)g;
                for (size_t i = 0; k == 0 && i < MANY; i++) {
                    const size_t given = add(both[s], call, SYNTAX_REFERENCE, 0);
                    t->nodes[given].flags = SYNTAX_DYNAMIC;
                    t->nodes[given].type = type;
                }
            }
        }
        ends_with(&b, &c, twice ? GUARD_UNROLL : JUDGE_NO_GUARD);
    }
}
