/* Programs instrumented with librooftop, found and followed without stopping them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "backends/brick/fill.h"
#include "base/arena.h"
#include "engine/live/source.h"

struct brick_source {
    struct target target;
    const char *folder; /* owned by the "command" source, which outlives us */
    struct programs programs;
    uint64_t last_ns;
};

static void brick_probe(capability_sink sink, void *ctx)
{
    struct stat st;
    bool there = stat(BRICK_FOLDER, &st) == 0 && S_ISDIR(st.st_mode);
    sink(ctx, &(struct capability){
                  .id = "brick.memory",
                  .label = "bricks of instrumented programs",
                  .state = there ? CAPABILITY_YES : CAPABILITY_NO,
                  .why = there ? "programs linked with librooftop record in " BRICK_FOLDER
                               : "there is no " BRICK_FOLDER,
                  .enable = there ? NULL : "sudo mount -t tmpfs tmpfs " BRICK_FOLDER,
              });
}

static int brick_open_source(struct source **out, struct source_config *config, struct error *err)
{
    struct brick_source *s = xcalloc(1, sizeof *s);
    (void)err;
    target_copy(&s->target, config->target);
    s->folder = config->brick_folder;
    *out = (struct source *)s;
    return 0;
}

static void brick_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct brick_source *s = (struct brick_source *)self;
    programs_find(&s->programs, &s->target, s->folder);
    if (s->programs.n > 0) {
        struct bricks *b = snapshot_alloc(out, sizeof *b);
        programs_poll(&s->programs);
        bricks_fill(b, &out->arena, &s->programs,
                    s->last_ns ? (double)(now_ns - s->last_ns) / 1e9 : 0);
        out->bricks = b;
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

static void brick_close(struct source *self)
{
    struct brick_source *s = (struct brick_source *)self;
    if (!s)
        return;
    programs_close(&s->programs);
    target_free(&s->target);
    free(s);
}

const struct source_ops source_brick = {
    .name = "brick",
    .summary = "the execution tree of programs instrumented with librooftop",
    .probe = brick_probe,
    .open = brick_open_source,
    .poll = brick_poll,
    .close = brick_close,
};
