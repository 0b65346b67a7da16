/*
 * One snapshot as bytes: its difference from the one before. Numbers, processes and profile are
 * separate parts, so that a reader can skip those it does not need. Writer and reader each keep the
 * previous snapshot and start together at a block's beginning (block.h).
 */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_H
#define ROOFTOP_ENGINE_SESSION_FRAME_H

#include "engine/session/recording.h"
#include "engine/value/bytes.h"

enum {
    FRAME_VERSION = 8
}; /* raised whenever the tables in frame.c change; older versions stay readable */

/* The machine, written before the first frame. NULL = unknown; it has no CPUs. */
void frame_write_host(struct bytes *b, const struct host *h);
bool frame_same_host(const struct host *a, const struct host *b);
/* NULL if the bytes are damaged; the caller unrefs it */
struct host *frame_read_host(struct byte_reader *r);

struct frame_writer;
struct frame_writer *frame_writer_new(void);
void frame_writer_free(struct frame_writer *w);
void frame_write(struct frame_writer *w, struct bytes *b, const struct snapshot *s);

/* parts: bits of enum recording_part. Counted by reference, because its snapshots hold it. */
struct frame_reader;
/* keeps the host */
struct frame_reader *frame_reader_new(struct host *host, unsigned parts, uint8_t version);
void frame_reader_unref(struct frame_reader *r);
/* Reads the next frame (the caller unrefs it). NULL if the bytes are damaged. */
const struct snapshot *frame_read(struct frame_reader *r, struct byte_reader *in);

#endif
