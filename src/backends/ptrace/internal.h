/* What the files of this room share. */
#ifndef ROOFTOP_BACKENDS_PTRACE_INTERNAL_H
#define ROOFTOP_BACKENDS_PTRACE_INTERNAL_H

#include "backends/ptrace/tracees.h"

/* PTRACE_O_*: those that all tasks have; and those of a command, which dies with us. */
unsigned long tracees_options(const struct tracees *t, bool command);

struct tracee *tracee_add(struct tracees *t, pid_t tid, pid_t pid);
/* Tells the hooks, and forgets the task. */
void tracee_gone(struct tracees *t, struct tracee *task, int status);

/* What a stop at a call is; task->call is filled. */
enum tracee_look { TRACEE_NO_CALL, TRACEE_ENTRY, TRACEE_RETURN };
enum tracee_look tracee_look(struct tracee *task);
/* A call that our stop alone made fail with EINTR is made again by the kernel. */
void tracee_undisturb(struct tracee *task);
/* At the return of a call: only our PTRACE_INTERRUPT ended it, and it will be made again. */
bool tracee_cut_short(const struct tracee *task);
bool tracee_is_thread(pid_t pid, pid_t tid);
/* The process that the thread belongs to (tid itself if that is not known), and its parent. */
pid_t tracee_process(pid_t tid, pid_t *parent);
uint64_t tracee_clone_flags(const struct tracee *maker, int event, bool thread);

/* A timer that interrupts the wait for stops. */
int tracees_tick_open(struct tracees *t);
void tracees_tick_set(struct tracees *t, uint64_t ns);
void tracees_tick_close(struct tracees *t);

#endif
