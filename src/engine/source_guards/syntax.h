/* A source as a plain syntax tree, independent of the parser. Nodes are in the order in which
 * they begin, each before its children: the subtree of node i is i to i + size. Node 0 is the
 * file. The tree has only what is in the file itself, not what it includes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum syntax_kind {
    SYNTAX_OTHER,
    SYNTAX_FILE,
    SYNTAX_SCOPE, /* namespace, extern "C": holds declarations */
    SYNTAX_FUNCTION,
    SYNTAX_VARIABLE,
    SYNTAX_PARAMETER,
    SYNTAX_TYPE,      /* struct, union, class, enum, typedef, alias; templates of these */
    SYNTAX_HARMLESS,  /* static_assert, using, a constant of an enum, a field */
    SYNTAX_REFERENCE, /* of a variable, function, member */
    SYNTAX_CALL,      /* a function, constructor, operator */
    SYNTAX_IMPLICIT,  /* a node that the compiler adds around one expression, such as reading a
                         variable */
    SYNTAX_PARENTHESES,
    SYNTAX_UNARY,
    SYNTAX_BINARY, /* = too */
    SYNTAX_ASSIGN, /* += and its kin */
    SYNTAX_INTEGER,
    SYNTAX_SUBSCRIPT,
    SYNTAX_LAMBDA, /* blocks and statements in expressions, too */
    SYNTAX_BLOCK,
    SYNTAX_DECLARATIONS,
    SYNTAX_FOR,
    SYNTAX_LOOP, /* while, do, for over a range */
    SYNTAX_IF,
    SYNTAX_SWITCH,
    SYNTAX_BREAK,
    SYNTAX_CONTINUE,
    SYNTAX_RETURN, /* throw too */
    SYNTAX_GOTO,
    SYNTAX_LABEL, /* case and default are none */
    SYNTAX_ASSEMBLY,
    SYNTAX_SHARED /* the attribute of shared memory */
};

enum {
    SYNTAX_DEFINITION = 1 << 0,
    SYNTAX_STATIC = 1 << 1,    /* the storage class; for a function also inline */
    SYNTAX_EXTERN = 1 << 2,    /* the storage class */
    SYNTAX_THREAD = 1 << 3,    /* thread-local */
    SYNTAX_CONSTANT = 1 << 4,  /* const, and not volatile */
    SYNTAX_VOLATILE = 1 << 5,  /* or atomic */
    SYNTAX_GLOBAL = 1 << 6,    /* outside of functions */
    SYNTAX_ELSEWHERE = 1 << 7, /* not in this file */
    SYNTAX_UNKNOWN = 1 << 8,   /* a call: of what, nobody sees */
    SYNTAX_ATOMIC = 1 << 9,    /* an expression: an atomic operation, or an atomic object */
    SYNTAX_DYNAMIC = 1 << 10   /* shared memory of a GPU, of the size that a launch gives */
};

struct syntax_node {
    uint16_t kind, raw;  /* raw: the parser's own number of the kind, to distinguish nodes */
    uint16_t flags;      /* of a declaration; of a reference or call: of what it names; ATOMIC */
    uint16_t names;      /* of a reference or call: the kind of what it names */
    uint32_t start, end; /* bytes; in a macro: where the macro is used */
    uint32_t at;         /* of a declaration: where its name stands */
    uint32_t line;       /* from 1 */
    uint32_t parent, size;
    uint32_t name, type; /* positions in texts; type is the canonical one */
    uint32_t target;     /* node of the declaration that a reference or call names; 0: not here */
    uint32_t bytes;      /* of a whole number's type; 0: of another type */
    uint32_t is_unsigned;
    int64_t value; /* SYNTAX_INTEGER */
};

struct syntax_tree {
    const char *source; /* borrowed; of n bytes, ended by 0 */
    size_t n;
    struct syntax_node *nodes;
    size_t count;
    char *texts; /* ended by 0 each; place 0 is "" */
    size_t ntexts;
    bool gpu;     /* HIP or CUDA */
    bool plain_c; /* no C++, HIP or CUDA */
};

const char *syntax_name(const struct syntax_tree *t, size_t node);
const char *syntax_type(const struct syntax_tree *t, size_t node);
/* The first child and the next sibling; 0: there is none. */
size_t syntax_first(const struct syntax_tree *t, size_t node);
size_t syntax_next(const struct syntax_tree *t, size_t node);
/* The next declaration of the file's level after node (0: the first). Scopes are entered, and
 * their content follows one by one; 0: there is none. */
size_t syntax_declaration(const struct syntax_tree *t, size_t node);
/* Whether node is a loop of any kind. */
bool syntax_is_loop(const struct syntax_tree *t, size_t node);
/* The only definition of a function at the file's level; 0: there is none, or (*several) more. */
size_t syntax_function(const struct syntax_tree *t, const char *name, bool *several);
/* Whether a tree from another process is valid: positions within their arrays, nodes within
 * their parents. */
bool syntax_valid(const struct syntax_tree *t);
void syntax_free(struct syntax_tree *t); /* nodes and texts */

/* --- the text --- */

enum syntax_token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };
struct syntax_token {
    uint32_t start, end, line;
    uint16_t kind;
    uint16_t directive; /* 2: the # that begins a preprocessor line; 1: a token after it */
    bool touches;       /* neither blanks nor comments stand before it */
};
struct syntax_tokens {
    struct syntax_token *list;
    size_t n, cap;
};
/* Splits a text, without comments. A sign is one byte, except ##. Lines that end with a
 * backslash are joined: a token may contain such an end. */
void syntax_split(struct syntax_tokens *out, const char *text, size_t n);
void syntax_tokens_free(struct syntax_tokens *t);
/* Whether a token is this text. */
bool syntax_token_is(const char *text, const struct syntax_token *t, const char *word);
