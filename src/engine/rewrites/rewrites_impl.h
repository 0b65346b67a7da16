/* What the files of engine/rewrites share among themselves. */
#pragma once

#include "engine/source_guards/source_guards.h"

/* Loops that count: a step that is a constant, a bound that stays, a body that always ends. */
struct loop_span {
    uint32_t start, end; /* bytes */
};
struct simple_loop {
    size_t node;
    struct loop_span all; /* with the semicolon of a body that is no block */
    struct loop_span init, test, step, body, bound, counter; /* init may be empty */
    bool down, inclusive;                                    /* > and >=; <= and >= */
    bool wide;   /* the comparison has more than 32 bits, else at most that */
    uint32_t by; /* of the step, 1 to LOOP_STEP_MOST */
};
enum { LOOP_STEP_MOST = 65536 };

struct loop_reading {
    const struct syntax_tree *tree;
    const struct syntax_tokens *tokens; /* of the tree's source */
    size_t function;                    /* its node */
    const struct source_stops *stops;   /* of the tree */
    const uint8_t *names;               /* made by source_names_find */
};

/* NULL with *out; or why the loop is not simple: a clause. */
const char *simple_loop_read(const struct loop_reading *r, size_t node, struct simple_loop *out);
/* Finds the parts of the loop, and whether its body may be repeated; the counter is not checked.
 * Fills node, all, init, test, step and body. NULL, or why not. */
const char *loop_body_read(const struct loop_reading *r, size_t node, struct simple_loop *out);

/* What the files of this room share about loops. */

/* loop_text.c: the first token that begins at or behind a byte; whether a token is this word. */
size_t loop_token_at(const struct loop_reading *r, uint32_t start);
bool loop_token_is(const struct loop_reading *r, size_t i, const char *word);

/* loop_variables.c: how a reference to a variable is used. A read is inside a conversion to a
 * value (C17 6.3.2.1); a use that neither reads nor writes may pass its address on. */
enum loop_use { USE_READ, USE_WRITE, USE_OTHER };
enum loop_use loop_use_of(const struct syntax_tree *t, size_t reference);
/* An expression whose value is not used. */
bool loop_is_statement(const struct syntax_tree *t, size_t i);
/* The expression inside parentheses and conversions that the compiler adds. */
size_t loop_peel(const struct syntax_tree *t, size_t i);
/* Whether it is a whole or real number that changes only where this function names it. */
bool loop_is_private(const struct loop_reading *r, size_t variable);
/* Whether a private whole number, or a struct of which only members are named, has no write in the
 * nodes [from, end). */
bool loop_stays(const struct loop_reading *r, size_t variable, size_t from, size_t end);
bool loop_record_stays(const struct loop_reading *r, size_t variable, size_t from, size_t end);

/* Accumulators of a loop: variables into which it adds, multiplies, or combines values bit by
 * bit, and which it uses for nothing else. */
enum { SUMS_MOST = 8, SUM_USES_MOST = 64 };

struct loop_sum {
    size_t variable;
    char sign; /* + (- and ++ too), *, &, | or ^ */
    bool real; /* another order rounds otherwise */
    bool wide; /* a whole number of 8 bytes; else of at most 4 */
};
struct loop_sums {
    struct loop_sum list[SUMS_MOST];
    size_t n;
    struct loop_sum_use {
        uint32_t start, end; /* bytes: where its body names one */
        size_t sum;
    } uses[SUM_USES_MOST]; /* in the order of the text */
    size_t nuses;
};

/* l: a simple loop without loops in it. False: it has none. */
bool loop_sums_read(const struct loop_reading *r, const struct simple_loop *l,
                    struct loop_sums *out);
