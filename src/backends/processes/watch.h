/* Decides which processes belong to the target. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_WATCH_H
#define ROOFTOP_BACKENDS_PROCESSES_WATCH_H

#include "backends/processes/task.h"
#include "engine/live/target.h"

struct process_watch;

/* command: pid of the child for TARGET_COMMAND, else 0. target is copied. */
struct process_watch *watch_open(const struct target *target, pid_t command);
/*
 * Marks the watched processes among the tasks (sorted by pid): the named ones, the command, members
 * of the cgroup and of those below it. Also what any of them started, found by its parent, for the
 * rest of its life, even after the parent ends; with CHILDREN_NEW only from the first call on.
 * listed: the table was just compared with /proc. now: ticks since boot.
 */
void watch_mark(struct process_watch *w, struct task *const *tasks, size_t n, bool listed,
                uint64_t now);
/* TARGET_PIDS: whether every named process has ended. */
bool watch_gone(const struct process_watch *w);
void watch_close(struct process_watch *w);

#endif
