/* Loops that count: a step that is a constant, a bound that stays, a body that always ends. */
#ifndef ROOFTOP_ENGINE_REWRITES_SIMPLE_LOOP_H
#define ROOFTOP_ENGINE_REWRITES_SIMPLE_LOOP_H

#include "engine/source_guards/source_guards.h"

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
/* Only what stands in it and where: whether its body may be there several times. Fills node, all,
 * init, test, step and body. NULL, or why not. */
const char *loop_body_read(const struct loop_reading *r, size_t node, struct simple_loop *out);

#endif
