/*
 * Reads the file of an instrumented program (format/brick.h), live or after its end. Nothing in it
 * is trusted: it is copied with pread, every offset and count is checked, and texts are made
 * printable. Sums are whole at every poll, whatever the program does meanwhile.
 */
#ifndef ROOFTOP_BACKENDS_BRICK_READER_H
#define ROOFTOP_BACKENDS_BRICK_READER_H

#include <stdbool.h>

#include "base/error.h"
#include "format/brick.h"
#include "engine/value/histogram.h"

/* What a span is of; texts live as long as the reader. */
struct brick_what {
    struct brick_desc desc;
    const char *name, *from, *to;
};

/* A place in the tree of the program, all threads together. */
struct brick_node {
    uint32_t parent; /* index, BRICK_NONE = outermost; lower than its own */
    uint32_t what;
    uint64_t count, total, min, max, elements, bytes, flops;
    double squares;
    uint64_t recent_count, recent_total; /* since the poll before */
    uint64_t busiest; /* ns here of the thread that spent most in all of this kind and name */
    struct histogram histogram;
};

struct brick_event {
    struct brick_record record; /* node: of the program's tree */
    uint32_t thread;            /* index of its region */
};

struct brick_thread_info {
    uint32_t tid;
    bool live;
    char name[16];
};

struct brick_reader;

/* A file that is not one of ours is refused with its path and position. */
int brick_reader_open(struct brick_reader **out, const char *path, struct error *err);
int brick_reader_open_fd(struct brick_reader **out, int fd, const char *path,
                         struct error *err); /* takes fd over */
void brick_reader_close(struct brick_reader *r);

/* What happened since the last poll. -errno with err where the file has become unreadable. */
int brick_reader_poll(struct brick_reader *r, struct error *err);

const struct brick_header *brick_reader_header(const struct brick_reader *r);
const struct brick_what *brick_reader_what(const struct brick_reader *r, uint32_t i);
const struct brick_node *brick_reader_nodes(const struct brick_reader *r, uint32_t *n);
const struct brick_thread_info *brick_reader_threads(const struct brick_reader *r, uint32_t *n);
/* The last spans, edges and begins of threads, by thread in the order they were written; at most
 * BRICK_EVENTS. */
enum { BRICK_EVENTS = 1 << 17 };
const struct brick_event *brick_reader_events(const struct brick_reader *r, size_t *n);
/* All spans that began after this are known, of every thread: ns of CLOCK_MONOTONIC. */
uint64_t brick_reader_known_since(const struct brick_reader *r);
/* Spans recorded so far, and those that were overwritten before they were read. */
uint64_t brick_reader_spans(const struct brick_reader *r);
uint64_t brick_reader_missed(const struct brick_reader *r);
/* The i-th code that the program keeps, without its bytes; false behind the last one. */
struct brick_code_row {
    uint64_t hash;
    uint32_t kind;
    char name[256], path[256];
    size_t size;
};
bool brick_reader_code_at(const struct brick_reader *r, uint32_t i, struct brick_code_row *out);
/* The kernel's code with this hash: bytes (the caller frees) and where it is from; NULL where the
 * program registered none. */
char *brick_reader_code(const struct brick_reader *r, uint64_t hash, size_t *size, uint32_t *kind,
                        const char **path);

#endif
