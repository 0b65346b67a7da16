/* What the files of backends/usdt share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"
#include "base/error.h"
#include "engine/bricks/probe_pairs.h"
#include "engine/live/source.h"
#include "engine/live/target.h"
#include "format/brick.h"
#include "symbols/objects.h"

/*
 * Writes a file of librooftop (format/brick.h) for a program that does not link it: its threads and
 * spans as rooftop observed them. Readers treat it like any other file.
 *
 * librooftop's own recorder cannot do this: it keeps one file for its own process and one region
 * for the calling thread, and any addition would slow down every start and stop. Here speed does
 * not matter, and one writer fills all regions. It is not thread-safe, but readers may read at any
 * time.
 *
 * Spans that do not fit are dropped and counted in the file's header.
 */
struct brick_writer;

struct brick_writer_program {
    pid_t pid;
    uint64_t start_ticks;      /* /proc/PID/stat field 22; 0: unknown */
    const char *program, *exe; /* "": unknown */
};

/* Creates path, which must not exist yet, with mode 0600. ERROR_OUTPUT. Free *out with
 * brick_writer_close. */
int brick_writer_open(struct brick_writer **out, const char *path,
                      const struct brick_writer_program *program, uint64_t now_ns,
                      struct error *err);
/* Marks the program as ended in order. */
void brick_writer_end(struct brick_writer *w);
/* Removes the file and frees w. NULL is allowed. */
void brick_writer_close(struct brick_writer *w);

/* Describes a timed thing by its name, as a brick of category Other. Returns its id; BRICK_NONE if
 * there is no space. */
uint32_t brick_writer_describe(struct brick_writer *w, const char *name);

/* Takes a region for a new thread: that of an ended thread, or a new one. Returns its index,
 * BRICK_NONE if there is no space. */
uint32_t brick_writer_thread(struct brick_writer *w, pid_t tid, const char *name, uint64_t now_ns);
void brick_writer_thread_end(struct brick_writer *w, uint32_t thread);

/* Begins a span inside parent (the number of a span of the same thread; 0: outermost). Returns its
 * number; 0 if there is no space. */
uint64_t brick_writer_begin(struct brick_writer *w, uint32_t thread, uint64_t parent,
                            uint32_t what);
/* Ends a span and writes it to the file. */
void brick_writer_span(struct brick_writer *w, uint32_t thread, uint64_t span, uint64_t parent,
                       uint64_t start_ns, uint64_t end_ns);

/*
 * Breakpoints of the kernel (uprobes) at places in files, and the rings that report who reached
 * them.
 *
 * Uses the uprobe PMU of perf_event_open(2); its number and its fields are read from
 * /sys/bus/event_source/devices/uprobe. There is one event for each place and CPU, for all
 * processes that run the file; the pid in a record tells which one. Inherited events for each task
 * do not work: for a new thread the kernel copies the event from its attr, and reads the file's
 * name through our pointer in the memory of the watched program, whose clone then fails with EFAULT
 * (seen on Linux 6.18).
 *
 * Closing an event takes the kernel a grace period (80 ms were seen), so a separate process closes
 * them and nobody waits.
 */
struct usdt_events;

struct usdt_place {
    const char *path;              /* the path under which we can open it */
    unsigned long long dev, inode; /* identify the file whose offsets were read; 0: any file */
    uint64_t offset;               /* the instruction's offset in the file */
    uint64_t semaphore_offset;     /* the semaphore's offset in the file; 0: none */
    uint32_t probe;                /* the caller's number for it */
};

/* Makes the rings, which report forks, exits and names immediately. ERROR_PERMISSION,
 * ERROR_UNSUPPORTED. Free *out with usdt_events_close. */
int usdt_events_open(struct usdt_events **out, const struct perf_sys *sys, struct error *err);
/* Starts watching a place, on every CPU. */
int usdt_events_add(struct usdt_events *e, const struct usdt_place *place, struct error *err);
void usdt_events_close(struct usdt_events *e);

enum usdt_what { USDT_HIT, USDT_FORK, USDT_EXIT, USDT_COMM, USDT_EXEC };
struct usdt_moment {
    uint64_t time;  /* ns of CLOCK_MONOTONIC */
    uint64_t order; /* for the caller's use */
    pid_t pid, tid;
    uint8_t what;   /* enum usdt_what */
    uint32_t probe; /* USDT_HIT */
    pid_t parent;   /* USDT_FORK: the parent of pid */
    char name[16];  /* USDT_COMM, USDT_EXEC */
};
typedef void (*usdt_sink)(void *ctx, const struct usdt_moment *m);
/* Empties the rings, one after the other, into sink. Returns how many records the kernel could not
 * store. */
uint64_t usdt_events_read(struct usdt_events *e, usdt_sink sink, void *ctx);

/* Closes many events without waiting for the kernel. */

/* Sorts fds. A process that may outlive this call and us closes the kernel's events; if none can be
 * started, they are closed here. */
void usdt_close_events(const struct perf_sys *sys, int *fds, size_t n);

/*
 * Makes spans from events: knows the watched processes, the open spans of their threads, and the
 * files of the spans.
 *
 * A begin opens a span inside the thread's open span. An end closes the innermost open span of its
 * pair; spans left open inside it are dropped and counted. Processes, threads and depth are
 * limited. Used by one thread.
 */
enum {
    SPANS_DEPTH = 64,
    SPANS_PROCESSES = 4096, /* watched at a time */
    SPANS_FILES = 64,       /* files with spans: as many as the screen shows */
    SPANS_THREADS = 65536,
};

struct usdt_spans;

struct spans_totals {
    uint64_t spans;
    uint64_t lone_begins; /* begins without an end: their enclosing span or thread ended */
    uint64_t lone_ends;   /* ends of spans that began before we watched */
    uint64_t dropped;     /* did not fit */
};

/* folder: where the files are made; NULL: the shared folder. */
struct usdt_spans *spans_new(const char *folder);
void spans_free(struct usdt_spans *s); /* also removes the files */

/* Sets the name of pair i, for all i in order; called before the pair's first event. */
void spans_name(struct usdt_spans *s, uint32_t pair, const char *name);

/* Watches a process and what it starts from now on. */
void spans_watch(struct usdt_spans *s, pid_t pid);
bool spans_watched(const struct usdt_spans *s, pid_t pid);
/* Lists the watched processes that have not ended, at most max. Returns how many. */
size_t spans_processes(const struct usdt_spans *s, pid_t *out, size_t max);

/* Report events in order of time (ns of CLOCK_MONOTONIC); events of other processes are ignored. */
void spans_fork(struct usdt_spans *s, pid_t parent, pid_t child);
void spans_comm(struct usdt_spans *s, pid_t pid, pid_t tid, const char *name, bool exec);
void spans_exit(struct usdt_spans *s, pid_t pid, pid_t tid);
void spans_begin(struct usdt_spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time);
void spans_end(struct usdt_spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time);

/* Finds processes that have ended. Marks a file as ended once all events before its end are known;
 * they are up to until_ns. all false: checks only processes whose main thread was seen to end. */
void spans_sweep(struct usdt_spans *s, bool all, uint64_t until_ns);
struct spans_totals spans_totals(const struct usdt_spans *s);

/* Watches the probes of a target on its own thread: empties the rings every 20 ms, sorts the events
 * by time, makes spans from them, and searches for newly mapped files once a second and whenever a
 * process of the target executes a program. */
struct usdt_follow;

struct usdt_status {
    struct spans_totals totals;
    uint64_t lost;        /* events that did not fit into a buffer */
    size_t pairs, places; /* number of pairs and places that are watched */
    size_t refused;       /* places that could not be watched */
    char why[512];        /* the first refusal; "": none */
    char near[256];       /* if no pair matches: some existing probes; "": none */
};

/* Starts watching. patterns: from --usdt. folder: for the files; NULL: the shared one. command: the
 * process that waits to execute, 0 with pids. All places that are known before it runs are watched
 * when this returns. Free *out with usdt_follow_end. */
int usdt_follow(struct usdt_follow **out, const struct perf_sys *sys, const struct target *target,
                const char *patterns, const char *folder, pid_t command, struct error *err);
/* Writes everything that happened before this call to the files. last: the target has ended. */
void usdt_follow_collect(struct usdt_follow *w, bool last, struct usdt_status *out);
void usdt_follow_end(struct usdt_follow *w);

/* The probes of all files that were read: the wanted pairs that they make, and their places in
 * files. */
enum { PLACES_FILES_MAX = 4096, PLACES_MAX = 16384 };
#define PLACES_NONE UINT32_MAX

struct probe_place {
    const char *path;
    unsigned long long dev, inode; /* identify the file of the place */
    uint64_t offset, semaphore_offset;
    uint32_t probe;
    bool tried; /* set by the caller once it tried to watch the place */
};

struct place_probe {
    struct probe_name name;
    uint32_t begins, ends; /* the first pair that it begins or ends; PLACES_NONE */
};
struct place_pair {
    struct probe_pair pair;
    uint32_t next_begin, next_end; /* the next pair with the same begin or the same end */
};

struct probe_places {
    struct probe_patterns patterns;
    struct probe_place *list;
    size_t n;
    struct place_probe *probes;
    size_t nprobes;
    struct place_pair *pairs;
    size_t npairs;
    struct place_file {
        unsigned long long dev, inode;
    } * files; /* files that were read */
    size_t nfiles;
    size_t unlocated;         /* number of places where no breakpoint is possible */
    struct probe_name *names; /* names of probes, for the search */
    struct arena texts;
};

/* Parses the patterns. ERROR_USAGE. Call places_free even after an error. */
int places_init(struct probe_places *p, const char *patterns, struct error *err);
/* Reads the files that were not read yet; true if there was a new one. Places, probes and pairs
 * keep their numbers. */
bool places_look(struct probe_places *p, const struct objects *o);
/* Whether the probe belongs to a pair. */
bool places_wanted(const struct probe_places *p, uint32_t probe);
void places_free(struct probe_places *p);

/* Reports whether USDT probes can be watched here. */
void usdt_probe_finding(probe_sink sink, void *ctx);

enum { USDT_PATH = 4096 };
/* The file and offset of the program's first instruction, which is not executed again, so that a
 * breakpoint there does no harm. false: the file is not available. */
bool usdt_entry_place(char path[USDT_PATH], uint64_t *offset);
