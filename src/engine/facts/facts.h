/*
 * What a run of programs did, in numbers: one pass over its events, for budgets and anti-patterns.
 * It keeps sums, not events; its memory grows with the number of processes, threads and files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/facts/descriptors.h"
#include "engine/syscalls/event.h"
#include "engine/syscalls/sums.h"

/* A process, from its start (or first event) to its end (or last event). Times in ns. A process
 * number that comes again is another process. */
struct process_fact {
    int32_t pid, parent; /* parent: 0 unknown */
    char name[64];       /* of the program that it ran last, without folders */
    uint64_t begin_ns, end_ns;
    int64_t status; /* as wait(2) gives it; -1 unknown */
    bool started;   /* its start was seen */
    uint32_t maker; /* index of the process that made it; FACTS_NONE: unknown, or none */
    bool ended;
    uint64_t calls, errors;
    uint64_t call_ns;    /* in system calls, all threads */
    uint64_t child_ns;   /* of that: waiting for children */
    uint64_t asleep_ns;  /* of that: asleep or waiting for others, while it had one thread */
    uint64_t longest_ns; /* the longest call of its first thread that works on files and sockets */
    uint32_t longest_number;
    uint8_t longest_abi;
    uint64_t threads;
    uint64_t mapped, mapped_peak; /* bytes of anonymous mappings and heap that it asked for */
    uint64_t break_first, break_last;
    uint64_t resident_peak;        /* bytes; 0 unknown */
    uint32_t open_peak, open_last; /* descriptors open at once; after its last call */
    uint32_t program;              /* index into programs */
};

/* All processes that ran one program last have its sums in common. */
struct program_fact {
    char name[64];
    uint64_t processes;
    struct syscall_sums sums;
};

/* What one process did with one file, pipe or socket. */
struct use_fact {
    uint32_t process, object; /* index into processes; of descriptors_at */
    uint64_t opens, reads, writes, syncs;
    uint64_t read_bytes, write_bytes;
    uint64_t one_byte_reads; /* read calls that asked for one byte, or got one of a file */
    uint64_t small_writes;   /* write calls of FACTS_SMALL bytes at most */
    uint64_t turns;          /* changes from writing to reading and back */
    uint64_t ns;             /* in calls on it */
    uint8_t last;            /* role of the last call */
};

/* The longest stretch of one thread that made the same call on the same descriptor. */
struct loop_fact {
    uint32_t process;
    int32_t tid;
    uint8_t abi;
    uint32_t number;
    uint64_t calls, bytes, ns;
    const struct descriptor_object *object; /* NULL: none */
};

enum { FACTS_SMALL = 64 };

#define FACTS_NONE UINT32_MAX

struct run_facts {
    struct process_fact *processes;
    struct program_fact *programs;
    struct use_fact *uses;
    struct loop_fact *loops; /* one for each thread */
    size_t nprocesses, processes_cap, nprograms, programs_cap, nuses, uses_cap, nloops, loops_cap;
    struct syscall_sums sums;
    uint64_t begin_ns, end_ns; /* from the first event to the last */
    uint64_t calls, errors, lost;
    uint64_t started;     /* processes that were made during the run */
    uint64_t start_burst; /* most of them within one second */
    uint64_t stats, stats_failed;
    uint64_t polls, polls_empty; /* of those that returned at once with nothing */
    uint64_t yields;
    uint64_t futex_waits, futex_ns, futex_short; /* waits; short: under FACTS_SHORT_NS */
    uint64_t futex_threads;                      /* threads that waited */
    uint64_t device_ns, device_calls;            /* in calls on nodes of GPU drivers */
    uint64_t mapped, mapped_peak;                /* the processes' together */
    uint64_t rings, operations; /* of io_uring; operations that were seen, which are no calls */
    bool has_times;             /* false: the trace has no times */
    struct descriptors *descriptors;
    struct run_facts_private *priv;
};

enum { FACTS_SHORT_NS = 100000 };

struct run_facts *run_facts_new(void);
void run_facts_add(struct run_facts *f, const struct syscall_event *e);
/* After the last event: ends what is open. Events may follow, and then another end: a run that is
 * looked at while it goes on. */
void run_facts_finish(struct run_facts *f);
/*
 * In place of run_facts_add, where memory is to grow no more: notes that a process ended, if it is
 * known. Gets all events, so that the end of another process with the same number is not taken for
 * its end.
 */
void run_facts_end_process(struct run_facts *f, const struct syscall_event *e);
void run_facts_free(struct run_facts *f);
