/*
 * Parses the kernel's records. Their layout is fixed, because tap.c always requests the same
 * fields. Every length in a record is checked against the record's size.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/functions/hot_stacks.h"

/*
 * The sample_type for a kind of call graph; with dumps, also the user's registers and stack. All
 * records end with ids (sample_id_all).
 */
uint64_t record_sample_type(enum callgraph callgraph, bool dumps);

struct record_sample {
    uint64_t ip, period;
    const uint64_t *chain; /* addresses and PERF_CONTEXT_* markers, innermost first */
    size_t nchain;
    bool user_regs;       /* they are of a 64-bit user mode */
    const uint64_t *regs; /* in order of the requested bits */
    size_t nregs;
    const uint8_t *stack; /* from the stack pointer upwards */
    size_t nstack;
};

struct record_mapping {
    uint64_t start, length, offset, inode;
    uint32_t major, minor;
    const char *path; /* NUL-terminated, inside the record */
};

struct record {
    uint32_t type; /* PERF_RECORD_* */
    uint16_t misc;
    pid_t pid, tid;
    uint64_t time;
    uint32_t cpu;
    union {
        struct record_sample sample;   /* PERF_RECORD_SAMPLE */
        struct record_mapping mapping; /* PERF_RECORD_MMAP2 */
        pid_t parent;  /* PERF_RECORD_FORK: the parent of pid; equal to pid for a thread */
        bool exec;     /* PERF_RECORD_COMM: the name changed because of an exec */
        uint64_t lost; /* PERF_RECORD_LOST, _LOST_SAMPLES */
    };
};

/*
 * Parses data[0..size), 8-byte aligned; size is also the size in its header. nregs: registers in a
 * dump, 0: no dumps were requested. Returns 0, or -EINVAL where the record is malformed. Other
 * record types get only the common fields. *out points into data.
 */
int record_parse(const void *data, size_t size, enum callgraph callgraph, size_t nregs,
                 struct record *out);
/* The time of a record, without parsing the rest; 0: none. */
uint64_t record_time(const void *data, size_t size);
