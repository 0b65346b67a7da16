/*
 * Reads the list of captures on a thread of its own: folders may lie on a disk that does not
 * answer, the GPU's runtime may take seconds. What changes something (a result to keep, a capture
 * to delete) is done by the same thread, before.
 */
#ifndef ROOFTOP_ENGINE_REPLAY_REPLAY_LISTER_H
#define ROOFTOP_ENGINE_REPLAY_REPLAY_LISTER_H

#include "engine/replay/replay_list.h"

struct replay_task { /* what is copied by replay_lister_start */
    struct replay_list_request read;
    const char *remove; /* a capture; NULL */
    /* a result to keep; json NULL: none */
    const char *json, *hsaco;
    struct replay_key key;
    enum replay_job job;
    uint64_t time_ns;
};

struct replay_lister;
struct replay_lister *replay_lister_new(void);
void replay_lister_free(struct replay_lister *l);    /* waits a second for what is to be kept */
int replay_lister_fd(const struct replay_lister *l); /* readable when there is something to take */
/* Tasks are done one after the other. */
void replay_lister_start(struct replay_lister *l, const struct replay_task *t);
bool replay_lister_busy(const struct replay_lister *l);
/* The list that was read, or NULL and err where it could not be; false: nothing new. said: what
 * became of a result or a removal, "" = as wished. */
bool replay_lister_take(struct replay_lister *l, struct replay_list **out, struct error *err,
                        struct error *said);

/* In place, for who has no screen. */
struct replay_list *replay_lister_now(const struct replay_task *t, struct error *err);

#endif
