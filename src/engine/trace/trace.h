/*
 * What a recorded file holds: execution graphs, whatever wrote it. A reader is one folder under
 * backends/ and one line in backends/readers.c.
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_H
#define ROOFTOP_ENGINE_TRACE_TRACE_H

#include "base/error.h"
#include "engine/code/gpu_words.h"
#include "engine/graph/graph.h"

/* Numbers that a profile may lack: UINT32_MAX, and NAN for reals. */
#define TRACE_UNKNOWN UINT32_MAX

/* A processor that ran kernels, or copied. Texts are names of the trace's graph of calls. */
struct trace_agent {
    uint32_t name;   /* of its architecture: "gfx942", "sm_90"; GRAPH_NONE unknown */
    uint32_t model;  /* "AMD Instinct MI300X", "NVIDIA H200"; GRAPH_NONE unknown */
    uint32_t host;   /* the machine it is in; GRAPH_NONE unknown */
    uint32_t number; /* as the profiler counts it */
    bool gpu;
    uint32_t units;        /* compute units, SMs; TRACE_UNKNOWN */
    uint32_t clock_mhz;    /* highest; TRACE_UNKNOWN */
    uint64_t memory_bytes; /* 0 unknown */
};

/* What a profiler knows of one dispatch of a kernel beside its times, name and shape. */
struct trace_dispatch {
    uint32_t node;                      /* of calls, NODE_KERNEL */
    uint32_t agent;                     /* index into agents; TRACE_UNKNOWN */
    uint64_t id;                        /* the profiler's number of the dispatch */
    uint32_t vgprs, accum_vgprs, sgprs; /* registers of a work-item / wave; TRACE_UNKNOWN */
    uint32_t lds_bytes, scratch_bytes;  /* of a workgroup / work-item; TRACE_UNKNOWN */
};

/* A counter of one dispatch, summed over its instances (channels, engines). */
struct trace_counter {
    uint32_t node; /* of calls */
    uint32_t name; /* of calls */
    double value;
};

/* What a profile tells of one collective. */
struct trace_collective {
    uint32_t node;  /* of calls */
    uint32_t ranks; /* that take part; TRACE_UNKNOWN */
    uint64_t bytes; /* of the message: the larger of what goes in and comes out of a rank */
    uint8_t op;     /* enum collective_op */
};

/* The most that a device's allocator had handed out, and had taken, in one file: each a maximum of
 * its own, in bytes. */
struct trace_peak {
    uint32_t file, device; /* index into files, 0 where there are none; the device's number */
    uint64_t allocated, reserved;
};

/* What opening a profile goes through. */
enum trace_phase { TRACE_READING, TRACE_ORDERING, TRACE_SUMMING, TRACE_PATH, TRACE_PHASES };
/* What a file tells of its clock; texts are names of the graph of calls. */
struct trace_clock {
    uint32_t host;    /* the machine; GRAPH_NONE unknown */
    uint32_t rank;    /* of the job; GRAPH_NONE unknown */
    uint32_t name;    /* files with the same one share a clock; GRAPH_NONE: it has none */
    uint64_t unix_ns; /* time of day at its 0; GRAPH_UNKNOWN */
};
/* How the clock of a file became that of all: trace_align.h. */
enum trace_how {
    TRACE_FIRST,
    TRACE_SAME_CLOCK,
    TRACE_TIME_OF_DAY,
    TRACE_COLLECTIVES,
    TRACE_CLOSE,
    TRACE_BEGINS
};

/* A file, or what else has a clock of its own (the CSV files of a run: the begin of their names).
 */
struct trace_file {
    char *path;
    char *label; /* "node7, rank 3", or the file's name; NULL where it is alone */
    struct trace_clock clock;
    uint32_t from, to;       /* its nodes of calls */
    int64_t offset_ns;       /* was added to its times */
    uint64_t uncertainty_ns; /* of that; GRAPH_UNKNOWN: nobody can say */
    uint32_t matched;        /* collectives that the others have too */
    uint8_t how;             /* enum trace_how */
    bool linked, sums;       /* as its reader says */
};

struct trace {
    struct graph *sums;  /* every place of the tree once */
    struct graph *calls; /* every span that is still known: program -> threads, queues -> spans */
    uint32_t *place;     /* of each call in sums; GRAPH_NONE unknown */
    uint64_t spans;      /* recorded in all */
    uint64_t lost;       /* of those, no longer known one by one */
    uint64_t folded;     /* of those, in sums by name for want of memory: trace_fold */
    uint64_t so_far;     /* while a file is read: of it, for an estimate; 0 unknown */
    uint64_t expected;   /* the same: that it told it holds, before they are read; 0 unknown */
    uint64_t dropped;    /* that found no room, or that the file tells no time of */
    struct trace_agent *agents;
    struct trace_counter *counters;       /* by node, then name, after trace_open; none twice */
    struct trace_collective *collectives; /* by node: those whose size is known */
    uint32_t ncollectives;
    struct trace_peak *peaks; /* as they came; none in a part that a window cut out */
    uint32_t npeaks;
    struct trace_file *files;                 /* in the order they were read */
    uint32_t nagents, ndispatches, ncounters; /* dispatches: trace_dispatch_at */
    uint32_t nfiles;
    char *roofs;                 /* a roofline.csv (roofs_csv.h) that lies beside the files; NULL */
    const struct window *wanted; /* the part that trace_open is to leave (window.h); NULL: all */
    struct window_spans *window; /* the part that this is, in its own nodes; NULL: all */
    char **notes;                /* for people: what of the files could not be joined */
    uint32_t nnotes;
    struct briefs *briefs; /* its kernels' names, to be read (kernel_brief.h) */
    struct trace_private *priv;
    enum trace_phase phase;     /* of opening, for whoever watches */
    uint32_t at_file, of_files; /* the one that is read, of so many */
    /* Called now and then by trace_progress; false: the user gave up. NULL = nobody watches. */
    bool (*watch)(void *ctx, const char *path, uint64_t done, uint64_t total);
    void *watch_ctx;
};

/* By node, after trace_open; i < ndispatches. */
struct trace_dispatch trace_dispatch_at(const struct trace *t, uint32_t i);
uint32_t trace_dispatch_node(const struct trace *t, uint32_t i);
/* A number that those have in common that differ in node and id alone, at most. */
uint32_t trace_dispatch_launch(const struct trace *t, uint32_t i);
/* The dispatch of a node of calls; false: it is none. */
bool trace_dispatch_of(const struct trace *t, uint32_t node, struct trace_dispatch *out);

/* In which a GPU's work is spoken of; agent: index into agents, TRACE_UNKNOWN. t: NULL too. */
const struct gpu_words *trace_words(const struct trace *t, uint32_t agent);
/* The words of all its GPUs; those of no vendor where they differ, or none is told. */
const struct gpu_words *trace_words_all(const struct trace *t);
/* The name of a program, with its number where another one is called the same. */
void trace_program_name(const struct trace *t, uint32_t program, char *out, size_t size);

/* For readers. The index of the new agent; the same number and host twice give the same one. */
uint32_t trace_add_agent(struct trace *t, const struct trace_agent *a);
/* Its launch: what it has in common with others, for trace_add_like. */
uint32_t trace_add_dispatch(struct trace *t, const struct trace_dispatch *d);
void trace_add_like(struct trace *t, uint32_t node, uint64_t id, uint32_t launch);
/* Values of the same counter of a node add up: once for every instance is fine. */
void trace_add_counter(struct trace *t, uint32_t node, const char *name, double value);
void trace_add_collective(struct trace *t, const struct trace_collective *c); /* by node */
void trace_note(struct trace *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* done of total (any unit; total 0 = unknown). -ECANCELED with err where the user gave up, or
 * nobody wants it any more (base/watch.h): the reader returns it. Cheap: call it every few thousand
 * rows.
 */
int trace_progress(struct trace *t, const char *path, uint64_t done, uint64_t total,
                   struct error *err);
/* Goes on to a phase. As trace_progress. */
int trace_begin(struct trace *t, enum trace_phase phase, const char *path, struct error *err);
const char *trace_phase_name(enum trace_phase phase); /* "reading"… */
/* How much of opening is behind, 0 to 1, when done of total of the file are: each phase by what it
 * takes of the whole for a large rocpd file (bench/profiles.c). */
double trace_share(const struct trace *t, uint64_t done, uint64_t total);
/* The file a node of calls is from; NULL where there is but one. */
const struct trace_file *trace_file_of(const struct trace *t, uint32_t node);
/* What follows has a clock of its own; of a file that is read this is so already. */
void trace_part(struct trace *t, const char *path);
/* Of the file, or part, that is being read: what is told first holds. */
void trace_tell_clock(struct trace *t, const struct trace_clock *c);
/* What the allocator of a device had, at some moment of the file that is being read. */
void trace_tell_memory(struct trace *t, uint32_t device, uint64_t allocated, uint64_t reserved);
/* The pipe that is being opened, taken by its reader; false: it is a file (trace_stream.h). */
struct trace_stream;
bool trace_take_stream(struct trace *t, struct trace_stream *out);
/* Calls of one name in one lane that are no longer known one by one. */
struct trace_folded {
    uint32_t lane, name; /* a node of calls, GRAPH_NONE none; of the graph of calls */
    enum node_kind kind;
    uint64_t count, total, min, max; /* ns */
    double sum_squares;
};
/* How many spans the limit of memory leaves room for, at least a few (base/memory.h). */
uint64_t trace_room(struct trace *t);
/* -ENOMEM with err where there is no room for n spans. */
int trace_check_room(struct trace *t, uint64_t n, const char *path, struct error *err);
/* They appear in the sums, below their lane, under TRACE_FOLDED. A reader that has no room for more
 * gives the shortest. */
#define TRACE_FOLDED "(short spans, by name)"
void trace_fold(struct trace *t, const struct trace_folded *f);
/* What opening takes in all, as the file told or from what was read so far: spans and bytes; false:
 * too early to tell. */
bool trace_estimate(const struct trace *t, uint64_t done, uint64_t total, uint64_t *spans,
                    uint64_t *bytes);
struct reader_ops;
/* A reader's own, from one file of a trace to the next: NULL until it puts something there. The
 * place is valid until the next call. */
void **trace_state(struct trace *t, const struct reader_ops *reader);

/* What a kernel was made from. */
struct trace_code {
    char *bytes; /* size of them, and a NUL; "" where only the path is known */
    size_t size;
    const char *kind;  /* "PTX", "HSACO", "SPIR-V", "host code" */
    char path[256];    /* where it is from; "" unknown */
    char program[256]; /* the file of its program: host code lies in it; "" unknown */
};
/* One that is kept, without its bytes. */
struct trace_code_row {
    uint64_t hash;
    const char *kind;
    char name[256], path[256]; /* "" unknown */
    size_t size;               /* 0: only the path is known */
};
struct reader_ops {
    const char *name;    /* "bricks" */
    const char *summary; /* "what programs with librooftop record"; "" not to be told */
    /* From the first bytes of a file; several formats may share those: then it looks inside. */
    bool (*recognise)(const char *path, const unsigned char *head, size_t size);
    /* NULL, or for formats that are folders, as a whole. */
    bool (*folder)(const char *path);
    bool streams; /* read takes it through trace_stream.h; recognise looks at nothing but the bytes
                   */
    bool sums;    /* read fills both graphs; else the sums are made from the calls */
    bool linked; /* read tells what ran after what in one lane; else that is found from the times */
    /* Adds what the file holds: nodes after those that are there already, of other files. */
    int (*read)(const char *path, struct trace *t, struct error *err);
    /* NULL, or for formats whose files must be known all before the graph is made: called after the
     * last file, once, where read left something in its trace_state; frees that. ok false: reading
     * failed, nothing else is wanted. */
    int (*finish)(struct trace *t, bool ok, struct error *err);
    /* As trace_code; NULL: such files hold no code. */
    int (*code)(struct trace_code *out, const char *path, uint64_t hash, struct error *err);
    /* As trace_codes; NULL with code. */
    int (*codes)(struct trace_code_row **out, uint32_t *n, const char *path, struct error *err);
};
extern const struct reader_ops *const readers[]; /* backends/readers.c; NULL-terminated */

/* Of the kernel with this hash, from the file its program records in. */
int trace_code(struct trace_code *out, const char *path, uint64_t hash, struct error *err);
void trace_code_free(struct trace_code *c);
/* All that a file keeps, in the order of the file; the caller frees *out. */
int trace_codes(struct trace_code_row **out, uint32_t *n, const char *path, struct error *err);

/* Whether it is a folder that some reader takes, or files in it: trace_folder.h. */
bool trace_folder(const char *path);
/* The reader that recognises the file; NULL with err where none does, or it cannot be read. */
const struct reader_ops *trace_reader(const char *path, struct error *err);
/* Reads all of them into one trace, zeroed but for its watch and what is wanted of it; the graphs
 * are finished. Free it after either outcome. */
int trace_open(struct trace *out, const char *const *paths, size_t n, struct error *err);
void trace_free(struct trace *t);
/* Where the counters of a node begin, or of the next node that has some: they are in its order. */
uint32_t trace_first_counter(const struct trace *t, uint32_t node);

#endif
