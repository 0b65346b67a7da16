/*
 * Bricks of running programs as spans. Each span is written when its brick has ended, a program's
 * span when the program has ended; its bricks refer to that span before.
 */
#pragma once

#include "engine/bricks/brick_stream.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"
#include "export/otlp/otlp_processes.h"

struct otlp_bricks;

/* command: identifier of the span of the started command, which is the parent of its own bricks and
 * of programs; NULL: there is none. processes: a process that a sample has shown is the parent of
 * its program; NULL: no process is known. */
struct otlp_bricks *otlp_bricks_new(const struct otlp_context *c, struct otlp_batch *b,
                                    const uint8_t *command, struct otlp_processes *processes);
/* Writes new spans: brick_stream.take. */
void otlp_bricks_take(struct otlp_bricks *o, const struct brick_spans *s);
/* Writes the spans of programs that have not ended, as long as they are known. */
void otlp_bricks_end(struct otlp_bricks *o);
/* The number of records that were overwritten before they were read. */
uint64_t otlp_bricks_missed(const struct otlp_bricks *o);
void otlp_bricks_free(struct otlp_bricks *o);
