/*
 * What a recorded file holds: execution graphs, whatever wrote it. A reader is one folder under
 * backends/ and one line in backends/readers.c.
 */
#ifndef ROOFTOP_ENGINE_TRACE_H
#define ROOFTOP_ENGINE_TRACE_H

#include "base/error.h"
#include "engine/graph.h"

struct trace {
    struct graph *sums;  /* every place of the tree once */
    struct graph *calls; /* every span that is still known: program -> threads -> spans */
    uint64_t spans;      /* recorded in all */
    uint64_t lost;       /* of those, no longer known one by one */
    uint64_t dropped;    /* that found no room */
};

/* What a kernel was made from. */
struct trace_code {
    char *bytes; /* size of them, and a NUL; "" where only the path is known */
    size_t size;
    const char *kind;  /* "PTX", "HSACO", "SPIR-V", "host code" */
    char path[256];    /* where it is from; "" unknown */
    char program[256]; /* the file of its program: host code lies in it; "" unknown */
};
struct reader_ops {
    const char *name;    /* "bricks" */
    const char *summary; /* "what programs with librooftop record" */
    /* From the first bytes of a file. */
    bool (*recognise)(const unsigned char *head, size_t size);
    /* Adds what the file holds. */
    int (*read)(const char *path, struct trace *t, struct error *err);
    /* As trace_code; NULL: such files hold no code. */
    int (*code)(struct trace_code *out, const char *path, uint64_t hash, struct error *err);
};
extern const struct reader_ops *const readers[]; /* backends/readers.c; NULL-terminated */

/* Of the kernel with this hash, from the file its program records in. */
int trace_code(struct trace_code *out, const char *path, uint64_t hash, struct error *err);
void trace_code_free(struct trace_code *c);

/* The reader that recognises the file; NULL with err where none does, or it cannot be read. */
const struct reader_ops *trace_reader(const char *path, struct error *err);
/* Reads all of them into one trace; the graphs are finished. Free it after either outcome. */
int trace_open(struct trace *out, const char *const *paths, size_t n, struct error *err);
void trace_free(struct trace *t);

#endif
