/* Executes words, after a preparation that leaves out NOPs and joins three ops that often follow
 * each other. */
#pragma once

#include "vtpu/state.h"

struct vtpu_program;

/* The words are those that siw_normalise or a generator made; they may be freed then. */
struct vtpu_program *vtpu_program_new(const struct siw *words, size_t n);
void vtpu_program_free(struct vtpu_program *p);
/* Runs all of it `times` times. */
void vtpu_interpret(struct vtpu_state *s, const struct vtpu_program *p, size_t times);
