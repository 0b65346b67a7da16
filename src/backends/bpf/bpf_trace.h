/* One tracing by BPF: maps, programs, the ring, and what becomes of its records. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "backends/bpf/layout.h"
#include "backends/bpf/intake.h"
#include "backends/bpf/ring.h"
#include "backends/bpf/operation_events.h"
#include "backends/bpf/raw_calls.h"

enum { BPF_TRACE_PROGRAMS = 10, BPF_TRACE_RING = 8 << 20, BPF_TRACE_SENT = 64 };

/* A signal that was sent to a process and not delivered; the kernel never tells the delivery of one
 * that ends it. */
struct bpf_sent {
    int32_t pid;
    siginfo_t info;
};

/* Operations of io_uring. */
enum { OPERATION_PROGRAMS = 2 };
struct bpf_operations {
    int rings;                        /* a map; -1: not there */
    int programs[OPERATION_PROGRAMS]; /* likewise */
    uint64_t missed;                  /* of submissions and completions, that was told */
    struct operations open;
};

struct bpf_trace {
    const struct tracer_setup *setup;
    struct ring ring;
    int tasks, plans, scratch, lost; /* maps; -1: not there */
    uint32_t cpus;                   /* that maps of each CPU have values of */
    int types;                       /* of the programs' functions */
    int memory_program;              /* the map of the program that others go on in */
    int links[BPF_TRACE_PROGRAMS], nlinks;
    struct bpf_operations operations;
    struct raw_calls raw;
    struct intake intake;
    uint32_t looked_at;                   /* the last task that was looked for; 0: none */
    uint64_t told[LOSTS];                 /* losses that were reported */
    struct bpf_sent sent[BPF_TRACE_SENT]; /* the last ones */
    uint32_t nsent;
};

/* Nothing is traced yet. 0, or a negative errno with err. ring: bytes. */
int bpf_trace_open(struct bpf_trace *s, const struct tracer_setup *setup,
                   const struct syscall_sink *sink, struct tracer_result *result, size_t ring,
                   struct error *err);
void bpf_trace_close(struct bpf_trace *s);

/* --- operations.c --- */

/* Sees operations of io_uring from now on, if this kernel tells them and they are wanted. */
struct programs_setup;
void operations_watch(struct bpf_trace *s, struct programs_setup *setup);
/* How many submissions and completions were missed since the last time. */
uint64_t operations_missed(struct bpf_trace *s);
void operations_end(struct bpf_trace *s);

/* Calls of this task are recorded from now on. */
int bpf_trace_watch(struct bpf_trace *s, pid_t pid, pid_t tid);
/* Whether the task is gone or a zombie. */
bool bpf_trace_has_ended(pid_t pid, pid_t tid);
/* Takes what is in the ring, and waits for no more records. */
void bpf_trace_stop(struct bpf_trace *s);
/* Makes events of some of the records that are there. Returns how many; 0: there are none. */
size_t bpf_trace_drain(struct bpf_trace *s);
/* Tells calls that have not returned for a while, and what was lost; leaves out tasks that ended
 * unseen. */
void bpf_trace_tick(struct bpf_trace *s);
/* The same at the end, when nothing is recorded any more: of all calls that have not returned. */
void bpf_trace_last(struct bpf_trace *s);
bool bpf_trace_idle(const struct bpf_trace *s); /* no task is recorded any more */
