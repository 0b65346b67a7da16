/*
 * A process that sees rooftop end where rooftop cannot: killed outright. It then hangs up the
 * command's process group, as rooftop does when it leaves, so that no command stays behind
 * unnoticed. Not PR_SET_PDEATHSIG: that follows the thread that forked, reaches the command alone,
 * and an exec of a set-user-ID program clears it.
 */
#ifndef ROOFTOP_BACKENDS_COMMAND_WATCHER_H
#define ROOFTOP_BACKENDS_COMMAND_WATCHER_H

#include <sys/types.h>

struct watcher {
    pid_t pid; /* 0: none */
    int hold;  /* closed without a word, by the kernel or by us: the group is hung up */
};

/* 0, or -errno. */
int watcher_start(struct watcher *w, pid_t group);
/* The group is nobody's concern any more. Again is harmless. */
void watcher_end(struct watcher *w);

#endif
