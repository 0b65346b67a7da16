/* Tells who asked for them which spans have ended since the last look at a program. */
#ifndef ROOFTOP_BACKENDS_BRICK_STREAM_H
#define ROOFTOP_BACKENDS_BRICK_STREAM_H

#include "backends/brick/programs.h"
#include "engine/bricks/brick_stream.h"

/* Call it after each poll of the programs, once. command: pid of the command that rooftop started,
 * or 0. */
void programs_tell(struct programs *p, struct brick_stream *to, pid_t command);

#endif
