/*
 * Captures dispatches of programs that rooftop starts (docs/CAPTURE.md). Their HSA runtime loads
 * our library, and this interface tells the library what to capture while they run.
 * backends/capture implements it.
 */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURER_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum capturer_which {
    CAPTURER_NONE,  /* nothing: what runs is counted */
    CAPTURER_NTH,   /* the n-th dispatch of a matching kernel, of each process */
    CAPTURER_EVERY, /* of each matching kernel the dispatches 0, n, 2n, … */
    CAPTURER_NEXT,  /* the next matching one */
    CAPTURER_TIMES, /* none: matching dispatches are timed, one by one */
};

struct capturer_request {
    enum capturer_which which;
    uint64_t n;
    const char *kernel; /* POSIX extended expression for demangled or mangled names */
    bool exact;         /* kernel is a mangled name instead */
    bool post;          /* memory after the kernel too */
    double timeout_s;   /* for earlier work, and for the dispatch; 0: 10 s */
    const char *folder; /* folder for the captures; NULL: rooftop_captures */
};

/* A finished or failed capture. Strings belong to the state. */
struct capturer_result {
    bool ended, failed;
    bool whole; /* path is a capture, also where the program ended before this result did */
    bool after; /* with memory after the kernel */
    bool gone;  /* its process ended before it did */
    const char *path, *kernel,
        *why;      /* why: what went wrong, also where it did not fail; "" nothing */
    int pid, code; /* code: of errno.h, where files could not be written, also of a whole one that
                      lacks memory after the kernel; 0 else */
    bool drained;  /* all earlier work of all queues had ended */
    uint32_t request, grid[3], block[3], regions, unread;
    uint64_t index, bytes, stored, pause_ns, gpu_ns;
};

struct capturer_kernel {
    const char *name, *mangled; /* mangled: "" where it is too long to be exact */
    uint64_t dispatches, slowest_ns, slowest_index;
    bool matches; /* it matches the last request */
};

/* What has happened so far, in all processes together. */
struct capturer_state {
    uint32_t loaded; /* processes that the library was loaded into */
    uint32_t queues, plain_queues, other_kernels;
    uint64_t dispatches, matching, captured, failed, done, total;
    const char *message; /* the last error message of the library; "" none */
    struct capturer_result *results;
    size_t nresults;
    struct capturer_kernel *kernels; /* most dispatches first */
    size_t nkernels;
};

struct capturer;
struct capturer_ops {
    /*
     * Finds the library and puts what loads it into our environment, for all that is started
     * afterwards: while there is one thread. ERROR_UNSUPPORTED: the library is not there.
     */
    int (*open)(struct capturer **out, struct error *err);
    /* Replaces what was asked for before; also while they run. *number tells its results.
     * ERROR_USAGE: not an expression. */
    int (*ask)(struct capturer *c, const struct capturer_request *r, uint32_t *number,
               struct error *err);
    /* Free it with state_free. */
    void (*state)(struct capturer *c, struct capturer_state *out);
    void (*state_free)(struct capturer_state *s);
    /*
     * Runs a command to its end, signals included: they are its own, *stopped is the last. tick is
     * called every 100 ms. 0 and its wait status, or ERROR_TARGET.
     */
    int (*run)(char *const *argv, int out_fd, void (*tick)(void *ctx), void *ctx, int *wait_status,
               int *stopped, struct error *err);
    void (*close)(struct capturer *c); /* NULL allowed; the environment stays */
};
extern const struct capturer_ops capturer;

#endif
