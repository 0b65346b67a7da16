/*
 * What a command writes, kept for the output pane and for saving: read by a thread of its own so
 * that the command never waits for us.
 */
#ifndef ROOFTOP_BACKENDS_COMMAND_SPOOL_H
#define ROOFTOP_BACKENDS_COMMAND_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { SPOOL_TAIL = 16 * 1024 };
#define SPOOL_LIMIT (64u * 1024 * 1024)

struct spool;

/* Reads from fd (owned from now on) until its end. limit: bytes kept for saving. NULL with err on
 * failure. */
struct spool *spool_new(int fd, uint64_t limit, struct error *err);
/* Waits until all that was written before the writers closed is read, ms at most. */
void spool_drain(struct spool *s, int ms);
/* Copies the last whole lines, at most SPOOL_TAIL bytes, into out; returns their length. */
size_t spool_tail(struct spool *s, char out[SPOOL_TAIL], uint64_t *total, uint64_t *dropped);
/* Everything kept, in a new file: all of it or, on failure, nothing. ERROR_OUTPUT, EEXIST where
 * there is one. */
int spool_save(struct spool *s, const char *path, struct error *err);
void spool_free(struct spool *s); /* ends the thread */

#endif
