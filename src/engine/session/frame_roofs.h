/* The measured roofs of the host in a frame, as their difference from the frame before. */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_ROOFS_H
#define ROOFTOP_ENGINE_SESSION_FRAME_ROOFS_H

#include "engine/roofline/roofline_cpu.h"
#include "engine/session/fields.h"

/* prev: NULL = none before. Texts go to the coder's dictionary. */
void frame_write_roofs(struct coder *c, const struct cpu_host *now, const struct cpu_host *prev);
/* Returns roofs that live as long as c->s; NULL, with c->in->bad set, if the bytes are damaged. */
const struct cpu_host *frame_read_roofs(struct coder *c, const struct cpu_host *prev);

#endif
