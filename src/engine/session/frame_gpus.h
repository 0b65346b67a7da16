/* The GPUs of a frame: each table as its difference from the frame before. */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_GPUS_H
#define ROOFTOP_ENGINE_SESSION_FRAME_GPUS_H

#include "engine/live/gpus.h"
#include "engine/session/fields.h"

/* prev: NULL = none before. Texts go to the coder's dictionary. */
void frame_write_gpus(struct coder *c, const struct gpus *now, const struct gpus *prev);
/* Returns GPUs that live as long as c->s; NULL, with c->in->bad set, if the bytes are damaged. */
const struct gpus *frame_read_gpus(struct coder *c, const struct gpus *prev);

#endif
