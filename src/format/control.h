/*
 * How rooftop and the library in captured programs communicate: a page that both map. rooftop makes
 * it, in a private folder, and puts its path into ROOFTOP_CAPTURE_CONTROL; every process of the
 * command maps it. Without rooftop the library makes its own from ROOFTOP_CAPTURE_KERNEL,
 * _DISPATCH, _OUTPUT and _POST.
 *
 * rooftop writes the request, the programs write the state. A request is replaced as a whole
 * (`sequence` is odd meanwhile); its number is sequence / 2. All processes update the state with
 * atomic operations; a row is claimed through its `state`, filled, then published.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_ENV     "ROOFTOP_CAPTURE_CONTROL"
#define CONTROL_KERNEL  "ROOFTOP_CAPTURE_KERNEL"   /* POSIX extended regular expression */
#define CONTROL_INDEX   "ROOFTOP_CAPTURE_DISPATCH" /* which dispatch, from 0; default 0 */
#define CONTROL_OUTPUT  "ROOFTOP_CAPTURE_OUTPUT"   /* folder; default rooftop_captures */
#define CONTROL_POST    "ROOFTOP_CAPTURE_POST"     /* 1: also memory after the kernel */
#define CONTROL_TIMEOUT "ROOFTOP_CAPTURE_TIMEOUT"  /* seconds */
#define CONTROL_FOLDER  "rooftop_captures"

enum {
    CONTROL_VERSION = 2,
    CONTROL_KERNELS = 256,
    CONTROL_RESULTS = 256,
    CONTROL_PROCESSES = 256,
    CONTROL_NAME = 1000,
    CONTROL_MANGLED = 4000, /* template names of libraries take thousands of bytes */
    CONTROL_WHY = 256,
    CONTROL_PATTERN = 4000,
    CONTROL_PATH = 4096,
    CONTROL_TIMEOUT_MS = 10000,
};

enum control_mode {
    CONTROL_OFF,   /* no request: dispatches are only counted */
    CONTROL_NTH,   /* in each process, the N-th dispatch of the first matching kernel to reach it */
    CONTROL_EVERY, /* dispatches 0, N, 2N, … of each matching kernel */
    CONTROL_NEXT,  /* the next matching dispatch of any process */
    CONTROL_TIME,  /* no capture: matching dispatches run one by one and are timed */
};

struct control_request {
    uint32_t mode;
    uint32_t exact; /* pattern is a mangled name, not an expression */
    uint32_t post;
    uint32_t timeout_ms; /* to wait for earlier work, and again for the dispatch itself */
    uint64_t n;
    char pattern[CONTROL_PATTERN];
    char folder[CONTROL_PATH]; /* absolute */
};

/* The states of a row, in order. */
enum { CONTROL_FREE, CONTROL_CLAIMED, CONTROL_READY };

struct control_kernel {
    _Atomic uint32_t state;
    _Atomic uint32_t matching; /* the last request that it matched */
    _Atomic uint64_t dispatches;
    _Atomic uint64_t slowest_ns;   /* used by CONTROL_TIME */
    uint64_t slowest_index;        /* written under the process's lock */
    char name[CONTROL_NAME];       /* demangled, cut */
    char mangled[CONTROL_MANGLED]; /* "": too long to match exactly */
};

/* One capture, complete or failed. */
struct control_result {
    _Atomic uint32_t state; /* CONTROL_CLAIMED: in progress */
    _Atomic uint32_t whole; /* path has a complete capture, even if the program fails later */
    uint32_t failed;        /* nothing usable was written: see why */
    int32_t pid;
    int32_t code;   /* errno if files could not be written, else 0 */
    uint32_t after; /* includes memory after the kernel */
    uint32_t drained, grid[3], block[3], regions, unread;
    uint64_t request, index, bytes, stored, pause_ns, gpu_ns;
    char path[CONTROL_PATH]; /* set once the folder exists; "": none yet */
    char name[CONTROL_NAME];
    char why[CONTROL_WHY]; /* what went wrong, even if the capture did not fail; "": nothing */
};

struct control {
    char magic[8];
    uint32_t version, size;
    _Atomic uint32_t sequence;
    struct control_request request;

    _Atomic uint32_t loaded;               /* processes in which the runtime loaded the library */
    _Atomic uint32_t queues, plain_queues; /* queues created; those that could not be intercepted */
    _Atomic uint32_t taken;                /* the last CONTROL_NEXT request that was served */
    _Atomic uint64_t dispatches, matching, captured, failed;
    _Atomic uint64_t done, total;   /* bytes of the capture in progress */
    _Atomic uint32_t other_kernels; /* kernels without a row */
    _Atomic uint32_t nresults;      /* may exceed CONTROL_RESULTS: the rest have no row */
    _Atomic int32_t pids[CONTROL_PROCESSES];
    _Atomic uint32_t said;     /* a message was published */
    char message[CONTROL_WHY]; /* why the library does not work in some process */
    struct control_kernel kernels[CONTROL_KERNELS];
    struct control_result results[CONTROL_RESULTS];
};

/* Creates the file, which must not exist, and maps it; NULL with errno. */
struct control *control_create(const char *path);
/* Maps an existing file. NULL with the reason in why: unreadable, or another version. */
struct control *control_map(const char *path, char *why, size_t size);
/* Makes one in memory, without a file. */
struct control *control_private(void);
void control_unmap(struct control *c); /* NULL is allowed */

/* Called by rooftop: replaces the request and returns its number. */
uint32_t control_set(struct control *c, const struct control_request *r);
/* Called by the programs: copies the request and its number. false if no consistent copy could be
 * read. */
bool control_get(const struct control *c, struct control_request *r, uint32_t *number);
static inline uint32_t control_number(const struct control *c)
{
    return atomic_load_explicit(&c->sequence, memory_order_acquire) / 2;
}

/* Finds or adds the row of a kernel. NULL: all rows are taken. */
struct control_kernel *control_kernel_row(struct control *c, const char *mangled, const char *name);
/* Claims a row for a new capture. NULL: all rows are taken. */
struct control_result *control_result_row(struct control *c);
void control_say(struct control *c, const char *message);
