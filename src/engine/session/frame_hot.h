/* The profile of a snapshot as bytes: symbols once, then trees and places by number. */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_HOT_H
#define ROOFTOP_ENGINE_SESSION_FRAME_HOT_H

#include "engine/live/snapshot.h"
#include "engine/value/bytes.h"

struct hot_coder;
struct hot_coder *hot_coder_new(void);
void hot_coder_free(struct hot_coder *c);
void hot_write(struct hot_coder *c, struct bytes *b, const struct hot_stacks *p);
/* Returns a profile allocated in s; its texts live as long as c. NULL, with in->bad set, if the
 * bytes are damaged. */
const struct hot_stacks *hot_read(struct hot_coder *c, struct byte_reader *in, struct snapshot *s);

#endif
