/*
 * Writes a file of librooftop (format/brick.h) in place of a program that does not link it: its
 * threads and spans as somebody else saw them. Readers follow it as they follow any other.
 *
 * librooftop's own recorder cannot do it: it keeps one file a process and one region for the thread
 * that calls it, and what is added to that costs every start and stop. Here nothing is urgent and
 * there is one writer for all regions: not thread-safe, but readers may read at any moment.
 *
 * What finds no room is dropped and counted in the file's header.
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
    uint64_t start_ticks;      /* /proc/PID/stat field 22; 0 = unknown */
    const char *program, *exe; /* "" unknown */
};

/* Makes path, which must not exist yet, with mode 0600. ERROR_OUTPUT. */
int brick_writer_open(struct brick_writer **out, const char *path,
                      const struct brick_writer_program *program, uint64_t now_ns,
                      struct error *err);
/* The program has ended in order. */
void brick_writer_end(struct brick_writer *w);
/* The file is taken away. NULL allowed. */
void brick_writer_close(struct brick_writer *w);

/* What can be timed, by name: a brick of category Other. BRICK_NONE without room. */
uint32_t brick_writer_describe(struct brick_writer *w, const char *name);

/* A region for a thread that was seen first now; the region of one that has ended is used again.
 * BRICK_NONE without room. */
uint32_t brick_writer_thread(struct brick_writer *w, pid_t tid, const char *name, uint64_t now_ns);
void brick_writer_thread_end(struct brick_writer *w, uint32_t thread);

/* A span begins: its number, inside of parent (a number of the same thread, 0 = outermost). 0
 * without room. */
uint64_t brick_writer_begin(struct brick_writer *w, uint32_t thread, uint64_t parent,
                            uint32_t what);
/* It has ended: only now it is in the file. */
void brick_writer_span(struct brick_writer *w, uint32_t thread, uint64_t span, uint64_t parent,
                       uint64_t start_ns, uint64_t end_ns);

#endif
