/*
 * A snapshot: one immutable picture of everything known at one moment, for all front ends.
 *
 * Sources fill it on the sampling thread; after queue_snapshot it never changes. Screen, text,
 * JSON, CSV and SVG are renderings of it. It is shared by reference count. Everything it points to
 * is in its arena, in static storage, or in its host (which it holds a reference to), so a snapshot
 * may outlive the engine that made it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "engine/functions/hot_stacks.h"
#include "engine/live/target.h"
#include "engine/live/thread_wish.h"
#include "engine/value/value.h"

struct metric_def;
struct bricks;
struct cpu_host;
struct gpus;

/* The facts about the machine that do not change while rooftop runs. Arrays are indexed like
 * cpus[]. */
struct host {
    char hostname[65], kernel[80], os[96], arch[24], cpu_model[96];
    char hypervisor[32]; /* "" on bare metal */
    char container[32];  /* "" outside one */
    char pmu[96]; /* what counts here: "amd64_fam19h_zen4, 6 counters", "none (virtual machine)" */
    char pmu_arch[24]; /* row key of the event and metric tables: "zen4", "generic", "none"; set by
                          the perf source */
    int ncpus;         /* CPUs shown, online at start */
    int nsockets, ncores, nnodes;
    int paranoid;       /* kernel.perf_event_paranoid; -100 unknown */
    int nmi_watchdog;   /* 1 when it takes a counter */
    uint64_t mem_total; /* bytes */
};

struct cpu {
    int id;                       /* kernel number */
    int package, core, node, llc; /* -1 unknown; llc groups CPUs that share a last-level cache */
    char kind;                    /* 'P', 'E' on hybrids, 0 otherwise */
    struct value busy; /* % of the interval not idle and not waiting for I/O (steal excluded) */
    struct value user, system, iowait, irq, steal; /* % */
    struct value hz;                               /* current frequency, if Linux reports it */
};

/* What a process has used since it started. */
enum proc_work {
    PROC_CPU_S /* user and system */,
    PROC_MINOR_FAULTS,
    PROC_MAJOR_FAULTS,
    PROC_WORKS
};

struct proc {
    pid_t pid, ppid;
    uid_t uid;
    const char *user;            /* name, or the number as text */
    const char *comm;            /* the kernel's 15-byte name */
    const char *cmdline;         /* arguments joined by spaces; comm in [] for kernel threads */
    char state;                  /* R S D Z T t I */
    bool kernel_thread, watched; /* watched: belongs to the target */
    int threads, nice, cpu;      /* cpu: where it last ran */
    struct value cpu_percent;    /* of one CPU over the time since it was last read */
    double cpu_seconds;          /* user+system since it started */
    uint64_t rss, virt;          /* bytes */
    uint64_t start_ticks;        /* start time; (pid, start_ticks) identifies a process */
    /*
     * For the sums over the target (target_sums.h); sessions do not keep them. own: what it has
     * used itself; waited: what children had used that ended and that it waited for.
     */
    double own[PROC_WORKS], waited[PROC_WORKS];
    double started_s; /* after the start of the machine */
};

/* A thread of one of procs[]; read only on request (thread_wish.h). */
struct proc_thread {
    pid_t tid, pid;
    const char *name; /* the kernel's 15-byte name */
    char state;
    int nice, cpu;
    struct value cpu_percent; /* of one CPU over the time since it was last read */
    double cpu_seconds;
};

/* One event as counted over the interval. */
struct counter {
    const char *name;   /* as formulas and -e name it: "instructions" */
    const char *spec;   /* how it was encoded: "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", "type=4
                           config=0xc0" */
    const char *desc;   /* one sentence */
    const char *source; /* backend name: "perf", "proc" */
    const char *set;    /* name of the set it was asked for in; metrics look it up by (set, name) */
    int group;          /* counted together with others of the same number; -1 = alone */
    bool gauge;         /* an instantaneous value, not a count over the interval */
    bool user;          /* asked for by the user with -e or a file */
    /* scaled count over the interval (or the gauge itself); delta.running = share */
    struct value delta;
    struct value rate;                    /* per second; for gauges the gauge */
    uint64_t raw, enabled_ns, running_ns; /* unscaled deltas summed over CPUs or threads */
    struct value *percpu;                 /* ncpus deltas, or NULL when it has no CPU dimension */
};

/* A derived number. */
struct metric {
    const struct metric_def *def;
    struct value value;
    struct value *percpu; /* ncpus, or NULL */
};

enum notice_level { NOTICE_INFO, NOTICE_WARN, NOTICE_ERROR };
struct notice {
    enum notice_level level;
    const char *id;   /* stable key, e.g. "perf.paranoid" */
    const char *text; /* what and why, one line */
    const char *help; /* what would help; NULL = nothing */
};

struct memory {
    struct value total, used, available, cached, buffers, swap_total, swap_used; /* bytes */
};

struct pressure { /* PSI "some" avg10, % */
    struct value cpu, memory, io;
};

/*
 * Shares of CPU time of the machine's processes in the interval, in % of one CPU. processes + ended
 * + rest is user + system of all CPUs, except for differences between the times of reading, which
 * the next interval evens out.
 */
struct cpu_account {
    struct value processes; /* of those in procs[], kernel threads among them */
    struct value ended;     /* of processes that ended since the sample before: the times that wait
                               reported to their parents, less those shown before */
    struct value rest;      /* of unknown processes: hidden from us, or never waited for */
    uint64_t nended;        /* processes of the list that ended */
    pid_t parent;           /* the parent that waited for most of it; 0 none */
};

/* A network interface or a disk. */
enum io_kind { IO_NETWORK, IO_DISK };
struct io_device {
    enum io_kind kind;
    const char *name; /* "eth0", "nvme0n1" */
    bool counted;     /* its bytes count in the machine's sums; false if it passes them to another
                         device */
    struct value in, out; /* bytes/s received and sent, or read and written */
};

/* The resources that a command and the children that it waited for used from exec to its end, as
 * reported by wait4. */
struct command_usage {
    bool known; /* false: it still runs, or the numbers are unknown */
    double user_s, system_s;
    uint64_t max_rss;        /* bytes, of the largest of its processes */
    uint64_t max_rss_before; /* bytes, of ours in its process before exec: max_rss is never less */
    uint64_t voluntary, forced;          /* context switches: it waited; it was made to wait */
    uint64_t minor_faults, major_faults; /* of pages: without, with reading from a disk */
};

struct command_state { /* TARGET_COMMAND only */
    pid_t pid;         /* 0: none */
    bool running;
    int wait_status; /* as waitpid gives it, once !running */
    double elapsed_s;
    struct command_usage usage;
    const char *output; /* the last lines it wrote, '\n'-separated, not decoded; may be NULL */
    size_t output_len;
    uint64_t output_total;   /* bytes it wrote in all */
    uint64_t output_dropped; /* bytes beyond what is kept for saving */
};

#define TARGET_SLOPE_S 1.0 /* a slope over less is not told */
/* What the target uses as a whole (target_sums.h); all values are missing for the host. Rates are
 * over the last second, or the whole interval where that is longer. */
struct target_use {
    uint64_t processes, threads;   /* that run */
    struct value cpu;              /* % of one CPU, of ended processes too */
    struct value others;           /* % of all CPUs that other processes of the host use */
    struct value memory;           /* resident bytes; a shared page counts in each process */
    struct value memory_slope;     /* bytes/s over the last seconds, at least TARGET_SLOPE_S;
                                      missing if it stays */
    struct value memory_peak;      /* the largest `memory` of a sample */
    struct value fault_rate;       /* page faults per second, */
    struct value major_fault_rate; /* and those of them that read from a disk */
    /* since it is watched: */
    struct value cpu_time, faults, major_faults;
    struct value elapsed; /* seconds since the first of its processes began */
};

struct source_cost { /* how long each source took on this tick */
    const char *name;
    uint64_t poll_ns;
};

struct snapshot {
    uint64_t seq;            /* 1, 2, 3… */
    uint64_t time_ns;        /* engine clock */
    uint64_t wall_ns;        /* since the epoch */
    double interval_s;       /* since the previous one; 0 in the first */
    double asked_interval_s; /* as it was set */
    const struct host *host;
    const char *target; /* one line: "this host", "pid 12, 13", "./a.out -n 3" */
    enum target_kind target_kind;
    bool target_gone; /* everything watched has ended */

    struct cpu *cpus; /* host->ncpus */
    struct cpu total; /* all CPUs together; id -1 */
    struct value load1, load5, load15, uptime_s;
    struct memory memory;
    struct pressure pressure;
    struct io_device *io; /* in the kernel's order; network first */
    size_t nio;
    struct cpu_account account;
    struct proc *procs; /* ordered by pid */
    size_t nprocs;
    struct proc_thread *threads; /* ordered by tid; of the processes in thread_wish */
    size_t nthread_rows;
    size_t nthreads, nrunning;
    struct counter *counters;
    size_t ncounters;
    struct metric *metrics; /* in the order of the metric table */
    size_t nmetrics;
    struct notice *notices;
    size_t nnotices;
    struct source_cost *costs;
    size_t ncosts;
    struct command_state command;
    struct target_use use;
    struct sampling sampling;        /* what the sampler was asked for */
    struct thread_wish thread_wish;  /* the processes whose threads are wanted */
    const struct hot_stacks *stacks; /* hot functions; NULL while nothing samples */
    const struct bricks *bricks;     /* instrumented programs (bricks.h); NULL: none was found */
    const struct cpu_host *roofs;    /* peaks of this host (roofline_cpu.h); NULL: not requested */
    const struct gpus *gpus;         /* gpus.h; NULL: not requested */
    uint64_t own_cpu_ns;             /* CPU time rooftop itself used since the previous snapshot */
    uint64_t own_rss;                /* bytes */
    uint64_t late_samples;           /* ticks that started over a quarter interval late, so far */

    /* Other owners of texts and definitions, released with the snapshot. */
    void *owner;
    void (*owner_unref)(void *owner);

    /* private to snapshot.c */
    struct arena arena;
    int refs;
    size_t counters_cap, notices_cap, costs_cap;
};

/* --- for sources and the engine, before publication --- */
struct snapshot *snapshot_new(const struct host *host); /* refs = 1; takes a reference on host */
void *snapshot_alloc(struct snapshot *s, size_t size);  /* zeroed, lives as long as s */
const char *snapshot_strdup(struct snapshot *s, const char *text);
const char *snapshot_printf(struct snapshot *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a zeroed row; the pointer is valid until the next call of the same function. */
struct counter *snapshot_add_counter(struct snapshot *s);
void snapshot_add_notice(struct snapshot *s, enum notice_level level, const char *id,
                         const char *text,
                         const char *help); /* copies the strings; same id: first stays */

void snapshot_add_cost(struct snapshot *s, const char *name, uint64_t poll_ns); /* name: static */

/* --- for everyone --- */
struct snapshot *snapshot_ref(const struct snapshot *s);
void snapshot_unref(const struct snapshot *s); /* NULL allowed */
const struct counter *snapshot_counter(const struct snapshot *s, const char *set, const char *name);
const struct metric *snapshot_metric(const struct snapshot *s, const char *id);

/* Frees the retired snapshots kept for reuse; at the end of the program, for leak checkers. */
void snapshot_pool_drain(void);

/* Hosts are reference counted too. */
struct host *host_new(void);
struct host *host_ref(const struct host *h);
void host_unref(const struct host *h);
