/*
 * Parses the kernel's records, which perf_ring.h takes out of a ring, and perf record writes to
 * perf.data. Every length in a record is checked against the record's size. Source:
 * linux/perf_event.h, enum perf_event_type.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What an event has asked for, which decides what its records hold. */
struct record_format {
    uint64_t sample_type; /* PERF_SAMPLE_*; fields behind STACK_USER are not read */
    uint64_t read_format; /* PERF_FORMAT_*, for PERF_SAMPLE_READ */
    uint64_t branch_type; /* PERF_SAMPLE_BRANCH_*, for PERF_SAMPLE_BRANCH_STACK */
    size_t nregs;         /* registers in a dump, for PERF_SAMPLE_REGS_USER */
    bool bare;            /* records do not end with ids (sample_id_all) */
};

struct record_sample {
    uint64_t ip, period;
    const uint64_t *chain; /* addresses and PERF_CONTEXT_* markers, innermost first */
    size_t nchain;
    bool user_regs;       /* the registers are of a 64-bit program */
    const uint64_t *regs; /* in the order of the requested bits */
    size_t nregs;
    const uint8_t *stack; /* from the stack pointer upwards */
    size_t nstack;
};

struct record_mapping {
    uint64_t start, length, offset, inode;
    uint32_t major, minor;
    const uint8_t *build_id; /* inside the record, instead of the numbers; NULL: none */
    size_t nbuild_id;
    const char *path; /* NUL-terminated, inside the record */
};

struct record_comm {
    bool exec;        /* the name changed because of an exec */
    const char *name; /* inside the record, without a NUL at the end */
    size_t length;
};

struct record {
    uint32_t type; /* PERF_RECORD_* */
    uint16_t misc;
    pid_t pid, tid;
    uint64_t time, id; /* id: the kernel's number of a sample's event */
    uint32_t cpu;
    union {
        struct record_sample sample;   /* PERF_RECORD_SAMPLE */
        struct record_mapping mapping; /* PERF_RECORD_MMAP, _MMAP2 */
        pid_t parent; /* PERF_RECORD_FORK: the parent of pid; equal to pid for a thread */
        struct record_comm comm;
        uint64_t lost; /* PERF_RECORD_LOST, _LOST_SAMPLES */
    };
};

/* Parses data[0..size), 8-byte aligned; size is also the size in its header. Returns 0, or -EINVAL
 * if the record is malformed. Other record types get only the common fields. *out points into
 * data. */
int record_parse(const void *data, size_t size, const struct record_format *format,
                 struct record *out);
/* The time of a record, without parsing the rest; 0: none. */
uint64_t record_time(const void *data, size_t size, const struct record_format *format);
