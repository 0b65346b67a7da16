/*
 * Bricks of running programs as spans: each is written when it has ended. A program's span is
 * written when the program has ended; what ran in it knows its identifier before.
 */
#pragma once

#include "engine/bricks/brick_stream.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"
#include "export/otlp/otlp_processes.h"

struct otlp_bricks;

/* command: the identifier of the span of the command that was started: programs are its children,
 * and the command's own bricks stand below it. NULL: there is none. processes: a program is below
 * its process, where a sample has shown that; NULL: no process is known. */
struct otlp_bricks *otlp_bricks_new(const struct otlp_context *c, struct otlp_batch *b,
                                    const uint8_t *command, struct otlp_processes *processes);
/* Writes new spans: brick_stream.take. */
void otlp_bricks_take(struct otlp_bricks *o, const struct brick_spans *s);
/* Writes the spans of programs that have not ended, as long as they are known. */
void otlp_bricks_end(struct otlp_bricks *o);
/* Records that were overwritten before they were read. */
uint64_t otlp_bricks_missed(const struct otlp_bricks *o);
void otlp_bricks_free(struct otlp_bricks *o);
