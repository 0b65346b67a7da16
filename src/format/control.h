/*
 * What rooftop and the library in the captured programs tell each other while those run: a page
 * that both map. rooftop makes it, in a private folder, and puts its path into
 * ROOFTOP_CAPTURE_CONTROL; every process of the command maps it. Without rooftop the library makes
 * one for itself from ROOFTOP_CAPTURE_KERNEL, _DISPATCH, _OUTPUT and _POST.
 *
 * The request is rooftop's to write, the state the programs'. A request is replaced as a whole
 * (`sequence` is odd meanwhile); each has a number of its own, sequence / 2. State is counted with
 * atomic operations by all processes; a row is claimed by its `state`, filled, then published.
 */
#ifndef ROOFTOP_FORMAT_CONTROL_H
#define ROOFTOP_FORMAT_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_ENV     "ROOFTOP_CAPTURE_CONTROL"
#define CONTROL_KERNEL  "ROOFTOP_CAPTURE_KERNEL"   /* POSIX extended expression */
#define CONTROL_INDEX   "ROOFTOP_CAPTURE_DISPATCH" /* its N-th dispatch, from 0; 0 unless given */
#define CONTROL_OUTPUT  "ROOFTOP_CAPTURE_OUTPUT"   /* folder; rooftop_captures unless given */
#define CONTROL_POST    "ROOFTOP_CAPTURE_POST"     /* 1: memory after the kernel too */
#define CONTROL_TIMEOUT "ROOFTOP_CAPTURE_TIMEOUT"  /* seconds */
#define CONTROL_FOLDER  "rooftop_captures"

enum {
    CONTROL_VERSION = 2,
    CONTROL_KERNELS = 256,
    CONTROL_RESULTS = 256,
    CONTROL_PROCESSES = 256,
    CONTROL_NAME = 1000,
    CONTROL_MANGLED = 4000, /* templates of libraries fill thousands of bytes */
    CONTROL_WHY = 256,
    CONTROL_PATTERN = 4000,
    CONTROL_PATH = 4096,
    CONTROL_TIMEOUT_MS = 10000,
};

enum control_mode {
    CONTROL_OFF, /* nothing: what runs is counted */
    CONTROL_NTH, /* the N-th dispatch of the first matching kernel that gets there, each process */
    CONTROL_EVERY, /* of each matching kernel the dispatches 0, N, 2N, … */
    CONTROL_NEXT,  /* the next matching dispatch of any process */
    CONTROL_TIME,  /* nothing is captured: matching dispatches run one by one and are timed */
};

struct control_request {
    uint32_t mode;
    uint32_t exact; /* pattern is a mangled name, not an expression */
    uint32_t post;
    uint32_t timeout_ms; /* for earlier work to end, and again for the dispatch itself */
    uint64_t n;
    char pattern[CONTROL_PATTERN];
    char folder[CONTROL_PATH]; /* absolute */
};

/* A row is claimed, then published. */
enum { CONTROL_FREE, CONTROL_CLAIMED, CONTROL_READY };

struct control_kernel {
    _Atomic uint32_t state;
    _Atomic uint32_t matching; /* the request that it last matched */
    _Atomic uint64_t dispatches;
    _Atomic uint64_t slowest_ns;   /* CONTROL_TIME */
    uint64_t slowest_index;        /* set by the holder of the process's lock */
    char name[CONTROL_NAME];       /* demangled, cut */
    char mangled[CONTROL_MANGLED]; /* "": too long to be exact */
};

/* Of a capture, or of one that failed. */
struct control_result {
    _Atomic uint32_t state; /* CONTROL_CLAIMED: under way */
    _Atomic uint32_t whole; /* path is a capture, whatever becomes of the program */
    uint32_t failed;        /* nothing usable was written: see why */
    int32_t pid;
    int32_t code;   /* of errno.h, where files could not be written; 0 else */
    uint32_t after; /* memory after the kernel is in it too */
    uint32_t drained, grid[3], block[3], regions, unread;
    uint64_t request, index, bytes, stored, pause_ns, gpu_ns;
    char path[CONTROL_PATH]; /* as soon as the folder is there; "" there is none */
    char name[CONTROL_NAME];
    char why[CONTROL_WHY]; /* what went wrong, also of one that did not fail; "" nothing */
};

struct control {
    char magic[8];
    uint32_t version, size;
    _Atomic uint32_t sequence;
    struct control_request request;

    _Atomic uint32_t loaded;               /* processes in which the runtime loaded the library */
    _Atomic uint32_t queues, plain_queues; /* created; of those, without interception */
    _Atomic uint32_t taken;                /* of CONTROL_NEXT: the last request that was served */
    _Atomic uint64_t dispatches, matching, captured, failed;
    _Atomic uint64_t done, total;   /* bytes of the capture under way */
    _Atomic uint32_t other_kernels; /* that found no row */
    _Atomic uint32_t nresults;      /* may exceed CONTROL_RESULTS: those found no row */
    _Atomic int32_t pids[CONTROL_PROCESSES];
    _Atomic uint32_t said;     /* a message was published */
    char message[CONTROL_WHY]; /* why the library does not work in some process */
    struct control_kernel kernels[CONTROL_KERNELS];
    struct control_result results[CONTROL_RESULTS];
};

/* A new page in that file, which must not be there; NULL with errno. */
struct control *control_create(const char *path);
/* An existing one. NULL with why: unreadable, of another version. */
struct control *control_map(const char *path, char *why, size_t size);
/* One that no file holds. */
struct control *control_private(void);
void control_unmap(struct control *c); /* NULL allowed */

/* By rooftop. Returns the request's number. */
uint32_t control_set(struct control *c, const struct control_request *r);
/* By the programs: whether a consistent one could be had; *number its number. */
bool control_get(const struct control *c, struct control_request *r, uint32_t *number);
static inline uint32_t control_number(const struct control *c)
{
    return atomic_load_explicit(&c->sequence, memory_order_acquire) / 2;
}

/* The row of a kernel; a new one where there is none yet. NULL: all are taken. */
struct control_kernel *control_kernel_row(struct control *c, const char *mangled, const char *name);
/* A row for a capture that begins; NULL: all are taken. */
struct control_result *control_result_row(struct control *c);
void control_say(struct control *c, const char *message);

#endif
