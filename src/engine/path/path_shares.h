/*
 * What a critical path consists of: kernels, copies, latency of launches, the host, waiting; in
 * all, by device, and by name. Times are nanoseconds.
 */
#pragma once

#include "base/error.h"
#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"

enum { PATH_WHOLE = 1000000 }; /* shares are in millionths and add up to exactly this */

struct path_mix {
    uint64_t ns[PATH_PARTS];
    uint64_t total;             /* their sum */
    uint32_t share[PATH_PARTS]; /* of total; they sum to PATH_WHOLE, or to 0 if total is 0 */
};

/* A processor on the path: "GPU 0"; "GPU 0 of node7" if there are several hosts; a queue's name if
 * its GPU is unknown; "host". */
struct path_device {
    char name[96];
    struct path_mix mix; /* of its steps */
};

/* All steps of one name, kind and part. */
struct path_name {
    uint32_t name; /* of the graph */
    uint8_t kind;  /* enum node_kind */
    uint8_t part;  /* enum path_part; PATH_LATENCY: the latency of its launches, not its own time */
    uint32_t steps;
    uint32_t inferred; /* steps whose place after the step before is inferred from times */
    uint64_t ns;       /* on the path */
    double weight;     /* criticality: its share of the path's length, 0 to 1 */
    uint32_t calls;    /* number of calls in the whole profile */
    uint64_t total;    /* ns of all those calls */
    uint32_t node;     /* the first step's */
};

struct path_shares {
    struct path_mix all;         /* total: the path's length */
    uint64_t wall;               /* from the first start to the last end */
    struct path_device *devices; /* those on the path, by time on it, then name */
    struct path_name *names;     /* by ns, then name, kind and part; never by order in the file */
    uint32_t ndevices, nnames;
    uint32_t inferred; /* steps */
};

/* Fills *out for a path through t->calls. Free it with path_shares_free. */
void path_shares_find(const struct trace *t, const struct critical_path *p,
                      struct path_shares *out);
/* Fills only names and nnames of *out, for a graph without a trace. Free *out too. */
void path_names_find(const struct graph *g, const struct critical_path *p, struct path_shares *out);
/* The parts of the path between two times of the graph's clock; total is the distance of the two as
 * far as the path covers it. */
void path_mix_within(const struct critical_path *p, uint64_t from, uint64_t to,
                     struct path_mix *out);
void path_shares_free(struct path_shares *s);

const char *path_part_name(enum path_part p);  /* "compute", … "unrecorded", "wait" */
const char *path_part_label(enum path_part p); /* for people: "host, nothing recorded" */
/* One distinct letter for each part, for screens without colour. */
extern const char path_part_letter[PATH_PARTS + 1];
extern const char *const path_part_shade[PATH_PARTS]; /* UTF-8, one cell */
