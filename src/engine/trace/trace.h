/*
 * A trace: the execution graphs of recorded files, in one form for all tools that write such files.
 * A reader is one folder under backends/ and a READER in capabilities.def.
 */
#pragma once

#include "base/error.h"
#include "engine/code/gpu_words.h"
#include "engine/graph/graph.h"
#include "engine/mpi/mpi.h"

/* Stands for integers that a profile lacks; unknown real numbers are NAN. */
#define TRACE_UNKNOWN UINT32_MAX

/* A processor that ran kernels or copies. Texts are names of the trace's graph of calls. */
struct trace_agent {
    uint32_t name;   /* of its architecture: "gfx942", "sm_90"; GRAPH_NONE unknown */
    uint32_t model;  /* "AMD Instinct MI300X", "NVIDIA H200"; GRAPH_NONE unknown */
    uint32_t host;   /* name of its machine; GRAPH_NONE unknown */
    uint32_t number; /* the profiler's number for it */
    bool gpu;
    uint32_t units;        /* compute units, SMs; TRACE_UNKNOWN */
    uint32_t clock_mhz;    /* highest; TRACE_UNKNOWN */
    uint64_t memory_bytes; /* 0 unknown */
};

/* What a profiler knows about one dispatch of a kernel, apart from its times, name and shape. */
struct trace_dispatch {
    uint32_t node;                      /* in calls; a NODE_KERNEL */
    uint32_t agent;                     /* index into agents; TRACE_UNKNOWN */
    uint64_t id;                        /* the profiler's number of the dispatch */
    uint32_t vgprs, accum_vgprs, sgprs; /* registers of a work-item / wave; TRACE_UNKNOWN */
    uint32_t lds_bytes, scratch_bytes;  /* of a workgroup / work-item; TRACE_UNKNOWN */
};

/* A counter of one dispatch, summed over its instances (channels, engines). */
struct trace_counter {
    uint32_t node; /* in calls */
    uint32_t name; /* of the graph of calls */
    double value;
};

/* What a profile says about one collective. */
struct trace_collective {
    uint32_t node;     /* in calls */
    uint32_t ranks;    /* number of ranks that take part, or TRACE_UNKNOWN */
    uint32_t group;    /* name of the ranks' group in the graph of calls, or GRAPH_NONE */
    uint64_t bytes;    /* of the message: the larger of a rank's input and output; 0 unknown */
    uint64_t sequence; /* its number in the group, equal in all ranks, or GRAPH_UNKNOWN */
    uint8_t op;        /* enum collective_op */
};

/* The maxima, in bytes, of what a device's allocator had handed out and had reserved in one file.
 * They may be of different moments. */
struct trace_peak {
    uint32_t file, device; /* index into files, 0 if there are none; the device's number */
    uint64_t allocated, reserved;
};

/* The phases of opening a profile. */
enum trace_phase { TRACE_READING, TRACE_ORDERING, TRACE_SUMMING, TRACE_PATH, TRACE_PHASES };
/* What a file says about its clock; texts are names of the graph of calls. */
struct trace_clock {
    uint32_t host;    /* the machine; GRAPH_NONE unknown */
    uint32_t rank;    /* of the job; GRAPH_NONE unknown */
    uint32_t name;    /* of the clock: files with the same name share it; GRAPH_NONE unnamed */
    uint64_t unix_ns; /* time of day when the clock was 0, or GRAPH_UNKNOWN */
    uint32_t ranks;   /* of the job; 0 unknown */
};
/* How a file's times were moved to the common clock: trace_align.h. */
enum trace_how {
    TRACE_FIRST,
    TRACE_SAME_CLOCK,
    TRACE_MESSAGES,
    TRACE_TIME_OF_DAY,
    TRACE_COLLECTIVES,
    TRACE_CLOSE,
    TRACE_BEGINS
};

/* A file, or several with one clock (the CSV files of a run; path is then what their names begin
 * with). */
struct trace_file {
    char *path;
    char *label; /* "node7, rank 3", or the file's name; NULL if it is the only file */
    struct trace_clock clock;
    uint32_t from, to;       /* its nodes in calls */
    int64_t offset_ns;       /* added to its times */
    uint64_t uncertainty_ns; /* of the offset, or GRAPH_UNKNOWN */
    uint32_t matched;        /* number of collectives that the other files have too */
    uint8_t how;             /* enum trace_how */
    bool linked, sums;       /* copied from its reader_ops */
};

struct syscalls_snapshot;
struct hot_profile;
struct trace {
    struct graph *sums;  /* each place of the tree once */
    struct graph *calls; /* each known span: program -> threads, queues -> spans */
    uint32_t *place;     /* of each call, its node in sums, or GRAPH_NONE */
    uint64_t spans;      /* number of recorded spans */
    uint64_t lost;       /* number of those that are kept only in sums */
    uint64_t folded;     /* of the lost: kept as sums by name to save memory (trace_fold) */
    uint64_t so_far;     /* spans read so far of the current file, for an estimate; 0 unknown */
    uint64_t expected;   /* spans that the current file says it holds; 0 unknown */
    uint64_t dropped;    /* spans without room, or without a time */
    struct trace_agent *agents;
    struct trace_counter *counters;       /* by node, then name, after trace_open; none twice */
    struct trace_collective *collectives; /* those of which the file says more, by node */
    uint32_t ncollectives;
    struct mpi_call *mpi; /* calls of MPI, in order of reading; rank is the index of the file */
    size_t nmpi;
    struct trace_peak *peaks; /* in order of reading; none in a trace that a window cut out */
    uint32_t npeaks;
    struct trace_file *files;                 /* in the order they were read */
    uint32_t nagents, ndispatches, ncounters; /* for dispatches see trace_dispatch_at */
    uint32_t nfiles;
    char *roofs; /* path of a roofline.csv (roofs_csv.h) beside the files, or NULL */
    const struct window *wanted; /* the part that trace_open shall keep (window.h); NULL: all */
    const char *wanted_value; /* of a file of samples with several values; NULL: its own choice */
    struct window_spans *window; /* the part that this trace holds, by its own nodes; NULL: all */
    char **notes;                /* messages: what could not be read or joined */
    uint32_t nnotes;
    struct briefs *briefs;              /* short names of its kernels (kernel_brief.h) */
    struct syscalls_snapshot *syscalls; /* of a saved trace of system calls; else NULL */
    struct hot_profile *samples;        /* of a file of a CPU profiler (hot_profile.h); else NULL */
    struct trace_private *priv;
    enum trace_phase phase;     /* the current phase of opening, for `watch` */
    uint32_t at_file, of_files; /* the file being read, and their number */
    /* Called regularly by trace_progress. It returns false if the user cancelled. May be NULL. */
    bool (*watch)(void *ctx, const char *path, uint64_t done, uint64_t total);
    void *watch_ctx;
};

/* Dispatch i < ndispatches, in order of node; valid after trace_open. */
struct trace_dispatch trace_dispatch_at(const struct trace *t, uint32_t i);
uint32_t trace_dispatch_node(const struct trace *t, uint32_t i);
/* A number that is equal for dispatches which differ only in node and id. */
uint32_t trace_dispatch_launch(const struct trace *t, uint32_t i);
/* Finds the dispatch of a node of calls; false if the node has none. */
bool trace_dispatch_of(const struct trace *t, uint32_t node, struct trace_dispatch *out);

/* The vendor's words for a GPU's work. agent: index into agents or TRACE_UNKNOWN. t may be NULL. */
const struct gpu_words *trace_words(const struct trace *t, uint32_t agent);
/* The words for all GPUs of t; neutral ones if the vendors differ or are unknown. */
const struct gpu_words *trace_words_all(const struct trace *t);
/* The name of a program, with its number if another program has the same name. Into out. */
void trace_program_name(const struct trace *t, uint32_t program, char *out, size_t size);

/* For readers. Adds an agent and returns its index; equal number and host give the same index. */
uint32_t trace_add_agent(struct trace *t, const struct trace_agent *a);
/* Adds a dispatch. Returns its launch, the number of the properties that it shares with others, for
 * trace_add_like. */
uint32_t trace_add_dispatch(struct trace *t, const struct trace_dispatch *d);
void trace_add_like(struct trace *t, uint32_t node, uint64_t id, uint32_t launch);
/* Values of the same counter of a node are added, so a reader may call it once for each instance.
 */
void trace_add_counter(struct trace *t, uint32_t node, const char *name, double value);
void trace_add_collective(struct trace *t, const struct trace_collective *c); /* by node */
/* What the files say of a node's collective; NULL if nothing. */
const struct trace_collective *trace_collective_of(const struct trace *t, uint32_t node);
void trace_add_mpi(struct trace *t, const struct mpi_call *c); /* of the file being read */
void trace_note(struct trace *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports progress: done of total, in any unit; total 0 = unknown. -ECANCELED with err if the user
 * cancelled or the thread's watch says stop (base/watch.h); the reader then returns it. It is
 * cheap: call it every few thousand rows. */
int trace_progress(struct trace *t, const char *path, uint64_t done, uint64_t total,
                   struct error *err);
/* Enters a phase. Returns as trace_progress does. */
int trace_begin(struct trace *t, enum trace_phase phase, const char *path, struct error *err);
const char *trace_phase_name(enum trace_phase phase); /* "reading"… */
/* The share of opening that is done, 0 to 1, after done of total of the current file. The phases
 * are weighted by the time that each takes for a large rocpd file (bench/profiles.c). */
double trace_share(const struct trace *t, uint64_t done, uint64_t total);
/* The file that a node of calls is from; NULL if there is only one file. */
const struct trace_file *trace_file_of(const struct trace *t, uint32_t node);
/* Begins a new part with a clock of its own, within the file being read. */
void trace_part(struct trace *t, const char *path);
/* Sets the clock of the file or part being read; of several calls the first one counts. */
void trace_tell_clock(struct trace *t, const struct trace_clock *c);
/* Reports what a device's allocator had handed out and reserved at some moment of the file, in
 * bytes. */
void trace_tell_memory(struct trace *t, uint32_t device, uint64_t allocated, uint64_t reserved);
/* Gives the reader the pipe that is being opened; false if it is a file (trace_stream.h). */
struct trace_stream;
bool trace_take_stream(struct trace *t, struct trace_stream *out);
/* The sum of calls of one name in one lane that are no longer known one by one. */
struct trace_folded {
    uint32_t lane, name; /* node of calls, or GRAPH_NONE; name of the graph of calls */
    enum node_kind kind;
    uint64_t count, total, min, max; /* ns */
    double sum_squares;
};
/* How many more spans fit into the memory limit, at least a few (base/memory.h). */
uint64_t trace_memory_left(struct trace *t);
/* -ENOMEM with err if there is no room for n spans. */
int trace_check_memory(struct trace *t, uint64_t n, const char *path, struct error *err);
/* Adds calls to the sums only, below their lane, under TRACE_FOLDED. A reader that runs out of room
 * folds its shortest spans. */
#define TRACE_FOLDED "(short spans, by name)"
void trace_fold(struct trace *t, const struct trace_folded *f);
/* Estimates the spans of the whole file and the bytes of memory they take, from what the file said
 * or from what was read so far. false if it is too early. */
bool trace_estimate(const struct trace *t, uint64_t done, uint64_t total, uint64_t *spans,
                    uint64_t *bytes);
struct reader_ops;
/* For readers that fill both graphs: says which node of sums a node of calls belongs to. */
void trace_set_place(struct trace *t, uint32_t node, uint32_t place);
/* A pointer that a reader keeps from one file of a trace to the next; NULL at first. The returned
 * address is valid until the next call. */
void **trace_state(struct trace *t, const struct reader_ops *reader);

/* The code of a kernel. */
struct trace_code {
    char *bytes; /* size bytes and a NUL; "" if only the path is known */
    size_t size;
    const char *kind;  /* "PTX", "HSACO", "SPIR-V", "host code" */
    char path[256];    /* where the code is from; "" unknown */
    char program[256]; /* the program's file, which has the host code; "" unknown */
};
/* An entry of a file's list of codes, without the bytes. */
struct trace_code_row {
    uint64_t hash;
    const char *kind;
    char name[256], path[256]; /* "" unknown */
    size_t size;               /* 0: only the path is known */
};
struct reader_ops {
    const char *name;    /* "bricks" */
    const char *summary; /* "what programs with librooftop record"; "": not listed for users */
    /* Whether the file is of this format, by its first bytes. Formats that begin alike look further
     * into the file. */
    bool (*recognise)(const char *path, const unsigned char *head, size_t size);
    /* Whether a folder as a whole is of this format; NULL if the format is a file. */
    bool (*folder)(const char *path);
    bool streams; /* read uses trace_stream.h, and recognise looks only at the bytes it is given */
    bool sums;    /* read fills both graphs; otherwise the sums are made from the calls */
    bool linked;  /* read adds the sequence edges; otherwise they are found from the times */
    bool ranks;   /* such files have what ranks did together only: report ranks answers */
    bool samples; /* such files have samples of a CPU profiler only: no calls, no times of spans */
    /* Adds the file's content to t, after the nodes of earlier files. */
    int (*read)(const char *path, struct trace *t, struct error *err);
    /* For formats that need all files before they can make the graph; else NULL. Called once after
     * the last file if read left something in its trace_state; it frees that. ok false: reading
     * failed, so it only frees. */
    int (*finish)(struct trace *t, bool ok, struct error *err);
    /* Like trace_code; NULL if such files hold no code. */
    int (*code)(struct trace_code *out, const char *path, uint64_t hash, struct error *err);
    /* Like trace_codes; NULL if code is NULL. */
    int (*codes)(struct trace_code_row **out, uint32_t *n, const char *path, struct error *err);
};
extern const struct reader_ops *const readers[]; /* capabilities.def; NULL-terminated */

/* Reads the code of the kernel with this hash from the recording of its program. 0 or -errno with
 * err. Free with trace_code_free. */
int trace_code(struct trace_code *out, const char *path, uint64_t hash, struct error *err);
void trace_code_free(struct trace_code *c);
/* Lists all codes of a file, in the file's order; the caller frees *out. */
int trace_codes(struct trace_code_row **out, uint32_t *n, const char *path, struct error *err);

/* Whether path is a folder that readers can take, as a whole or in part: trace_folder.h. */
bool trace_folder(const char *path);
/* The reader that recognises the file; NULL with err if there is none or the file is unreadable. */
const struct reader_ops *trace_reader(const char *path, struct error *err);
/* Reads n paths into one trace and finishes its graphs. *out must be zeroed except for watch,
 * watch_ctx and wanted. 0 or -errno with err. Call trace_free in either case. */
int trace_open(struct trace *out, const char *const *paths, size_t n, struct error *err);
void trace_free(struct trace *t);
/* Index of the node's first counter, or of the next node's that has counters. */
uint32_t trace_first_counter(const struct trace *t, uint32_t node);
