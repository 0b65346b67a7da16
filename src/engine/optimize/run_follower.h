/* Follows a run on a thread of its own, because a disk may not answer: run_look.h for a screen. */
#pragma once

#include "engine/optimize/run_look.h"

struct run_follower;
/* folder: where the folders of runs lie. Fails where there can be no thread: 0, or -errno. */
int run_follower_new(struct run_follower **out, const char *folder, struct error *err);
/* Does not wait: a thread that still reads frees what it has when it ends. NULL allowed. */
void run_follower_free(struct run_follower *f);
/* Readable when there is a new snapshot. */
int run_follower_fd(const struct run_follower *f);
/* Looks several times a second while `looks`; the request is copied. */
void run_follower_want(struct run_follower *f, bool looks, const struct run_request *request);
/* The newest snapshot, which is the caller's; NULL: there is none that was not taken. */
struct run_snapshot *run_follower_take(struct run_follower *f);
