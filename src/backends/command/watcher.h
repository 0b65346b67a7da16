/*
 * A process that notices when rooftop is killed and cannot act itself. It then sends SIGHUP to the
 * command's process group, as rooftop does when it ends, so that no command is left behind.
 * PR_SET_PDEATHSIG would not do: it depends on the thread that forked, reaches only the command,
 * and is cleared by the exec of a set-user-ID program.
 */
#ifndef ROOFTOP_BACKENDS_COMMAND_WATCHER_H
#define ROOFTOP_BACKENDS_COMMAND_WATCHER_H

#include <sys/types.h>

struct watcher {
    pid_t pid; /* 0: none */
    int hold;  /* if it is closed without a byte, by the kernel or by us, the group gets SIGHUP */
};

/* Starts a watcher for a process group. Returns 0 or -errno. */
int watcher_start(struct watcher *w, pid_t group);
/* Ends the watcher without a signal to the group. May be called again. */
void watcher_end(struct watcher *w);

#endif
