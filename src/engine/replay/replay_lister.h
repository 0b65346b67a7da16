/*
 * Reads the list of captures on a thread of its own, because a disk may not answer and the GPU's
 * runtime may take seconds. The same thread first stores a result or deletes a capture, if the task
 * says so.
 */
#pragma once

#include "engine/replay/replay_list.h"

struct lister_task { /* replay_lister_start copies what this points to */
    struct replay_list_request read;
    const char *remove; /* a capture to delete; NULL */
    /* a result to store; json NULL: none */
    const char *json, *hsaco;
    struct replay_key key;
    enum replay_job job;
    uint64_t time_ns;
};

struct replay_lister;
struct replay_lister *replay_lister_new(void);
void replay_lister_free(struct replay_lister *l); /* first waits up to a second per task for what
                                                     must be stored or deleted */
/* readable when replay_lister_take has something */
int replay_lister_fd(const struct replay_lister *l);
/* Starts a task. Tasks are done one after the other. */
void replay_lister_start(struct replay_lister *l, const struct lister_task *t);
bool replay_lister_busy(const struct replay_lister *l);
/* Takes a finished list, or NULL with err if it could not be read. false: nothing new. said: what
 * went wrong with a result or a removal; "" = nothing. */
bool replay_lister_take(struct replay_lister *l, struct replay_list **out, struct error *err,
                        struct error *said);

/* The same on the calling thread, for use without a screen. */
struct replay_list *replay_lister_now(const struct lister_task *t, struct error *err);
