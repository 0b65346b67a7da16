/*
 * Which processes belong to the target.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_WATCH_H
#define ROOFTOP_BACKENDS_PROCESSES_WATCH_H

#include "backends/processes/task.h"
#include "engine/live/target.h"

struct watch;

/* command: pid of the child for TARGET_COMMAND, else 0. target is copied. */
struct watch *watch_open(const struct target *target, pid_t command);
/*
 * Marks the watched among the tasks (by rising pid): those named, the command, members of the
 * cgroup and of those below it; and what any of them started, found by its parent, for the rest of
 * its life, even when its parent ends; with CHILDREN_NEW from the first call on only. listed: the
 * table was just compared with /proc. now: ticks since the boot.
 */
void watch_mark(struct watch *w, struct task *const *tasks, size_t n, bool listed, uint64_t now);
/* TARGET_PIDS: true when every process named has ended. */
bool watch_gone(const struct watch *w);
void watch_close(struct watch *w);

#endif
