/*
 * What a trace of system calls shows at one moment: live, or of a saved trace. A snapshot does not
 * change; it is a counted reference, made by a gather (gather.h). Its rows are lists with a table
 * of fields each (NAME_fields.def): columns, orders, filters, CSV and JSON.
 */
#pragma once

#include "base/arena.h"
#include "engine/antipatterns/antipatterns.h"
#include "engine/syscalls/snapshot/tail.h"
#include "engine/syscalls/stacks.h"
#include "engine/syscalls/tracer.h"
#include "engine/value/list_field.h"

/* One call of one calling convention. Times are wall times in ns, as in sums.h. */
struct syscalls_call_row {
    char name[48]; /* "read", "read [i386]" */
    uint8_t abi;
    uint32_t number;
    uint64_t calls, errors, unfinished, total_ns, min_ns, max_ns, bytes;
    double share; /* of the time in all calls, 0..1; NaN without times */
    double mean, p50, p90, p99;
};

struct syscalls_process_row {
    int32_t pid, parent;
    uint32_t index; /* its identity: process numbers come again */
    char name[64];
    uint64_t calls, errors, ns, child_ns, longest_ns, threads, open;
    char longest[48]; /* name of its longest call on a file or socket, "" none */
    int64_t status;   /* wait(2)'s; -1 runs, or unknown */
    bool ended;
    double share;
};

/* A file, pipe or socket, and what all processes did with it. */
struct syscalls_file_row {
    const char *name;
    uint32_t index; /* of descriptors_at: its identity */
    uint8_t kind;   /* enum descriptor_kind */
    uint32_t made;  /* times that it was opened or made */
    uint32_t open;  /* descriptors that stand for it now */
    uint64_t reads, writes, syncs, read_bytes, write_bytes, ns, one_byte_reads, small_writes;
    uint32_t processes; /* that used it */
    double share;
};

/* The calls of one name with one stack. */
struct syscalls_stack_sum {
    const struct syscall_stack *stack; /* NULL: none is known */
    uint8_t abi;
    uint32_t number;
    uint64_t calls, errors, total_ns, max_ns, bytes;
};

/* The calls of one name that one function made, at one line of it. */
struct syscalls_origin_row {
    char name[48]; /* of the call */
    uint8_t abi;
    uint32_t number, index;             /* index: its identity */
    const struct syscall_frame *origin; /* NULL: unknown */
    const struct syscall_stack *stack;  /* the one with the most time; NULL: none is known */
    uint64_t calls, errors, total_ns, max_ns, bytes;
    uint32_t stacks; /* different ones, from the call to the thread's first function */
    double share;    /* of the time in all calls */
};

/* An event, made on demand by syscalls_snapshot_event. */
struct syscalls_event_row {
    struct syscall_event e;
    uint64_t number;     /* in the trace, from 0 on */
    uint64_t begin_ns;   /* of the trace */
    const char *program; /* of its process, without folders; "" unknown */
};

/* What a process is called; of all processes that are known, in order of pid, then of begin. */
struct syscalls_program {
    int32_t pid;
    uint64_t begin_ns;
    char name[20];
};

enum { SYSCALLS_RATES = 256 };
/* Over time: what ended in each of n parts of width_ns, from the first event on. */
struct syscalls_rates {
    uint64_t begin_ns, width_ns;
    uint32_t n;
    uint64_t calls[SYSCALLS_RATES], errors[SYSCALLS_RATES], bytes[SYSCALLS_RATES];
};

enum syscalls_state {
    SYSCALLS_SAVED,    /* a saved trace */
    SYSCALLS_STARTING, /* the tracer attaches */
    SYSCALLS_TRACING,
    SYSCALLS_STOPPING, /* it lets go */
    SYSCALLS_STOPPED,  /* the trace was ended; the program goes on */
    SYSCALLS_ENDED,    /* what was traced has ended */
    SYSCALLS_FAILED
};

struct calls_profile;
struct syscalls_snapshot {
    struct syscalls_call_row *calls; /* most time first */
    struct syscalls_process_row *processes;
    struct syscalls_file_row *files;
    struct antipattern_finding *findings; /* surest first */
    /* Where calls came from; both empty without stacks. */
    struct syscalls_origin_row *origins; /* most time first */
    struct syscalls_stack_sum *stack_sums;
    size_t ncalls, nprocesses, nfiles, nfindings, norigins, nstack_sums;
    struct syscalls_program *programs;
    size_t nprograms;
    size_t all_processes, all_files; /* known ones; more than the rows where memory is bounded */
    bool full;                       /* no more processes and files are noted: memory is bounded */
    uint64_t count, errors, unfinished, lost, total_ns, rings;
    uint64_t operations; /* of io_uring, as calls of their own; 0: none, or they are not seen */
    uint64_t by_way[SYSCALL_WAYS];
    uint64_t begin_ns, end_ns; /* of the first and the last event; live: of the snapshot */
    bool has_times;
    struct syscalls_rates rates;
    struct syscall_tail_view tail;
    struct syscall_stacks *stacks; /* of its events; NULL: none had one */
    /* By function: by time, by calls. NULL: calls_profile_add was not called, or has nothing to
     * add. */
    struct calls_profile *by_function[2];
    enum syscalls_state state;
    char by[16];       /* the mechanism, "" unknown */
    char summary[128]; /* what it does */
    double tracer_cpu; /* CPUs that the tracer uses; NaN unknown */
    char why[512];     /* SYSCALLS_FAILED: the reason, and what would help */
    char notes[TRACER_NOTES][192];
    uint64_t serial; /* grows with each snapshot of a trace */
    int refs;
    struct arena arena;
};

struct syscalls_snapshot *syscalls_snapshot_ref(const struct syscalls_snapshot *p);
void syscalls_snapshot_unref(const struct syscalls_snapshot *p); /* NULL allowed */
/* Event i < tail.n, the oldest first. It borrows from the snapshot. */
void syscalls_snapshot_event(const struct syscalls_snapshot *p, uint64_t i,
                             struct syscalls_event_row *out);
/* What the process that had this number at that time runs, without folders; "" unknown. */
const char *syscalls_program_name(const struct syscalls_snapshot *p, int32_t pid, uint64_t ns);
/* A word for the state: "tracing". */
const char *syscalls_state_name(enum syscalls_state s);
/* "file", "pipe", "socket", "standard stream", "handle" */
const char *syscalls_file_kind(unsigned kind);
/* "runs", "exit 1", "SIGSEGV"; for a process row. */
const char *syscalls_process_state(const struct syscalls_process_row *r, char *out, size_t size);
/* "read", "read [i386]" */
void syscalls_call_name(unsigned abi, uint32_t number, char *out, size_t size);
/* Bytes that a call read, wrote or copied. */
uint64_t syscalls_bytes_moved(const struct syscall_event *e);
/* "commit (store.c:112)": the function of the row, safe to print. */
void syscalls_origin_text(const struct syscalls_origin_row *r, char *out, size_t size);
/* "commit < save < main": who called the function of the row, safe to print. */
void syscalls_origin_callers(const struct syscalls_origin_row *r, char *out, size_t size);
/* One event as a line, as strace writes it: safe to print. */
void syscalls_event_text(const struct syscall_event *e, char *out, size_t size);

/* The lists. */
extern const struct list_field syscalls_call_fields[], syscalls_process_fields[],
    syscalls_file_fields[], syscalls_event_fields[], syscalls_finding_fields[],
    syscalls_origin_fields[];
enum syscalls_list {
    SYSCALLS_CALLS,
    SYSCALLS_ORIGINS, /* empty without stacks */
    SYSCALLS_PROCESSES,
    SYSCALLS_FILES,
    SYSCALLS_EVENTS,
    SYSCALLS_FINDINGS,
    SYSCALLS_LISTS
};
/* What the lists have in common. */
struct syscalls_list_ops {
    const char *name;  /* "files": for titles, JSON, keys */
    const char *title; /* "by file and socket" */
    const struct list_field *fields;
    size_t (*count)(const struct syscalls_snapshot *p);
    /* Row i; buf is used where rows are made on demand. */
    const void *(*row)(const struct syscalls_snapshot *p, size_t i, struct syscalls_event_row *buf);
};
extern const struct syscalls_list_ops syscalls_lists[SYSCALLS_LISTS];
