/* What the files of backends/nsys share among themselves. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "backends/common/sqlite_file.h"
#include "base/arena.h"
#include "base/ids.h"
#include "engine/trace/trace_short.h"

/* Reads the SQLite export of Nsight Systems: small tables with names (tables.c), GPUs and streams
 * (gpus.c), spans on the host (host.c) and on the GPUs (device.c). Times are in ns, as in the file.
 * Facts about the format and their sources: docs/PROFILES.md. */

/* A globalTid: hardware 8 bits, virtual machine 8, process 24, thread 24. A globalPid has zeros for
 * the thread. */
static inline uint64_t nsys_process_bits(uint64_t id)
{
    return id & ~UINT64_C(0xffffff);
}
static inline uint32_t nsys_pid(uint64_t id)
{
    return (uint32_t)(id >> 24 & 0xffffff);
}
static inline uint32_t nsys_tid(uint64_t id)
{
    return (uint32_t)(id & 0xffffff);
}
static inline uint32_t nsys_machine(uint64_t id) /* hardware and virtual machine */
{
    return (uint32_t)(id >> 48);
}

struct nsys_string {
    const char *text;
    uint32_t name;     /* in the graph; GRAPH_NONE: not added yet */
    uint32_t function; /* the same without the API version: cudaMalloc_v3020 */
};

struct nsys_process {
    uint64_t id;   /* globalPid; 0: not in the file */
    uint32_t name; /* GRAPH_NONE: unknown */
    uint32_t node; /* GRAPH_NONE: no spans so far */
};

struct nsys_thread {
    uint64_t id; /* globalTid */
    uint32_t name, node;
    uint32_t process;
};

struct nsys_gpu {
    int64_t id, cuda_device; /* -1: unknown */
    uint32_t machine;
    struct trace_agent agent;
};

/* A device of a process, with the process's number for it. */
struct nsys_device {
    uint32_t agent;  /* in the trace */
    uint32_t number; /* the number that the user knows; IDS_NONE: unknown */
    bool several;    /* the process has several contexts: names of queues include them */
    uint32_t first_context;
    uint32_t process;
};

/* The queue of a stream, and the process of its work. */
struct nsys_lane {
    uint32_t node, agent, process;
    uint32_t device, context, stream; /* numbers that the process uses */
};

enum {
    NSYS_COPY_KINDS = 16,
    NSYS_MEMORY_KINDS = 8,
    NSYS_MAX_GPUS = 1024 /* searched linearly */
};

struct nsys {
    struct sqlite_file file;
    struct trace *t;
    struct graph *g; /* t->calls */
    struct arena memory;
    struct ids strings_by_id, processes_by_id, threads_by_id;
    struct nsys_string *strings;
    struct nsys_process *processes;
    struct nsys_thread *threads;
    uint32_t nstrings, nprocesses, nthreads;
    uint32_t strings_cap, processes_cap, threads_cap;
    int64_t push_pop[2], start_end[2], domain_create;
    uint32_t copy_kind[NSYS_COPY_KINDS], memory_kind[NSYS_MEMORY_KINDS]; /* names */
    uint32_t first_host;                                                 /* a name; GRAPH_NONE */
    struct ids hosts; /* by nsys_machine: names */
    /* used by gpus.c: */
    struct nsys_gpu *gpus;
    struct nsys_device *devices;
    uint32_t *queues; /* nodes */
    uint32_t ngpus, ndevices, nqueues;
    uint32_t gpus_cap, devices_cap, queues_cap;
    struct ids gpu_of_device; /* by pid and CUDA's number: the id of the GPU */
    struct ids contexts, several;
    struct ids devices_by_id, contexts_by_id, queues_by_id;
    struct nsys_lane last;      /* the lane used last; node GRAPH_NONE: none */
    uint32_t only_process;      /* the process of work without a process */
    struct trace_cut cut;       /* length below which spans are not kept */
    struct trace_shorts shorts; /* sums of these spans, by the node of the lane */
    /* by process and correlation, which is unique only in a process: the node of the call */
    struct ids calls;
};

static inline uint64_t nsys_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* --- tables.c --- */
int nsys_read_names(struct nsys *n);
/* The name in a column that refers to StringIds, or holds the text itself; GRAPH_NONE: unknown. */
uint32_t nsys_name(struct nsys *n, const struct sqlite_rows *r, int column);
uint32_t nsys_function_name(struct nsys *n, const struct sqlite_rows *r, int column);
/* Find or add a process or thread and return its index; id 0: unknown. */
uint32_t nsys_process(struct nsys *n, uint64_t id);
uint32_t nsys_thread(struct nsys *n, uint64_t id);
/* Return nodes, made on first use; GRAPH_NONE: the graph is full. */
uint32_t nsys_process_node(struct nsys *n, uint32_t process);
uint32_t nsys_thread_node(struct nsys *n, uint32_t thread);
/* Reads the times of a row. False: one is missing or invalid, or both are 0, which CUPTI writes for
 * unknown times; the row is counted as dropped. */
bool nsys_times(struct nsys *n, const struct sqlite_rows *r, int start, int end, uint64_t out[2]);
/* Adds a span that is too short to keep to its sum. Returns whether it did. lane: a node or
 * GRAPH_NONE. */
bool nsys_short(struct nsys *n, uint32_t lane, uint32_t name, enum node_kind kind,
                const uint64_t time[2]);

/* --- gpus.c --- */
int nsys_read_gpus(struct nsys *n);
/* The queue of a stream, made on first use. Unknown numbers are IDS_NONE. */
struct nsys_lane nsys_queue(struct nsys *n, uint32_t process, uint32_t device, uint32_t context,
                            uint32_t stream);

/* --- clock.c --- */
int nsys_read_clock(struct nsys *n); /* after the names */

/* --- host.c, device.c --- */
int nsys_read_host(struct nsys *n);
int nsys_read_device(struct nsys *n); /* after the host, whose calls it links */

/* The spans of the host's threads, in nesting order. */

enum span_kind {
    SPAN_CALL,  /* a call of CUDA */
    SPAN_OS,    /* a call of a system library */
    SPAN_RANGE, /* pushed and popped: always nested */
    SPAN_LOOSE  /* started and ended anywhere: may overlap other spans */
};

struct nsys_span {
    uint64_t start, end;
    uint32_t thread, name;
    uint32_t link; /* a call's correlation, or a range's domain; 0: none */
    uint8_t kind;
    uint8_t failed;
};

struct span_list {
    struct nsys_span *list;
    size_t n, cap;
};

void nsys_spans_add(struct span_list *s, const struct nsys_span *span);
/* Sorts by the index of the thread in "order" (nthreads), then by start, longer spans before those
 * inside them. Stable. O(n log n); one pass if the list is already sorted. */
void nsys_spans_sort(struct span_list *s, const uint32_t *order, uint32_t nthreads);
void nsys_spans_free(struct span_list *s);
