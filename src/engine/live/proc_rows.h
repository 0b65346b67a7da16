/*
 * The processes of a snapshot as rows of a list: sorted, filtered, as a tree with siblings sorted,
 * threads below their process.
 */
#ifndef ROOFTOP_ENGINE_LIVE_PROC_ROWS_H
#define ROOFTOP_ENGINE_LIVE_PROC_ROWS_H

#include "engine/value/query.h"
#include "engine/live/snapshot.h"

enum { PROC_ROWS_LINES = 64 }; /* depths whose connecting lines are known */

struct proc_row {
    const struct proc *proc;
    const struct proc_thread *thread; /* one of its threads; NULL = the process itself */
    int depth;      /* in a tree: ancestors that are shown; of a thread one more than its process */
    uint64_t lines; /* bit d: its ancestor at depth d has siblings further down */
    bool last;      /* of its siblings */
    bool folded;
    bool context; /* in the tree only because something below it passes the filter */
    int below;    /* processes below it in the tree that pass the filter */
};

struct proc_rows_how {
    bool tree, threads;
    bool kernel;               /* threads of the kernel too */
    const struct query *query; /* NULL = all */
    /* The order of siblings; never 0 for two different processes. */
    int (*compare)(const struct proc *a, const struct proc *b);
    bool (*folded)(const void *ctx, const struct proc *p); /* may be NULL */
    const void *ctx;
};

struct proc_rows {
    struct proc_row *row;
    size_t n;
    size_t matched; /* processes that pass the filter and are not hidden, folded away or not */
    size_t kernel;  /* threads of the kernel that are hidden */
    /* private */
    size_t cap, nodes_cap;
    struct proc_node *node;
};

/* Zeroed before the first call, reused from then on. Rows point into the snapshot. */
void proc_rows_make(struct proc_rows *r, const struct snapshot *s, const struct proc_rows_how *how);
void proc_rows_free(struct proc_rows *r);

/* The process of this number, NULL where there is none. */
const struct proc *proc_rows_find(const struct snapshot *s, pid_t pid);
/* How many ancestors of a process are in the snapshot. */
int proc_rows_depth(const struct snapshot *s, const struct proc *p);

#endif
