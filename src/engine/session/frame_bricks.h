/* The bricks of a snapshot as bytes: rows of the tree and of the last pass, each as its difference
 * from the same row of the snapshot before. */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_BRICKS_H
#define ROOFTOP_ENGINE_SESSION_FRAME_BRICKS_H

#include "engine/bricks/bricks.h"
#include "engine/live/snapshot.h"
#include "engine/value/bytes.h"

struct bricks_coder;
struct bricks_coder *bricks_coder_new(void);
void bricks_coder_free(struct bricks_coder *c);
/* Writes the difference from the bricks written before, which must still exist. */
void bricks_write(struct bricks_coder *c, struct bytes *b, const struct bricks *bricks);
/* Returns bricks allocated in s. Their tree is allocated apart, and freed with s. NULL, with
 * in->bad set, if the bytes are damaged. */
const struct bricks *bricks_read(struct bricks_coder *c, struct byte_reader *in,
                                 struct snapshot *s);

#endif
