/*
 * A second vTPU, written from the description of the ops and nothing else: one switch, a list of
 * cells that is searched from its beginning, no cache, no Morton order.
 */
#pragma once

#include "vtpu/state.h"

struct naive_vtpu;

/* Begins with the same registers and cells. */
struct naive_vtpu *naive_new(const struct vtpu_state *s);
void naive_run(struct naive_vtpu *v, const struct siw *words, size_t n);
/* NULL where both are equal; else what differs. */
const char *naive_difference(const struct naive_vtpu *v, const struct vtpu_state *s);
void naive_free(struct naive_vtpu *v);
