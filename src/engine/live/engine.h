/*
 * Polls the sources on a thread of its own and publishes snapshots.
 */
#pragma once

#include "base/error.h"
#include "engine/live/snapshot.h"
#include "engine/live/target.h"

struct engine;
struct source_ops;
struct user_tables;
struct brick_stream;

struct call_feed;
struct engine_config {
    struct target target;           /* copied */
    double interval_s;              /* 0.05 .. 3600 */
    struct sampling sampling;       /* of call stacks, from the start on */
    struct thread_wish threads;     /* whose threads to list, from the start on */
    bool only_target;               /* snapshots contain no other process */
    const struct user_tables *user; /* borrowed for the engine's life; may be NULL */
    const char *roofs; /* a file of roofs for bricks; borrowed for the engine's life; NULL: this
                          host's */
    const struct source_ops *const *sources; /* NULL-terminated; NULL = backends[] */
    struct brick_stream *bricks; /* asks for spans as they end, engine/bricks/brick_stream.h;
                                    borrowed for the engine's life; NULL: nobody does */
    /* Called once for a command, on the sampling thread, while the command waits to be executed:
     * tracers that must see it from its first instruction attach now. NULL: there are none. */
    void (*before_command)(void *ctx, pid_t pid);
    void *before_ctx;
    struct call_feed *calls; /* traced system calls for sources (engine/syscalls/feed.h); borrowed
                                for the engine's life; NULL: none */
};

/* Only allocates; the sources are opened by engine_step or engine_start. */
struct engine *engine_new(const struct engine_config *config);

/*
 * For callers without a thread (headless, tests): opens the sources on the first call, then takes
 * one sample. A command is started on opening, but waits until the first sample is taken. Returns
 * the snapshot (the caller unrefs it), or NULL with err.
 */
const struct snapshot *engine_step(struct engine *e, struct error *err);

/* Also for callers without a thread, between two samples, some times a second: lets the sources
 * hand over requested data as it arrives. Does nothing before the first sample. */
void engine_follow(struct engine *e);
#define ENGINE_FOLLOW_NS UINT64_C(100000000)

/* Starts the sampling thread, which opens the sources; engine_failure reports errors of opening.
 * Returns 0 or -errno with err. */
int engine_start(struct engine *e, struct error *err);
/* A descriptor that becomes readable when engine_take or engine_failure has something to return. */
int engine_fd(const struct engine *e);
/*
 * Returns the oldest snapshot that was not taken yet (the caller unrefs it), or NULL. At most 64
 * snapshots wait; beyond that the oldest are dropped and counted.
 */
const struct snapshot *engine_take(struct engine *e);
/* Returns true and fills err if opening the sources, or changing the target, failed since the last
 * call. */
bool engine_failure(struct engine *e, struct error *err);

/* The next functions may be called from any thread; they take effect at the next tick. */
void engine_set_interval(struct engine *e, double seconds);
void engine_set_sampling(struct engine *e, const struct sampling *s);
void engine_set_threads(struct engine *e, const struct thread_wish *w);
/* closes all sources and opens them for t */
void engine_retarget(struct engine *e, const struct target *t);
void engine_wake(struct engine *e); /* takes a sample now */
int engine_save_output(struct engine *e, const char *path, struct error *err);
/* For TARGET_COMMAND: -1 while the command runs, else 0 with its wait status. */
int engine_command_status(struct engine *e, int *wait_status);
/* sends a signal to the command's process group */
void engine_signal_command(struct engine *e, int signo);
/* Id of the notice in snapshots of a command that got a signal from engine_signal_command. */
#define NOTICE_STOPPED "command.stopped"

/* Stops the thread, closes the sources and frees everything. A command that still runs gets
 * SIGHUP, then SIGCONT. */
void engine_free(struct engine *e);
