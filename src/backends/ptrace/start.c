/* Starts a command under ptrace. */
#include <errno.h>
#include <sys/ptrace.h>

#include "backends/ptrace/internal.h"

/* Begins to trace the child, which waits for a byte, and then sends it the byte. */
static int seize_child(struct tracees *t)
{
    const pid_t pid = t->held.pid;
    if (ptrace(PTRACE_SEIZE, pid, 0, tracees_options(t, true)) != 0)
        return -errno;
    struct tracee *task = tracee_add(t, pid, pid);
    task->prelude = task->interrupted = true;
    place_began(t, task, NULL);
    ptrace(PTRACE_INTERRUPT, pid, 0, 0);
    return held_go(&t->held);
}

int tracees_start(struct tracees *t, const struct held_command *command, struct error *err)
{
    int rc = held_start(&t->held, command, err);
    if (rc != 0)
        return rc;
    t->filtered = command->filter;
    rc = seize_child(t);
    if (rc == 0) {
        t->command = t->held.pid;
        return 0;
    }
    held_kill(&t->held);
    return held_error(&t->held, -rc, err);
}

unsigned long tracees_options(const struct tracees *t, bool command)
{
    /* Child processes stop once even if they are not followed, so that they get their own CPUs
     * back. */
    return PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
           PTRACE_O_TRACEVFORK | (command ? PTRACE_O_EXITKILL : 0) |
           (t->filtered ? PTRACE_O_TRACESECCOMP : 0);
}
