/* What the files of backends/bricks share among themselves. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/ids.h"
#include "engine/bricks/brick_stream.h"
#include "engine/bricks/bricks.h"
#include "engine/bricks/call_tally.h"
#include "engine/graph/graph.h"
#include "engine/live/target.h"
#include "engine/syscalls/feed.h"
#include "engine/value/histogram.h"
#include "format/brick.h"

/* Reads the file of an instrumented program (format/brick.h), live or after its end. The file is
 * not trusted: it is copied with pread, every offset and count is checked, and texts are made
 * printable. Sums are consistent in every poll, even while the program writes. */

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

/* An event that the program counts in each span on request. */
struct brick_counter {
    const char *name, *why; /* why: the reason that it was not counted, or "" */
};

struct brick_event {
    struct brick_record record; /* its node is that of the program's tree */
    uint32_t thread;            /* index of the region */
    uint64_t at;                /* number of the region's records before it */
};

struct brick_thread_info {
    uint32_t tid;
    bool live;
    char name[16];
};

struct brick_reader;

/* Opens a file. A file that is not librooftop's is refused, with path and position. Free *out with
 * brick_reader_close. */
int brick_reader_open(struct brick_reader **out, const char *path, struct error *err);
/* Takes ownership of fd. */
int brick_reader_open_fd(struct brick_reader **out, int fd, const char *path, struct error *err);
void brick_reader_close(struct brick_reader *r);

/*
 * Reads what is new since the last poll. Returns -errno with err if the file can no longer be read.
 */
int brick_reader_poll(struct brick_reader *r, struct error *err);
/* Reads between two polls; the next poll still counts as new all since the previous poll. */
int brick_reader_follow(struct brick_reader *r, struct error *err);

const struct brick_header *brick_reader_header(const struct brick_reader *r);
const struct brick_what *brick_reader_what(const struct brick_reader *r, uint32_t i);
const struct brick_node *brick_reader_nodes(const struct brick_reader *r, uint32_t *n);
/* The events that are counted in spans; returns their number. */
uint32_t brick_reader_counters(const struct brick_reader *r, const struct brick_counter **out);
/* The counts of a node; NULL: nothing was counted. */
const struct brick_counts *brick_reader_counts(const struct brick_reader *r, uint32_t node);
const struct brick_thread_info *brick_reader_threads(const struct brick_reader *r, uint32_t *n);
/* The latest spans, edges and starts of threads: all new ones and older ones up to BRICK_EVENTS, by
 * thread, in the order in which they were written. */
enum { BRICK_EVENTS = 1 << 17 };
const struct brick_event *brick_reader_events(const struct brick_reader *r, size_t *n);
/* The events that the last poll has read. */
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
/* The code of a kernel with this hash, and its kind and path. The caller frees the bytes; NULL if
 * the program registered none. */
char *brick_reader_code(const struct brick_reader *r, uint64_t hash, size_t *size, uint32_t *kind,
                        const char **path);

/* The instrumented programs of a target: found by their files in shared memory, and kept after they
 * end. */
enum { PROGRAMS_MAX = 64 };

struct watched_program {
    struct brick_reader *reader;
    char name[80], path[320];
    uint32_t number;        /* in the order of discovery, from 0; no other program gets it */
    pid_t pid;              /* as we see it */
    uint8_t state;          /* enum program_state */
    bool damaged;           /* its file can no longer be read: its last state is shown */
    uint64_t dev, ino, key; /* key: identifies its file after it was closed */
    uint64_t tokens;        /* at the previous poll */
    /* for stream.h */
    bool told;       /* programs_tell has told of it before */
    uint64_t missed; /* records that its reader had missed when it was last told */
};
struct programs {
    struct watched_program *list;
    size_t n;
    uint32_t opened;      /* number of programs that were ever in the list */
    struct ids forgotten; /* files of programs that are no longer in it */
    size_t left_out;      /* programs that exceed PROGRAMS_MAX */
    size_t refused;       /* files in the last search whose owner may not speak for the process */
    char refusal[160];    /* the reason for the first of them, a sentence */
};

/* Searches for files of the target's processes. folder: the private folder of a command that
 * rooftop started, or NULL for the shared one. In the shared folder a file counts only if it
 * belongs to the user of the process that it names (base/owner.h). */
void programs_find(struct programs *p, const struct target *t, const char *folder);
/* Adds a file of any program. Returns 0 or -errno with err. */
int programs_add_file(struct programs *p, const char *path, struct error *err);
/* Reads everything new. */
void programs_poll(struct programs *p);
/* Reads between two polls; the recent counts of the next poll include this. */
void programs_follow(struct programs *p);
void programs_close(struct programs *p);

/* Fills a snapshot with the instrumented programs. */

/* Call it after programs_poll. Arrays and texts go into memory; the caller releases tree.
 * interval_s: since the previous poll, 0: the first poll. cpu: lives as long as memory; NULL: no
 * measured roofs. */
void bricks_fill(struct bricks *out, struct arena *memory, struct programs *p, double interval_s,
                 const struct cpu_roofs *cpu);

/* Graphs of instrumented programs: a graph of sums has each place of the tree once, with all its
 * calls; a graph of calls has each span that is still known. */

/* Adds one program: a node for it, then one for each node of the reader, in the same order. Returns
 * the index of the program's node. */
uint32_t brick_graph_sums(struct graph *g, const struct brick_reader *r, const char *name,
                          int64_t pid);

/* Where a node in a graph of calls comes from. */
struct brick_origin {
    uint32_t node;   /* node of the reader; BRICK_NONE: it is a program or thread */
    uint32_t thread; /* index of the region */
};
struct brick_calls {
    struct graph *graph; /* program -> threads -> spans; not finished */
    struct brick_origin *origins;
    uint32_t norigins, cap;
};
/* Adds the spans inside from..to (ns of CLOCK_MONOTONIC), at most the newest at_most. Free c with
 * brick_calls_free. */
void brick_graph_calls(struct brick_calls *c, const struct brick_reader *r, const char *name,
                       int64_t pid, uint64_t from, uint64_t to, size_t at_most);
void brick_calls_free(struct brick_calls *c);
/* Adds the program, its threads, and the *n events, which are spans, each below its thread and in
 * this order. Returns the first span's node, and in *n how many were added. */
uint32_t brick_graph_flat(struct graph *g, const struct brick_reader *r, const char *name,
                          int64_t pid, const struct brick_event *const *events, uint32_t *n);

/* The system calls inside bricks of programs that run: calls come from a feed, spans from the
 * programs' files. A span is written at its end, so a call waits until a span around it is known;
 * the first known one is the innermost. Counts are never taken back, so the numbers only grow
 * although spans are overwritten. */

/* Limit of calls that wait for a span, 2.5 MiB; beyond it the oldest count as outside of spans. */
enum { LIVE_CALLS_WAITING = 1 << 16 };
/* Limits of the last calls for the window of the last pass, 640 KiB, and of their spans. */
enum { LIVE_CALLS_DRAWN = 1 << 14, LIVE_CALLS_SPANS = 512 };

/* How many records of each region of a program were read. */
struct known_spans {
    uint32_t number; /* of the program */
    uint64_t *records;
    uint32_t n;
};

struct live_calls { /* zeroed: empty */
    struct call_tally tally;
    struct syscall_recent *waiting;
    struct syscall_recent *last; /* the last calls; NULL: none */
    uint64_t trace, begin_ns;    /* trace 0: none has begun */
    uint64_t dropped;
    struct known_spans *known;
    size_t nknown, known_cap;
};

/* Takes new calls and counts those whose span is known. Poll the programs before. */
void live_calls_poll(struct live_calls *l, struct call_feed *feed, const struct programs *p);
/* Gives the tree its calls, if there was a trace. nodes: for each program its node in the tree. */
void live_calls_give(const struct live_calls *l, const struct programs *p, const uint32_t *nodes,
                     struct graph *tree);
void live_calls_free(struct live_calls *l);

/* What the files of the reader share. */

/* A region: how its nodes map to those of the program, and the values that were last read. */
struct thread_region {
    uint64_t at; /* offset; 0: not known yet */
    struct brick_thread thread;
    uint32_t *node; /* for each node of the region, the node of the program */
    uint64_t *version;
    struct brick_sums *sums;
    struct brick_counts *counts; /* NULL: nothing was counted so far */
    uint32_t nnodes, ncounts;    /* ncounts: entries of counts */
    uint64_t head;               /* records read so far */
    uint64_t lost_until;         /* ns: the newest end of its overwritten spans */
};

struct brick_reader {
    int fd;
    char *path;
    uint64_t size;
    struct brick_header header;
    struct brick_what *whats;
    uint32_t nwhats;
    struct arena texts;
    struct thread_region *regions;
    struct brick_thread_info *threads;
    uint32_t nregions;
    uint32_t region_nodes; /* number of nodes of all regions */
    struct brick_node *nodes;
    uint32_t nnodes, nodes_cap;
    struct brick_counts *counts; /* for each node; NULL: none so far */
    uint32_t ncounts;
    struct brick_counter counters[BRICK_COUNTERS];
    uint32_t ncounters;
    struct ids children; /* by parent and description */
    struct brick_event *events;
    size_t nevents, events_cap, nold; /* nold: number of those read before the last poll */
    uint64_t missed;
    bool polled; /* recent counts were shown and begin at 0 again */
};

/* Says that the file is damaged at this byte; returns -EINVAL. */
int brick_reader_damaged(const struct brick_reader *r, struct error *err, uint64_t at,
                         const char *why);
/* Copies bytes of the file; false if it does not have them. */
bool brick_reader_get(const struct brick_reader *r, uint64_t at, void *to, size_t size);
/* Copies a text of the table of strings and makes it printable; it lives as long as the reader. */
const char *brick_reader_text(struct brick_reader *r, const char *strings, uint32_t at);

/* --- reader_counts.c --- */
/* Reads, once, which events are counted: the program writes them before its first node. */
int brick_reader_read_counters(struct brick_reader *r, struct error *err);
/* Adds to a node of the program the counts since the last look at a region's node. */
void brick_reader_add_counts(struct brick_reader *r, uint32_t node, const struct brick_counts *now,
                             const struct brick_counts *before);

/* How much of the time several threads of instrumented programs worked in parallel
 * (roofline_share.h). */
struct brick_share_of {
    const struct brick_reader *reader;
    uint32_t program; /* its node, from brick_graph_sums */
};
enum { BRICK_SHARE_LIVE = 1 << 15 }; /* spans that are used live: some milliseconds */
/* Uses the newest spans, at most `most`. */
void brick_share(struct graph *sums, const struct brick_share_of *of, size_t n, size_t most);

/* Tells a stream which spans have ended since the last look at a program. */

/* Call it after each poll of the programs, once. command: pid of the command that rooftop started,
 * or 0. */
void programs_tell(struct programs *p, struct brick_stream *to, pid_t command);

/* The last complete pass of a program: what bricks.window shows, with its critical path. */

/* Finds the newest outermost span that has ended and whose contents are all still known; false if
 * there is none. Times in ns of CLOCK_MONOTONIC. */
struct brick_pass {
    uint64_t start, end;
    uint32_t node; /* node of the reader; BRICK_NONE: a sequence of outermost spans */
};
bool brick_pass_find(const struct brick_reader *r, struct brick_pass *out);

/* base: the program's node in the graph of sums. Texts and arrays go into memory. */
void brick_window_fill(struct brick_window *out, struct arena *memory, const struct brick_reader *r,
                       const struct brick_pass *pass, const char *program, int64_t pid,
                       uint32_t base);
