/* What the files of this room share. */
#pragma once

#include "backends/ptrace/tracees.h"

/* Options of ptrace (PTRACE_O_*) for a task; a command is also killed if rooftop dies. */
unsigned long tracees_options(const struct tracees *t, bool command);

struct tracee *tracee_add(struct tracees *t, pid_t tid, pid_t pid);

/* Whether a stop is the entry or the return of a call; fills task->call. */
enum tracee_look { TRACEE_NO_CALL, TRACEE_ENTRY, TRACEE_RETURN };
enum tracee_look tracee_look(struct tracee *task);
/* Makes the kernel repeat a call that failed with EINTR only because rooftop stopped its task. */
void tracee_undisturb(struct tracee *task);
/* Whether only our PTRACE_INTERRUPT ended a call, at its return; the kernel will repeat it. */
bool tracee_cut_short(const struct tracee *task);
/* The process that the thread belongs to (tid itself if that is not known), and its parent. */
pid_t tracee_process(pid_t tid, pid_t *parent);
uint64_t tracee_clone_flags(const struct tracee *maker, int event, bool thread);

/* A timer that interrupts the wait for stops. */
int tracees_tick_open(struct tracees *t);
void tracees_tick_set(struct tracees *t, uint64_t ns);
void tracees_tick_close(struct tracees *t);
