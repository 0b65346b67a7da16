#include "backends/common/task_table.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"

enum { FIRST_BUCKETS = 64 }; /* a power of two */

static struct task_place **task_bucket(const struct task_table *t, int32_t tid)
{
    return &t->buckets[hash_number(0, (uint64_t)tid) & (t->nbuckets - 1)];
}

void *task_table_find(struct task_table *t, int32_t tid)
{
    if (t->last && t->last->tid == tid)
        return t->last->task;
    for (struct task_place *p = t->nbuckets ? *task_bucket(t, tid) : NULL; p; p = p->next)
        if (p->tid == tid)
            return (t->last = p)->task;
    return NULL;
}

static void insert_task_place(struct task_table *t, struct task_place *p)
{
    struct task_place **at = task_bucket(t, p->tid);
    p->next = *at;
    *at = p;
}

static void grow_task_buckets(struct task_table *t)
{
    struct task_table old = *t;
    t->nbuckets = old.n ? 4 * old.nbuckets : FIRST_BUCKETS;
    t->buckets = xcalloc(t->nbuckets, sizeof(struct task_place *));
    TASK_TABLE_EACH(&old, p)
    insert_task_place(t, p);
    free(old.buckets);
}

void task_table_add(struct task_table *t, int32_t tid, void *task)
{
    struct task_place *p = xcalloc(1, sizeof *p);
    *p = (struct task_place){.tid = tid, .task = task};
    if (t->n >= t->nbuckets)
        grow_task_buckets(t);
    insert_task_place(t, p);
    t->n++;
    t->last = NULL;
}

void task_table_remove(struct task_table *t, int32_t tid, const void *task)
{
    struct task_place **at = task_bucket(t, tid), *gone;
    while ((*at)->task != task)
        at = &(*at)->next;
    gone = *at;
    *at = gone->next;
    free(gone);
    t->n--;
    t->last = NULL;
}

void task_table_free(struct task_table *t)
{
    TASK_TABLE_EACH(t, p)
    free(p);
    free(t->buckets);
    *t = (struct task_table){0};
}
