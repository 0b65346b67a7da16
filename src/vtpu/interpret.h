/* Interprets words, after leaving out NOPs and joining three ops that often come together. */
#pragma once

#include "vtpu/state.h"

struct vtpu_program;

/* The words must come from siw_normalise or a generator, and may be freed afterwards. */
struct vtpu_program *vtpu_program_new(const struct siw *words, size_t n);
void vtpu_program_free(struct vtpu_program *p);
/* Runs the program `times` times. */
void vtpu_interpret(struct vtpu_state *s, const struct vtpu_program *p, size_t times);
