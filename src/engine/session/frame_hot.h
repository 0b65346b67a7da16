/* The profile of a snapshot as bytes: symbols once, then trees and places by number. */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_HOT_H
#define ROOFTOP_ENGINE_SESSION_FRAME_HOT_H

#include "engine/live/snapshot.h"
#include "engine/value/bytes.h"

struct profile_coder;
struct profile_coder *profile_coder_new(void);
void profile_coder_free(struct profile_coder *c);
void profile_write(struct profile_coder *c, struct bytes *b, const struct profile *p);
/* Returns a profile allocated in s; its texts live as long as c. NULL, with in->bad set, if the
 * bytes are damaged. */
const struct profile *profile_read(struct profile_coder *c, struct byte_reader *in,
                                   struct snapshot *s);

#endif
