/*
 * What is watched. cli/ makes it, or the screen when the user attaches to a process. Copies are
 * deep: free each with target_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cpu_list.h"

enum target_kind {
    TARGET_HOST,    /* every CPU, or those in cpus[] */
    TARGET_COMMAND, /* argv: started by us, with its descendants */
    TARGET_PIDS,    /* pids: all their threads and what they start from now on */
    TARGET_CGROUP,  /* cgroup: a cgroup v2 directory */
};

/* TARGET_PIDS: which child processes belong to the target. */
enum target_children {
    CHILDREN_NEW,  /* those that are started from now on */
    CHILDREN_ALL,  /* also existing ones; the maker of the target adds them to pids */
    CHILDREN_NONE, /* their own threads only */
};

/* Which of the CPU's event sets are counted. Sets of ports (engine/ports/ports.h) take turns with
 * all others on the same counters, so they are counted only on request. */
enum target_sets {
    SETS_USUAL,      /* all but those of ports */
    SETS_WITH_PORTS, /* all */
    SETS_PORTS, /* those of ports, cycles and instructions, and top-down, which their formulas use
                 */
};

enum { TARGET_MAX_PIDS = 4096, TARGET_MAX_CPUS = CPU_LIST_MOST };

struct target {
    enum target_kind kind;
    char **argv;          /* NULL-terminated; owned */
    pid_t *pids;          /* owned; target_add_pid adds to them */
    size_t npids, nnamed; /* nnamed: those of them that the user named, the first ones */
    enum target_children children;
    char *cgroup;          /* owned; path of the cgroup directory */
    bool *cpus;            /* owned; TARGET_MAX_CPUS flags, NULL = all CPUs */
    char *event_spec;      /* owned; -e EVENTS as written, NULL = the default sets */
    enum target_sets sets; /* if event_spec is set: only whether sets of ports are added to it */
    char *ranges; /* owned; COMMAND: folder of the library that stands in for NVTX and rocTX;
                     NULL = its ranges are not recorded */
    char *brick_counters; /* owned; COMMAND: --brick-counters EVENTS as written; NULL = none */
    char *usdt;           /* owned; --usdt PATTERNS as written (COMMAND, PIDS), NULL = none */
    bool spool_output;    /* COMMAND: record its stdout and stderr instead of printing them */
};

/* Appends a process; false where TARGET_MAX_PIDS are there already. */
bool target_add_pid(struct target *t, pid_t pid);
void target_copy(struct target *to, const struct target *from); /* deep */
void target_free(struct target *t);                             /* frees members, not t */
