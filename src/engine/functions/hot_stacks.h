/*
 * Where CPU time went in one interval: sampled call stacks folded into a tree, with the symbol of
 * each frame. The "sampler" source makes it. It is part of a snapshot and lives as long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum callgraph { CALLGRAPH_FP, CALLGRAPH_DWARF, CALLGRAPH_NONE };

/* What the user asks of the sampler. */
struct sampling {
    bool on;
    double hz;         /* samples a second on each CPU; 0 = SAMPLING_HZ */
    uint8_t callgraph; /* enum callgraph */
    bool patient;      /* a poll waits until all symbols have names; for use without a screen */
};
enum { SAMPLING_HZ = 997 }; /* a prime: never in step with what it samples */

enum hot_where {
    HOT_USER,
    HOT_KERNEL,
    HOT_JIT, /* named by a perf-<pid>.map */
    HOT_VDSO,
    HOT_UNKNOWN, /* no file or no symbol: the name is the address */
};

/* A function, or one inlined into another. */
struct hot_symbol {
    const char *name;       /* demangled; "0x7f120034" where there is none */
    const char *module;     /* short: "libc.so.6", "a.out", "[kernel]", "[vdso]", "[jit]" */
    const char *path;       /* file that holds the code, "" none */
    const char *file;       /* source file, "" unknown */
    int line;               /* where it begins in file; 0 unknown */
    uint64_t address, size; /* of its code, as in the file at path; 0 unknown or inlined */
    uint8_t where;          /* enum hot_where */
    bool inlined;
};

/* What is counted; the views of functions draw all of them. */
enum hot_weight {
    HOT_SAMPLES, /* call stacks, sampled while a CPU was busy */
    HOT_TIME,    /* ns in system calls */
    HOT_CALLS,   /* system calls */
    /* of files that other profilers wrote: */
    HOT_CPU_TIME, /* ns, each sample with its own */
    HOT_BYTES,    /* bytes that were allocated */
    HOT_EVENTS    /* events, each sample with how many it stands for: its period */
};
#define HOT_WEIGHTS (HOT_EVENTS + 1)

/* A frame in the tree of calls: the outermost callers are the roots. */
struct hot_node {
    int32_t parent;  /* index of the caller, always lower than its own; -1 = a root */
    uint32_t symbol; /* index into symbols */
    uint64_t self;   /* samples taken in this very frame */
};

/* The exact address of samples, for annotated source and disassembly. */
struct hot_place {
    uint32_t symbol; /* of the innermost frame, inlined or not */
    uint64_t samples;
    uint64_t address; /* as in the file of the symbol */
    const char *file; /* source file of the innermost frame, "" unknown */
    int line;         /* 0 unknown */
};

enum { HOT_AMOUNT_MAX = 48 };

struct hot_stacks {
    const char *event;  /* "cycles", "cpu-clock" */
    const char *why;    /* why not cycles, or nothing at all; NULL when all is as asked */
    uint8_t callgraph;  /* enum callgraph: what was used */
    double hz;          /* as asked for */
    uint8_t weight;     /* enum hot_weight: what "samples" stands for, here and below */
    uint64_t samples;   /* in this interval */
    uint64_t lost;      /* records the kernel dropped in this interval */
    uint64_t throttled; /* times the kernel stopped the sampling for a while */
    double seconds;     /* what the interval covers */
    const struct hot_symbol *symbols;
    size_t nsymbols;
    const struct hot_node *nodes;
    size_t nnodes;
    const struct hot_place *places;
    size_t nplaces;
};

/* "120 samples", "58.6 ms", "20 calls" */
const char *hot_amount(const struct hot_stacks *p, uint64_t samples, bool ascii,
                       char out[HOT_AMOUNT_MAX]);
/* The number alone, as a column shows it: "120", "58.6 ms". */
const char *hot_number(const struct hot_stacks *p, uint64_t samples, bool ascii,
                       char out[HOT_AMOUNT_MAX]);
/* "samples", "time in calls", "calls", "time", "bytes", "events" */
const char *hot_weight_name(const struct hot_stacks *p);
