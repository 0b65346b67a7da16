/* Programs instrumented with librooftop, found and followed without stopping them. */
#include <stdio.h>
#include <stdlib.h>

#include "backends/bricks/brick_impl.h"
#include "base/arena.h"
#include "base/disk_space.h"
#include "engine/bricks/window_calls.h"
#include "engine/live/source.h"
#include "engine/roofline/roofline_cpu.h"
#include "engine/roofline/roofs_watch.h"

struct brick_source {
    struct target target;
    const char *folder; /* owned by the "command" source, which outlives us */
    struct programs programs;
    struct brick_stream *stream; /* NULL: no caller wants spans as they end */
    pid_t command;
    struct call_feed *feed;    /* NULL: none; borrowed */
    struct live_calls calls;   /* system calls inside the programs' bricks */
    struct roofs_watch *roofs; /* measured roofs of this host */
    uint64_t last_ns;
    char refused[DISK_SPACE_WHY]; /* why the command cannot record anything; "" if it can */
};

/* Bytes that a small program needs to record; with one thread 1.2 MiB were measured. */
enum { LEAST = 2 << 20 };
static const char advice[] =
    "`sudo mount -t tmpfs tmpfs " BRICK_FOLDER "` where it is missing; "
    "where it is full, remove files there that are not needed, or make it larger: "
    "`sudo mount -o remount,size=1G " BRICK_FOLDER "`";

static void brick_probe(probe_sink sink, void *ctx)
{
    char text[DISK_SPACE_WHY];
    const char *refused = disk_space_refuses(BRICK_FOLDER, LEAST, text);
    sink(ctx,
         &(struct probe_finding){
             .id = "brick.memory",
             .label = "bricks of instrumented programs",
             .state = refused ? PROBE_NO : PROBE_YES,
             .why = refused ? refused : "programs linked with librooftop record in " BRICK_FOLDER,
             .enable = refused ? advice : NULL,
         });
}

static int brick_open_source(struct source **out, struct source_config *config, struct error *err)
{
    struct brick_source *s = xcalloc(1, sizeof *s);
    int rc = roofs_watch_open(&s->roofs, config->roofs, err);
    if (rc != 0) {
        free(s);
        return rc;
    }
    target_copy(&s->target, config->target);
    s->folder = config->brick_folder;
    s->stream = config->bricks;
    s->command = config->command_pid;
    s->feed = config->calls;
    if (s->command > 0)
        disk_space_refuses(BRICK_FOLDER, LEAST, s->refused);
    *out = (struct source *)s;
    return 0;
}

static void tell_brick_programs(struct brick_source *s)
{
    if (s->stream)
        programs_tell(&s->programs, s->stream, s->command);
}

/* Adds system calls to the tree, which no other thread has yet. */
static void add_live_calls(struct brick_source *s, struct bricks *b, struct arena *memory)
{
    uint32_t nodes[PROGRAMS_MAX];
    for (uint32_t i = 0; i < b->nprograms && i < PROGRAMS_MAX; i++)
        nodes[i] = b->programs[i].node;
    live_calls_poll(&s->calls, s->feed, &s->programs);
    live_calls_give(&s->calls, &s->programs, nodes, (struct graph *)b->tree);
    bricks_window_calls(b, memory, s->calls.last, LIVE_CALLS_SPANS);
}

static void brick_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct brick_source *s = (struct brick_source *)self;
    out->roofs = roofline_cpu_host(&out->arena, roofs_watch_now(s->roofs));
    programs_find(&s->programs, &s->target, s->folder);
    programs_poll(&s->programs);
    tell_brick_programs(s);
    if (s->programs.n > 0) {
        struct bricks *b = snapshot_alloc(out, sizeof *b);
        bricks_fill(b, &out->arena, &s->programs,
                    s->last_ns ? (double)(now_ns - s->last_ns) / 1e9 : 0, &out->roofs->cpu);
        if (s->feed)
            add_live_calls(s, b, &out->arena);
        out->bricks = b;
    }
    if (s->programs.n == 0 && *s->refused) {
        char text[DISK_SPACE_WHY + 32];
        snprintf(text, sizeof text, "no bricks can be recorded: %s", s->refused);
        snapshot_add_notice(out, NOTICE_WARN, "brick.place", text, advice);
    }
    if (s->programs.left_out)
        snapshot_add_notice(out, NOTICE_WARN, "brick.programs",
                            "more than 64 instrumented programs run: the others are not shown",
                            "watch some of them with -p PID");
    if (s->programs.refused)
        snapshot_add_notice(out, NOTICE_WARN, "brick.owner", s->programs.refusal,
                            "it is not shown; who made it may be trying to deceive you "
                            "(docs/SECURITY.md)");
    s->last_ns = now_ns;
}

static void brick_follow(struct source *self)
{
    struct brick_source *s = (struct brick_source *)self;
    if (!s->stream)
        return;
    programs_find(&s->programs, &s->target, s->folder);
    programs_follow(&s->programs);
    tell_brick_programs(s);
}

static void brick_close(struct source *self)
{
    struct brick_source *s = (struct brick_source *)self;
    if (!s)
        return;
    brick_follow(self); /* reads the spans that have ended since the last look */
    programs_close(&s->programs);
    live_calls_free(&s->calls);
    target_free(&s->target);
    roofs_watch_close(s->roofs);
    free(s);
}

const struct source_ops source_brick = {
    .name = "brick",
    .summary = "the execution tree of programs instrumented with librooftop",
    .probe = brick_probe,
    .open = brick_open_source,
    .poll = brick_poll,
    .follow = brick_follow,
    .close = brick_close,
};
