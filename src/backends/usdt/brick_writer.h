/*
 * Writes a file of librooftop (format/brick.h) for a program that does not link it: its threads and
 * spans as we observed them. Readers treat it like any other file.
 *
 * librooftop's own recorder cannot do this: it keeps one file for its own process and one region
 * for the calling thread, and any addition would slow down every start and stop. Here speed does
 * not matter, and one writer fills all regions. It is not thread-safe, but readers may read at any
 * time.
 *
 * What does not fit is dropped and counted in the file's header.
 */
#ifndef ROOFTOP_BACKENDS_USDT_BRICK_WRITER_H
#define ROOFTOP_BACKENDS_USDT_BRICK_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "format/brick.h"

struct brick_writer;

struct brick_writer_program {
    pid_t pid;
    uint64_t start_ticks;      /* /proc/PID/stat field 22; 0: unknown */
    const char *program, *exe; /* "": unknown */
};

/*
 * Creates path, which must not exist yet, with mode 0600. ERROR_OUTPUT. Free *out with
 * brick_writer_close.
 */
int brick_writer_open(struct brick_writer **out, const char *path,
                      const struct brick_writer_program *program, uint64_t now_ns,
                      struct error *err);
/* Marks the program as ended in order. */
void brick_writer_end(struct brick_writer *w);
/* Removes the file and frees w. NULL is allowed. */
void brick_writer_close(struct brick_writer *w);

/*
 * Describes what is timed by its name, as a brick of category Other. Returns its id, BRICK_NONE
 * where there is no space.
 */
uint32_t brick_writer_describe(struct brick_writer *w, const char *name);

/*
 * Takes a region for a new thread: that of an ended thread, or a new one. Returns its index,
 * BRICK_NONE where there is no space.
 */
uint32_t brick_writer_thread(struct brick_writer *w, pid_t tid, const char *name, uint64_t now_ns);
void brick_writer_thread_end(struct brick_writer *w, uint32_t thread);

/*
 * Begins a span inside parent (the number of a span of the same thread; 0: outermost). Returns its
 * number, 0 where there is no space.
 */
uint64_t brick_writer_begin(struct brick_writer *w, uint32_t thread, uint64_t parent,
                            uint32_t what);
/* Ends a span and writes it to the file. */
void brick_writer_span(struct brick_writer *w, uint32_t thread, uint64_t span, uint64_t parent,
                       uint64_t start_ns, uint64_t end_ns);

#endif
