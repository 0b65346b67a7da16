/* What the files of this room share about loops. */
#ifndef ROOFTOP_ENGINE_REWRITES_LOOP_IMPL_H
#define ROOFTOP_ENGINE_REWRITES_LOOP_IMPL_H

#include "engine/rewrites/simple_loop.h"

/* loop_text.c: the first token that begins at or behind a byte; whether a token is this word. */
size_t loop_token_at(const struct loop_reading *r, uint32_t start);
bool loop_token_is(const struct loop_reading *r, size_t i, const char *word);

/* loop_variables.c: how a reference of a variable is used. A read has a conversion to a value
 * around it (C17 6.3.2.1); what is neither read nor written may hand out its address. */
enum loop_use { USE_READ, USE_WRITE, USE_OTHER };
enum loop_use loop_use_of(const struct syntax_tree *t, size_t reference);
/* An expression whose value nobody takes. */
bool loop_is_statement(const struct syntax_tree *t, size_t i);
/* The expression within what the compiler adds, and parentheses. */
size_t loop_peel(const struct syntax_tree *t, size_t i);
/* Whether it is a whole or real number that changes only where this function names it. */
bool loop_is_private(const struct loop_reading *r, size_t variable);
/* Whether a private whole number, or a struct of which only members are named, has no write in the
 * nodes [from, end). */
bool loop_stays(const struct loop_reading *r, size_t variable, size_t from, size_t end);
bool loop_record_stays(const struct loop_reading *r, size_t variable, size_t from, size_t end);

#endif
