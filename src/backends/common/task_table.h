/* Finds a tracer's data of a task by the task's number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct task_place {
    int32_t tid;
    void *task;
    struct task_place *next; /* next place in its bucket */
};
struct task_table { /* all zero: empty */
    struct task_place **buckets;
    size_t nbuckets, n; /* nbuckets: a power of two; n: number of tasks */
    struct task_place
        *last; /* the last one that was found, because most events are of the same task */
};

/* Returns the task with this number that was added last, or NULL. */
void *task_table_find(struct task_table *t, int32_t tid);
void task_table_add(struct task_table *t, int32_t tid, void *task);
/* The task must be in the table. */
void task_table_remove(struct task_table *t, int32_t tid, const void *task);
void task_table_free(
    struct task_table *t); /* does not free the tasks; the table is empty afterwards */

/* A loop over all places, which may remove the task of this place and no other. */
/* NOLINTBEGIN(bugprone-macro-parentheses): place is the name of a variable */
#define TASK_TABLE_EACH(t, place)                                                                  \
    for (size_t bucket_ = 0; bucket_ < (t)->nbuckets; bucket_++)                                   \
        for (struct task_place *place = (t)->buckets[bucket_], *next_;                             \
             place && (next_ = place->next, 1); place = next_)
/* NOLINTEND(bugprone-macro-parentheses) */
