/*
 * Keeps a command's output for the output pane and for saving. A separate thread reads it, so that
 * the command never waits for rooftop.
 */
#ifndef ROOFTOP_BACKENDS_COMMAND_SPOOL_H
#define ROOFTOP_BACKENDS_COMMAND_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { SPOOL_TAIL = 16 * 1024 };
#define SPOOL_LIMIT (64u * 1024 * 1024)

struct spool;

/*
 * Reads from fd until its end; takes ownership of fd. limit: bytes kept for saving. NULL with err
 * on failure. Free it with spool_free.
 */
struct spool *spool_new(int fd, uint64_t limit, struct error *err);
/* Waits, at most ms, until everything that was written before the writers closed is read. */
void spool_drain(struct spool *s, int ms);
/*
 * Copies the last complete lines, at most SPOOL_TAIL bytes, to out; returns their length. *total:
 * bytes of output so far; *dropped: bytes that were not kept.
 */
size_t spool_tail(struct spool *s, char out[SPOOL_TAIL], uint64_t *total, uint64_t *dropped);
/*
 * Saves everything kept to a new file: all of it or, on failure, nothing. ERROR_OUTPUT; EEXIST
 * where the file exists.
 */
int spool_save(struct spool *s, const char *path, struct error *err);
void spool_free(struct spool *s); /* also ends the thread */

#endif
