/* Waits until a file is saved: written in place, or replaced by another file of the same name. */
#pragma once

#include <signal.h>

#include "base/error.h"

struct replay_watch {
    int fd;
    char name[256]; /* the file's name; its folder is watched */
};
int replay_watch_open(struct replay_watch *w, const char *file, struct error *err);
/* Returns 0 when the file was saved and no more events follow (editors save in several steps); -1
 * if *stopped was set. */
int replay_watch_wait(struct replay_watch *w, const volatile sig_atomic_t *stopped);
void replay_watch_close(struct replay_watch *w);
