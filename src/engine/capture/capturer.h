/*
 * Captures dispatches of programs that rooftop starts (docs/CAPTURE.md). The HSA runtime of these
 * programs loads our library; this interface tells the library what to capture, also while they
 * run. backends/capture implements it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum capturer_which {
    CAPTURER_NONE,  /* captures nothing; dispatches are only counted */
    CAPTURER_NTH,   /* the n-th dispatch of a matching kernel, in each process */
    CAPTURER_EVERY, /* dispatches 0, n, 2n, … of each matching kernel */
    CAPTURER_NEXT,  /* the next matching dispatch */
    CAPTURER_TIMES, /* captures nothing; each matching dispatch is timed */
};

struct capturer_request {
    enum capturer_which which;
    uint64_t n;
    /* POSIX extended regular expression, matched with demangled and mangled names */
    const char *kernel;
    bool exact;         /* kernel is an exact mangled name instead */
    bool post;          /* also capture memory after the kernel */
    double timeout_s;   /* how long to wait for earlier work, and for the dispatch; 0: 10 s */
    const char *folder; /* folder for the captures; NULL: rooftop_captures */
};

/* A capture that was finished or has failed. The strings belong to the state. */
struct capturer_result {
    bool ended, failed;
    bool whole; /* path is a complete capture, even if the program ended before it reported so */
    bool after; /* it has memory after the kernel */
    bool gone;  /* its process ended before the capture did */
    const char *path, *kernel,
        *why;      /* why: what went wrong, also for a capture that did not fail; "" = nothing */
    int pid, code; /* code: errno if files could not be written, also of a complete capture that
                      lacks memory after the kernel; else 0 */
    bool drained;  /* all earlier work in all queues had ended */
    uint32_t request, grid[3], block[3], regions, unread;
    uint64_t index, bytes, stored, pause_ns, gpu_ns;
};

struct capturer_kernel {
    const char *name,
        *mangled; /* mangled: "" if the name is too long to be used as an exact name */
    uint64_t dispatches, slowest_ns, slowest_index;
    bool matches; /* whether it matches the last request */
};

/* What has happened so far in all processes together. */
struct capturer_state {
    uint32_t loaded; /* number of processes that loaded the library */
    uint32_t queues, plain_queues, other_kernels;
    uint64_t dispatches, matching, captured, failed, done, total;
    const char *message; /* the library's last error message; "" = none */
    struct capturer_result *results;
    size_t nresults;
    struct capturer_kernel *kernels; /* sorted by number of dispatches, most first */
    size_t nkernels;
};

struct capturer;
struct capturer_ops {
    /* Finds the library and sets the environment variables that make programs started later load
     * it. Call it while there is one thread. ERROR_UNSUPPORTED: the library is not installed. */
    int (*open)(struct capturer **out, struct error *err);
    /* Replaces the previous request, also in programs that already run. *number identifies its
     * results. ERROR_USAGE: the expression is invalid. */
    int (*ask)(struct capturer *c, const struct capturer_request *r, uint32_t *number,
               struct error *err);
    /* Fills *out; the caller frees it with state_free. */
    void (*state)(struct capturer *c, struct capturer_state *out);
    void (*state_free)(struct capturer_state *s);
    /* Runs a command to its end. Signals of the terminal are the command's; *stopped is the last
     * signal that rooftop received. tick is called every 100 ms. Returns 0 and the command's wait
     * status, or ERROR_TARGET. */
    int (*run)(char *const *argv, int out_fd, void (*tick)(void *ctx), void *ctx, int *wait_status,
               int *stopped, struct error *err);
    void (*close)(struct capturer *c); /* c may be NULL; the environment stays as it is */
};
extern const struct capturer_ops capturer;
