/*
 * Operations of io_uring: the tracepoint of a submission and that of its completion, put together.
 * They are no system calls; a program that uses io_uring makes a few calls for many of them.
 */
#pragma once

#include "backends/raw_calls/raw_calls.h"

/* A submission or a completion. What its tracepoint does not tell is 0. */
struct operation_record {
    uint64_t ring, request, user_data;
    uint64_t flags;  /* of the submission; of the completion */
    uint32_t opcode; /* of a submission */
    int64_t result;  /* of a completion */
};
struct operation; /* submitted, and not completed */

struct operations { /* zeroed: empty */
    struct operation *list;
    size_t n, used, cap;             /* used: places of list, also free ones */
    uint32_t *heads;                 /* newest of each chain; places count from 1, 0: none */
    uint32_t newest, oldest, unused; /* unused: the first free place */
};

/* who: pid, tid and begin_ns of the task that submitted. */
void operations_submitted(struct operations *o, struct raw_calls *raw,
                          const struct syscall_event *who, const struct operation_record *record);
/* The task may be any: the kernel completes an operation wherever it has time. */
void operations_completed(struct operations *o, struct raw_calls *raw, uint64_t ns,
                          const struct operation_record *record);
/* Tells those that are left as unfinished, and frees. */
void operations_close(struct operations *o, struct raw_calls *raw, uint64_t ns);
