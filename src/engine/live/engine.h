/*
 * Polls the sources on a thread of its own and publishes snapshots.
 */
#ifndef ROOFTOP_ENGINE_LIVE_ENGINE_H
#define ROOFTOP_ENGINE_LIVE_ENGINE_H

#include "base/error.h"
#include "engine/live/snapshot.h"
#include "engine/live/target.h"

struct engine;
struct source_ops;
struct user_tables;

struct engine_config {
    struct target target;                    /* copied */
    double interval_s;                       /* 0.05 .. 3600 */
    struct sampling sampling;                /* of call stacks, from the start */
    struct thread_wish threads;              /* from the start */
    bool only_target;                        /* snapshots tell of no other process */
    const struct user_tables *user;          /* borrowed for the engine's life; may be NULL */
    const struct source_ops *const *sources; /* NULL = backends[] */
};

/* Opens nothing yet. */
struct engine *engine_new(const struct engine_config *config);

/*
 * Synchronous use (headless, tests): opens the sources on first call, takes one sample now. The
 * command, if any, is let go after the first sample. Returns the snapshot (the caller unrefs it),
 * or NULL with err.
 */
const struct snapshot *engine_step(struct engine *e, struct error *err);

/* Starts the sampling thread. Errors of opening arrive through engine_failure. */
int engine_start(struct engine *e, struct error *err);
/* A descriptor that is readable when engine_take or engine_failure has something. */
int engine_fd(const struct engine *e);
/*
 * The next snapshot not yet taken, oldest first (the caller unrefs), or NULL. At most 64 wait;
 * older ones are dropped and counted when nobody takes them.
 */
const struct snapshot *engine_take(struct engine *e);
/* True, with err filled, when opening (or a retarget) failed since the last call. */
bool engine_failure(struct engine *e, struct error *err);

/* From any thread; take effect on the next tick. */
void engine_set_interval(struct engine *e, double seconds);
double engine_interval(const struct engine *e);
void engine_set_sampling(struct engine *e, const struct sampling *s);
void engine_set_threads(struct engine *e, const struct thread_wish *w);
void engine_retarget(struct engine *e,
                     const struct target *t); /* close everything, watch t instead */
void engine_wake(struct engine *e);           /* sample now */
int engine_save_output(struct engine *e, const char *path, struct error *err);
/* TARGET_COMMAND: -1 while it runs, else its wait status. */
int engine_command_status(struct engine *e, int *wait_status);
void engine_signal_command(struct engine *e,
                           int signo); /* forwards a signal to the child's process group */

/* Stops the thread, closes the sources, frees all. A running command is sent HUP, then CONT. */
void engine_free(struct engine *e);

#endif
