/* Runs programs under a tracer of system calls and keeps sums of what it reported. */
#pragma once

#include <stdint.h>

#include "engine/facts/facts.h"
#include "engine/syscalls/tracer.h"

struct traced {
    uint32_t calls[512], unfinished[512], restarts; /* by the machine's own numbers */
    uint32_t kinds[SYSCALL_KINDS];
    uint32_t signals[128];
    uint32_t processes;               /* as facts tell them apart */
    int32_t first_pid;                /* of the first task */
    uint64_t last_former, exec_bytes; /* of the last EXEC */
    struct run_facts *facts;          /* while it is traced */
    struct tracer_result result;
    struct error err;
    int rc;
    char *out; /* what the program printed, NUL-terminated; free with traced_free */
};

/* Traces the command; its standard output is kept. setup->argv is filled in. */
void traced_run(struct traced *t, const struct tracer_ops *ops, struct tracer_setup setup,
                char *const *argv);
/* Runs it without a tracer; only out and result.status are filled. */
void traced_without(struct traced *t, char *const *argv);
/* The sink that fills t, for tests that attach. */
struct syscall_sink traced_sink(struct traced *t);
void traced_free(struct traced *t);
