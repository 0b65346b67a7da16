/*
 * The content of a trace of system calls at one moment, live or saved. gather.h makes it; it never
 * changes and its references are counted. Each list of rows has a table of fields
 * (NAME_fields.def): columns, orders, filters, CSV and JSON.
 */
#pragma once

#include "base/arena.h"
#include "engine/antipatterns/antipatterns.h"
#include "engine/syscalls/snapshot/tail.h"
#include "engine/syscalls/stacks.h"
#include "engine/syscalls/tracer.h"
#include "engine/value/list_field.h"

/* All calls of one name and ABI. Times are wall times in ns, as in sums.h. */
struct syscalls_call_row {
    char name[48]; /* "read", "read [i386]" */
    uint8_t abi;
    uint32_t number;
    uint64_t calls, errors, unfinished, total_ns, min_ns, max_ns, bytes;
    bool waits;   /* for something else, most of its time at least: no cost (waits.def,
                     descriptors_waited) */
    double share; /* of the time in all calls, 0..1; NaN without times */
    double mean, p50, p90, p99;
};

struct syscalls_process_row {
    int32_t pid, parent;
    uint32_t index; /* identifies the row, because pids are used again */
    char name[64];
    uint64_t calls, errors, ns, child_ns, longest_ns, threads, open;
    char longest[48]; /* name of its longest call on a file or socket; "" = none */
    int64_t status;   /* as wait(2) gives it; -1 = it runs, or unknown */
    bool ended;
    double share;
};

/* A file, pipe or socket, and what all processes did with it. */
struct syscalls_file_row {
    const char *name;
    uint32_t index; /* index for descriptors_at; identifies the row */
    uint8_t kind;   /* enum descriptor_kind */
    uint32_t made;  /* number of times that it was opened or made */
    uint32_t open;  /* number of descriptors that refer to it now */
    uint64_t reads, writes, syncs, read_bytes, write_bytes, ns, one_byte_reads, small_writes;
    uint32_t processes; /* number of processes that used it */
    double share;
};

/* All calls of the same name with the same stack. */
struct syscalls_stack_sum {
    const struct syscall_stack *stack; /* NULL: none is known */
    uint8_t abi;
    uint32_t number;
    uint64_t calls, errors, total_ns, max_ns, bytes;
};

/* All calls of the same name from one line of a function. */
struct syscalls_origin_row {
    char name[48]; /* of the call */
    uint8_t abi;
    uint32_t number, index;             /* index: identifies the row */
    const struct syscall_frame *origin; /* NULL: unknown */
    const struct syscall_stack *stack;  /* the stack with the most time; NULL: none is known */
    uint64_t calls, errors, total_ns, max_ns, bytes;
    uint32_t stacks; /* number of different stacks */
    double share;    /* of the time in all calls */
};

/* An event, made on demand by syscalls_snapshot_event. */
struct syscalls_event_row {
    struct syscall_event e;
    uint64_t number;     /* number in the trace, from 0 */
    uint64_t begin_ns;   /* of the trace */
    const char *program; /* program of its process, without folders; "" unknown */
};

/* The name of a process. All known processes have one, sorted by pid, then by begin. */
struct syscalls_program {
    int32_t pid;
    uint64_t begin_ns;
    char name[20];
};

enum { SYSCALLS_RATES = 256 };
/* What ended in each of n parts of time of width_ns, from the first event on. */
struct syscalls_rates {
    uint64_t begin_ns, width_ns;
    uint32_t n;
    uint64_t calls[SYSCALLS_RATES], errors[SYSCALLS_RATES], bytes[SYSCALLS_RATES];
};

enum syscalls_state {
    SYSCALLS_SAVED,    /* a saved trace */
    SYSCALLS_STARTING, /* the tracer attaches */
    SYSCALLS_TRACING,
    SYSCALLS_STOPPING, /* the tracer detaches */
    SYSCALLS_STOPPED,  /* the user ended the trace; the program goes on */
    SYSCALLS_ENDED,    /* the traced processes have ended */
    SYSCALLS_FAILED
};

struct calls_profile;
struct syscalls_snapshot {
    struct syscalls_call_row *calls; /* most time first, those that wait last */
    struct syscalls_process_row *processes;
    struct syscalls_file_row *files;
    struct antipattern_finding *findings; /* surest first */
    /* Where calls came from; both are empty without stacks. */
    struct syscalls_origin_row *origins; /* most time first */
    struct syscalls_stack_sum *stack_sums;
    size_t ncalls, nprocesses, nfiles, nfindings, norigins, nstack_sums;
    struct syscalls_program *programs;
    size_t nprograms;
    size_t all_processes, all_files; /* all that are known; there may be fewer rows */
    bool full;                       /* at the limit: further processes and files are ignored */
    uint64_t count, errors, unfinished, lost, total_ns, rings;
    uint64_t waiting_ns; /* of total_ns: in calls that wait for something else */
    uint64_t operations; /* operations of io_uring; 0: none, or they are not seen */
    uint64_t by_way[SYSCALL_WAYS];
    uint64_t begin_ns, end_ns; /* time of the first and the last event; live: of the snapshot */
    bool has_times;
    struct syscalls_rates rates;
    struct syscall_tail_view tail;
    struct syscall_stacks *stacks; /* the stacks of its events; NULL: no event had one */
    /* Profiles by function: by time, by calls. NULL without stacks or before calls_profile_add. */
    struct calls_profile *by_function[2];
    enum syscalls_state state;
    char by[16];       /* the mechanism; "" unknown */
    char summary[128]; /* what the mechanism does */
    double tracer_cpu; /* CPUs that the tracer uses; NaN unknown */
    char why[512];     /* SYSCALLS_FAILED: the reason, and what would help */
    char notes[TRACER_NOTES][192];
    uint64_t serial; /* grows with each snapshot of a trace */
    int refs;
    struct arena arena;
};

/* Fills n samples of a count of the rates, each the mean per second of its stretch of the time
 * line. */
void syscalls_rates_fill(const struct syscalls_rates *r, const uint64_t *counts, float *out,
                         size_t n);
/* The mean over the last second, or as long as there is: one part of the time line is too short. */
double syscalls_rate_now(const struct syscalls_snapshot *p, const uint64_t *counts);
struct syscalls_snapshot *syscalls_snapshot_ref(const struct syscalls_snapshot *p);
void syscalls_snapshot_unref(const struct syscalls_snapshot *p); /* NULL allowed */
/* Returns event i < tail.n, oldest first, in *out, which borrows from the snapshot. */
void syscalls_snapshot_event(const struct syscalls_snapshot *p, uint64_t i,
                             struct syscalls_event_row *out);
/* A word for the state: "tracing". */
const char *syscalls_state_name(enum syscalls_state s);
/* Whether calls are traced now, or will be. */
static inline bool syscalls_snapshot_goes_on(const struct syscalls_snapshot *p)
{
    return p->state == SYSCALLS_TRACING || p->state == SYSCALLS_STARTING;
}
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
    /* Returns row i; a list whose rows are made on demand uses buf. */
    const void *(*row)(const struct syscalls_snapshot *p, size_t i, struct syscalls_event_row *buf);
};
extern const struct syscalls_list_ops syscalls_lists[SYSCALLS_LISTS];
