/*
 * The processes of a snapshot as rows of a list: filtered, sorted, optionally as a tree, and with
 * the threads of a process below it.
 */
#pragma once

#include "engine/live/snapshot.h"
#include "engine/value/query.h"

enum { PROC_ROWS_LINES = 64 }; /* connecting lines are drawn down to this depth */

struct proc_row {
    const struct proc *proc;
    /* the row shows this thread of proc; NULL = the process itself */
    const struct proc_thread *thread;
    int depth; /* in a tree: number of ancestors that are shown; a thread's depth is one more than
                  its process's */
    uint64_t lines; /* bit d: the ancestor at depth d has more siblings below this row */
    bool last;      /* no sibling follows */
    bool folded;
    bool context; /* the process does not pass the filter itself; it is shown because a descendant
                     does */
    int below;    /* number of descendants that pass the filter */
};

struct proc_rows_how {
    bool tree, threads;
    bool kernel;               /* show kernel threads too */
    bool watched;              /* show only processes of the target */
    const struct query *query; /* the filter; NULL = all pass */
    /* Compares two siblings; never returns 0 for two different processes. */
    int (*compare)(const void *ctx, const struct proc *a, const struct proc *b);
    bool (*folded)(
        const void *ctx,
        const struct proc *p); /* whether a process hides what is below it; may be NULL */
    const void *ctx;
};

struct proc_rows {
    struct proc_row *row;
    size_t n;
    size_t matched; /* processes that pass the filter, also those below a folded one */
    size_t kernel;  /* kernel threads that were hidden */
    /* private */
    size_t cap, nodes_cap, above_cap;
    struct proc_node *node;
    int *node_of;           /* of each process of the snapshot */
    struct proc_row *above; /* the ancestors of the row that is added */
};

/* Fills r. Zero r before the first call, and pass the same one again later to reuse its memory.
 * Rows point into the snapshot. */
void proc_rows_make(struct proc_rows *r, const struct snapshot *s, const struct proc_rows_how *how);
void proc_rows_free(struct proc_rows *r);

/* The process with this number, or NULL. */
const struct proc *proc_rows_find(const struct snapshot *s, pid_t pid);
/* Writes, at most max, the watched processes that no other watched process has made, and returns
 * how many: none of a host or a cgroup. */
size_t proc_rows_watched(const struct snapshot *s, pid_t *out, size_t max);
/* Why the snapshot has no list of processes (/proc cannot be listed): their numbers are unknown,
 * not 0. NULL: it has one. */
const char *proc_rows_missing(const struct snapshot *s);
/* Says how many children of watched processes are not watched; NULL: none that is known. */
const char *proc_rows_left_out(const struct snapshot *s);
/* The number of ancestors of p that are in the snapshot. */
int proc_rows_depth(const struct snapshot *s, const struct proc *p);
