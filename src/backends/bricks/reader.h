/*
 * Reads the file of an instrumented program (format/brick.h), live or after its end. The file is
 * not trusted: it is copied with pread, every offset and count is checked, and texts are made
 * printable. Sums are consistent in every poll, whatever the program does meanwhile.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "engine/value/histogram.h"
#include "format/brick.h"

/* What a span times; texts live as long as the reader. */
struct brick_what {
    struct brick_desc desc;
    const char *name, *from, *to;
};

/* A place in the tree of the program, all threads together. */
struct brick_node {
    uint32_t parent; /* index, lower than its own; BRICK_NONE: outermost */
    uint32_t what;
    uint64_t count, total, min, max, elements, bytes, flops;
    double squares;
    uint64_t recent_count, recent_total, recent_bytes, recent_flops; /* since the previous poll */
    /* ns spent here by the thread that spent most in all nodes of this kind and name */
    uint64_t busiest;
    struct histogram histogram;
};

/* What was counted in each span, where the program was asked for it. */
struct brick_counter {
    const char *name, *why; /* why it was not counted; "": it was */
};

struct brick_event {
    struct brick_record record; /* its node is that of the program's tree */
    uint32_t thread;            /* index of the region */
    uint64_t at;                /* how many records the region had before it */
};

struct brick_thread_info {
    uint32_t tid;
    bool live;
    char name[16];
};

struct brick_reader;

/*
 * Opens a file. A file that is not librooftop's is refused, with path and position. Free *out with
 * brick_reader_close.
 */
int brick_reader_open(struct brick_reader **out, const char *path, struct error *err);
/* takes ownership of fd */
int brick_reader_open_fd(struct brick_reader **out, int fd, const char *path, struct error *err);
void brick_reader_close(struct brick_reader *r);

/*
 * Reads what is new since the last poll. Returns -errno with err where the file cannot be read any
 * more.
 */
int brick_reader_poll(struct brick_reader *r, struct error *err);
/* The same between two polls: for the next poll, what is new is since the poll before. */
int brick_reader_follow(struct brick_reader *r, struct error *err);

const struct brick_header *brick_reader_header(const struct brick_reader *r);
const struct brick_what *brick_reader_what(const struct brick_reader *r, uint32_t i);
const struct brick_node *brick_reader_nodes(const struct brick_reader *r, uint32_t *n);
/* What is counted in spans; returns how many, 0: nothing. */
uint32_t brick_reader_counters(const struct brick_reader *r, const struct brick_counter **out);
/* What was counted in a node; NULL: nothing. */
const struct brick_counts *brick_reader_counts(const struct brick_reader *r, uint32_t node);
const struct brick_thread_info *brick_reader_threads(const struct brick_reader *r, uint32_t *n);
/*
 * The latest spans, edges and starts of threads: by thread, in the order in which they were
 * written; at most BRICK_EVENTS, and all that are new.
 */
enum { BRICK_EVENTS = 1 << 17 };
const struct brick_event *brick_reader_events(const struct brick_reader *r, size_t *n);
/* Those of them that the last poll has read. */
const struct brick_event *brick_reader_new_events(const struct brick_reader *r, size_t *n);
/* All spans of all threads that began after this time are known: ns of CLOCK_MONOTONIC. */
uint64_t brick_reader_known_since(const struct brick_reader *r);
/* The number of spans recorded so far, and of those that were overwritten before they were read. */
uint64_t brick_reader_spans(const struct brick_reader *r);
uint64_t brick_reader_missed(const struct brick_reader *r);
/* The i-th code that the program keeps, without its bytes; false after the last. */
struct brick_code_row {
    uint64_t hash;
    uint32_t kind;
    char name[256], path[256];
    size_t size;
};
bool brick_reader_code_at(const struct brick_reader *r, uint32_t i, struct brick_code_row *out);
/*
 * The code of a kernel with this hash, and its kind and path. The caller frees the bytes; NULL
 * where the program registered none.
 */
char *brick_reader_code(const struct brick_reader *r, uint64_t hash, size_t *size, uint32_t *kind,
                        const char **path);
