/*
 * Operations of io_uring: the tracepoint of a submission and that of its completion, put together.
 * They are no system calls; a program that uses io_uring makes a few calls for many of them.
 */
#pragma once

#include "backends/bpf/layout.h"
#include "backends/bpf/raw_calls.h"

struct operation; /* submitted, and not completed */

struct operations { /* zeroed: empty */
    struct operation *list;
    size_t n, used, cap;             /* used: places of list, also free ones */
    uint32_t *heads;                 /* newest of each chain; places count from 1, 0: none */
    uint32_t newest, oldest, unused; /* unused: the first free place */
};

/* r: RECORD_SUBMITTED. */
void operations_submitted(struct operations *o, struct raw_calls *raw, const struct record *r);
/* r: RECORD_COMPLETED, of any task: the kernel completes an operation wherever it has time. */
void operations_completed(struct operations *o, struct raw_calls *raw, const struct record *r);
/* Tells those that are left as unfinished, and frees. */
void operations_close(struct operations *o, struct raw_calls *raw, uint64_t ns);
