/* Finds what a tracer keeps of a task, by the task's number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct task_place {
    int32_t tid;
    void *task;
    struct task_place *next; /* in its bucket */
};
struct task_table { /* all zero: empty */
    struct task_place **buckets;
    size_t nbuckets, n;      /* a power of two; tasks */
    struct task_place *last; /* the one found before: most events are of the same task */
};

/* NULL: there is none. Of several with this number, the one that was added last. */
void *task_table_find(struct task_table *t, int32_t tid);
void task_table_add(struct task_table *t, int32_t tid, void *task);
/* The task must be there. */
void task_table_remove(struct task_table *t, int32_t tid, const void *task);
void task_table_free(struct task_table *t); /* not the tasks; empty afterwards */

/* A loop over all places, which may remove the task of this place and no other. */
/* NOLINTBEGIN(bugprone-macro-parentheses): place is the name of a variable */
#define TASK_TABLE_EACH(t, place)                                                                  \
    for (size_t bucket_ = 0; bucket_ < (t)->nbuckets; bucket_++)                                   \
        for (struct task_place *place = (t)->buckets[bucket_], *next_;                             \
             place && (next_ = place->next, 1); place = next_)
/* NOLINTEND(bugprone-macro-parentheses) */
