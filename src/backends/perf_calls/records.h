/* Records of perf's rings, in the order of their times, as events. */
#ifndef ROOFTOP_BACKENDS_PERF_CALLS_RECORDS_H
#define ROOFTOP_BACKENDS_PERF_CALLS_RECORDS_H

#include "backends/perf_calls/events.h"
#include "backends/raw_calls/raw_calls.h"

enum { CALL_RECORDS_KNOWN = 256 }; /* processes of which is kept what they do last */

struct call_record; /* where one is in bytes */

/* What earlier records said of a process that is not in the record of its effect. */
struct call_process {
    int32_t pid, caller;  /* of execve */
    int32_t status;       /* of exit_group; -1: none */
    int32_t leaving;      /* the tid that called exit last */
    int32_t signal, code; /* sent last, and not delivered; 0: none */
};

struct call_records {
    struct raw_calls raw;
    const struct call_points *points;
    bool processes; /* new processes are followed */
    /* Watches a task that was made, of which only a part is recorded; 0 or -errno. */
    int (*watch)(void *ctx, pid_t pid, pid_t tid);
    void *ctx;
    uint64_t partial; /* tasks for which that failed */
    uint8_t *bytes;   /* of records that are not reported yet */
    size_t nbytes, bytes_cap;
    struct call_record *list;
    size_t n, cap;
    uint64_t until_ns; /* all that is older was in the rings at the last look */
    int32_t *small;    /* 32-bit processes */
    size_t nsmall, small_cap;
    struct call_process known[CALL_RECORDS_KNOWN];
    struct operations operations;
    void *scratch; /* RECORD_MAX bytes */
};

/* A thread is recorded that was there before: which ABI its process has, and the call that it waits
 * in, if /proc says so. */
void call_records_attached(struct call_records *r, pid_t pid, pid_t tid);
/* Takes what is in the rings and reports the records that are old enough; with `all`, newer ones
 * too. Returns the number of records taken. */
size_t call_records_drain(struct call_records *r, struct call_events *e, bool all);
void call_records_free(struct call_records *r);

#endif
