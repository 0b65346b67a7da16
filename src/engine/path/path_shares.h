/*
 * What a critical path is made of: kernels, copies, what launches take, the host, waiting; over
 * all, by device, and by name. Times are nanoseconds.
 */
#ifndef ROOFTOP_ENGINE_PATH_PATH_SHARES_H
#define ROOFTOP_ENGINE_PATH_PATH_SHARES_H

#include "base/error.h"
#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"

/*
 * Of a step (critical_step). Communication is what collectives took (engine/trace/collective.h),
 * with what they waited for their peers. Unknown is time of the host in which nothing was recorded:
 * between two calls of a thread, or of a range. Waiting is what a call that waits did while nothing
 * is known that it waited for, and, of the time measured, all that the path does not cover: pauses
 * of queues that no launch explains, what came before its first step and after its last.
 */
enum path_part {
    PATH_COMPUTE,
    PATH_COPY,
    PATH_COMMUNICATION,
    PATH_LATENCY,
    PATH_HOST,
    PATH_UNKNOWN,
    PATH_WAIT,
    PATH_PARTS
};
enum { PATH_WHOLE = 1000000 }; /* shares are millionths: they add up to exactly that */

struct path_mix {
    uint64_t ns[PATH_PARTS];
    uint64_t total;             /* their sum */
    uint32_t share[PATH_PARTS]; /* of total; the sum is PATH_WHOLE, 0 where total is */
};

/* A processor that did a part of the path: "GPU 0", "GPU 0 of node7" where there are several hosts,
 * a queue's name where nothing tells whose it is; "host". */
struct path_device {
    char name[96];
    struct path_mix mix; /* of the steps it did */
};

/* All steps of one name, kind and part. */
struct path_name {
    uint32_t name; /* of the graph */
    uint8_t kind;  /* enum node_kind */
    uint8_t part;  /* enum path_part; PATH_LATENCY: what its launches took, not itself */
    uint32_t steps;
    uint32_t inferred; /* of them, that come after the step before only by the times */
    uint64_t ns;       /* on the path */
    double weight;     /* of the path's length, 0 to 1: the criticality */
    uint32_t calls;    /* in the whole profile, on the path or not */
    uint64_t total;    /* what all those take */
    uint32_t node;     /* the first step's */
};

struct path_shares {
    struct path_mix all;         /* total: the time measured, or the path where that is longer */
    uint64_t wall;               /* from the first start to the last end */
    struct path_device *devices; /* that are on the path, by time on it, then name */
    struct path_name *names;     /* by ns, then name, kind and part: never by order in a file */
    uint32_t ndevices, nnames;
    uint32_t inferred; /* steps */
};

/* Through t->calls. */
void path_shares_find(const struct trace *t, const struct critical_path *p,
                      struct path_shares *out);
/* Only names and nnames of *out: of a graph without a trace. Free it all the same. */
void path_names_find(const struct graph *g, const struct critical_path *p, struct path_shares *out);
void path_shares_free(struct path_shares *s);

enum path_part path_part_of(const struct graph *g, const struct critical_step *s);
const char *path_part_name(enum path_part p);  /* "compute", … "unrecorded", "wait" */
const char *path_part_label(enum path_part p); /* for people: "host, nothing recorded" */
/* Where there is no colour: one letter each, which no other part has. */
extern const char path_part_letter[PATH_PARTS + 1];
extern const char *const path_part_shade[PATH_PARTS]; /* UTF-8, one cell */

/* From the first start to the last end; 0 where no times are known. */
uint64_t path_wall(const struct graph *g);

#endif
