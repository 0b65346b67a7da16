#include "engine/live/proc_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/order.h"
#include "base/search.h"

enum { NONE = -1 };

/* A process in the tree. Nodes are referred to by their index in r->node, which is in the order of
 * siblings. */
struct proc_node {
    const struct proc *proc;
    int parent, child, next; /* first child, next sibling */
    int below;
    bool match, needed;
};

const struct proc *proc_rows_find(const struct snapshot *s, pid_t pid)
{
    size_t low = 0;
    SEARCH_FIRST(low, s ? s->nprocs : 0, s->procs[low].pid < pid);
    return s && low < s->nprocs && s->procs[low].pid == pid ? &s->procs[low] : NULL;
}

size_t proc_rows_watched(const struct snapshot *s, pid_t *out, size_t max)
{
    size_t n = 0;
    if (max && s->target_kind == TARGET_COMMAND && s->command.running)
        out[n++] = s->command.pid;
    for (size_t i = 0; s->target_kind == TARGET_PIDS && i < s->nprocs && n < max; i++) {
        const struct proc *maker = proc_rows_find(s, s->procs[i].ppid);
        if (s->procs[i].watched && !(maker && maker->watched))
            out[n++] = s->procs[i].pid;
    }
    return n;
}

/* The parent of p in the snapshot. A parent must be older than its child: a parent's number that
 * was reused by a newer process does not count, and the links cannot form a circle. */
static const struct proc *find_parent_process(const struct snapshot *s, const struct proc *p)
{
    const struct proc *q = p->ppid > 0 && p->ppid != p->pid ? proc_rows_find(s, p->ppid) : NULL;
    bool older = q && (q->start_ticks < p->start_ticks ||
                       (q->start_ticks == p->start_ticks && q->pid < p->pid));
    return older ? q : NULL;
}

int proc_rows_depth(const struct snapshot *s, const struct proc *p)
{
    int depth = 0;
    while ((p = find_parent_process(s, p)))
        depth++;
    return depth;
}

/* --- the nodes --- */

static int compare_proc_nodes(const void *a, const void *b, void *ctx)
{
    const struct proc_rows_how *how = ctx;
    return how->compare(how->ctx, ((const struct proc_node *)a)->proc,
                        ((const struct proc_node *)b)->proc);
}

/* Fills r->node with the processes that can be shown, in the order of siblings; returns their
 * number. */
static size_t fill_nodes(struct proc_rows *r, const struct snapshot *s,
                         const struct proc_rows_how *how)
{
    size_t n = 0;
    if (s->nprocs > r->nodes_cap) {
        r->nodes_cap = s->nprocs + s->nprocs / 2;
        r->node = xrealloc(r->node, r->nodes_cap, sizeof *r->node);
        r->node_of = xrealloc(r->node_of, r->nodes_cap, sizeof *r->node_of);
    }
    for (size_t i = 0; i < s->nprocs; i++) {
        const struct proc *p = &s->procs[i];
        bool hidden = p->kernel_thread && !how->kernel;
        if (how->watched && !p->watched)
            continue;
        bool match = !hidden && query_match(how->query, p);
        r->kernel += hidden;
        r->matched += match;
        if (match || (how->tree && !hidden))
            r->node[n++] = (struct proc_node){p, NONE, NONE, NONE, 0, match, match};
    }
    if (n)
        qsort_r(r->node, n, sizeof *r->node, compare_proc_nodes, (void *)how);
    return n;
}

/* For each process of the snapshot, the index of its node or NONE. */
static void find_node_of_processes(struct proc_rows *r, const struct snapshot *s, size_t n)
{
    for (size_t i = 0; i < s->nprocs; i++)
        r->node_of[i] = NONE;
    for (size_t i = 0; i < n; i++)
        r->node_of[r->node[i].proc - s->procs] = (int)i;
}

/* Keeps the ancestors of each process that passes the filter. */
static void keep_ancestors(struct proc_rows *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int k = r->node[i].match ? r->node[i].parent : NONE; k != NONE;
             k = r->node[k].parent) {
            r->node[k].needed = true;
            r->node[k].below++;
        }
}

/* Links the nodes to a tree; returns the first root. */
static int link_proc_nodes(struct proc_rows *r, const struct snapshot *s, size_t n)
{
    int root = NONE;
    find_node_of_processes(r, s, n);
    for (size_t i = 0; i < n; i++) {
        const struct proc *q = find_parent_process(s, r->node[i].proc);
        r->node[i].parent = q ? r->node_of[q - s->procs] : NONE;
    }
    keep_ancestors(r, n);
    for (size_t i = n; i-- > 0;) {
        struct proc_node *node = &r->node[i];
        if (!node->needed)
            continue;
        int *first = node->parent == NONE ? &root : &r->node[node->parent].child;
        node->next = *first;
        *first = (int)i;
    }
    return root;
}

/* --- the rows --- */

static struct proc_row *add_proc_row(struct proc_rows *r)
{
    LIST_ROOM(r->row, r->n, r->cap);
    r->row[r->n] = (struct proc_row){0};
    return &r->row[r->n++];
}

static double cpu_percent_of_thread(const struct proc_thread *t)
{
    return t->cpu_percent.validity == VALUE_OK ? t->cpu_percent.v : -1;
}

static int compare_thread_rows(const void *a, const void *b)
{
    const struct proc_thread *t = ((const struct proc_row *)a)->thread;
    const struct proc_thread *u = ((const struct proc_row *)b)->thread;
    double d = cpu_percent_of_thread(u) - cpu_percent_of_thread(t);
    d = d == 0 ? u->cpu_seconds - t->cpu_seconds : d;
    if (d != 0)
        return d < 0 ? -1 : 1;
    return order_int32(&t->tid, &u->tid);
}

/* Adds the threads of a process, the busiest first. A single thread gets no row of its own: the
 * process's row shows it. */
static void add_thread_rows(struct proc_rows *r, const struct snapshot *s, struct proc_row of)
{
    size_t first = r->n;
    for (size_t i = 0; i < s->nthread_rows; i++) {
        if (s->threads[i].pid != of.proc->pid)
            continue;
        struct proc_row *t = add_proc_row(r);
        *t = (struct proc_row){.proc = of.proc,
                               .thread = &s->threads[i],
                               .depth = of.depth + 1,
                               .lines = of.lines,
                               .context = of.context};
        if (of.depth < PROC_ROWS_LINES && !of.last)
            t->lines |= UINT64_C(1) << of.depth;
    }
    if (r->n - first > 1)
        qsort(r->row + first, r->n - first, sizeof *r->row, compare_thread_rows);
    else
        r->n = first;
    if (r->n > first)
        r->row[r->n - 1].last = of.below == 0;
}

static void add_process_row(struct proc_rows *r, const struct snapshot *s,
                            const struct proc_rows_how *how, int i, struct proc_row above)
{
    const struct proc_node *node = &r->node[i];
    struct proc_row *row = add_proc_row(r);
    row->proc = node->proc;
    row->context = !node->match;
    row->last = true;
    if (how->tree) {
        row->depth = above.proc ? above.depth + 1 : 0;
        row->lines = above.lines;
        if (above.proc && !above.last && above.depth < PROC_ROWS_LINES)
            row->lines |= UINT64_C(1) << above.depth;
        row->last = node->next == NONE;
        row->below = node->below;
        row->folded = node->below && how->folded && how->folded(how->ctx, node->proc);
    }
    if (how->threads && node->match && !row->folded)
        add_thread_rows(r, s, *row);
}

/* Adds the rows of the tree from `root` on. Does not recurse, because the depth of a process tree
 * has no limit. */
static void add_tree_rows(struct proc_rows *r, const struct snapshot *s,
                          const struct proc_rows_how *how, int root)
{
    size_t depth = 0; /* the rows above are r->above[1..depth] */
    for (int i = root; i != NONE;) {
        size_t at = r->n;
        add_process_row(r, s, how, i, depth ? r->above[depth] : (struct proc_row){0});
        struct proc_row row = r->row[at];
        if (r->node[i].child != NONE && !row.folded) {
            depth++;
            LIST_ROOM(r->above, depth, r->above_cap);
            r->above[depth] = row;
            i = r->node[i].child;
            continue;
        }
        while (i != NONE && r->node[i].next == NONE) {
            i = r->node[i].parent;
            depth -= i != NONE;
        }
        i = i == NONE ? NONE : r->node[i].next;
    }
}

void proc_rows_make(struct proc_rows *r, const struct snapshot *s, const struct proc_rows_how *how)
{
    r->n = r->matched = r->kernel = 0;
    if (!s || s->nprocs == 0)
        return;
    size_t n = fill_nodes(r, s, how);
    if (how->tree)
        add_tree_rows(r, s, how, link_proc_nodes(r, s, n));
    for (size_t i = 0; !how->tree && i < n; i++)
        add_process_row(r, s, how, (int)i, (struct proc_row){0});
}

void proc_rows_free(struct proc_rows *r)
{
    free(r->row);
    free(r->node);
    free(r->node_of);
    free(r->above);
    *r = (struct proc_rows){0};
}

static const char *find_rows_notice(const struct snapshot *s, const char *id)
{
    for (size_t i = 0; i < s->nnotices; i++)
        if (strcmp(s->notices[i].id, id) == 0)
            return s->notices[i].text;
    return NULL;
}

const char *proc_rows_missing(const struct snapshot *s)
{
    return find_rows_notice(s, "proc.missing");
}

const char *proc_rows_left_out(const struct snapshot *s)
{
    return find_rows_notice(s, "proc.children");
}
