/*
 * Days of frames in constant memory: pushed as in a live view, drawn now and then, looked back at,
 * with every kind of machine in turn. SOAK_FRAMES is their number; a week at 1 Hz is 604800 (`make
 * soak`). Memory is asked of malloc, so under sanitizers the test only shows that nothing breaks.
 * (Alone in its process: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "support/memory.h"
#include "support/scenes.h"
#include "tui/app/app_state.h"
#include "support/test.h"

/* The ring is full with the largest frames long before; from then on memory must not grow. */
enum { DEFAULT_FRAMES = 50000, DRAW_EVERY = 40, BACK_EVERY = 500, SLACK_KB = 512 };

static void look_back(struct app *a, struct canvas *c)
{
    static const uint32_t keys[] = {KEY_LEFT_, '{', KEY_RIGHT_, '(', ')', '2', '1'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        app_key(a, &(struct key_event){.key = keys[i]});
        app_draw(a, c);
    }
}

/* Half of the processes exist only in this frame; PIDs and command lines never repeat. */
static void let_them_come_and_go(struct snapshot *s)
{
    static pid_t pid = 1 << 16;
    for (size_t i = s->nprocs / 2; i < s->nprocs; i++) {
        s->procs[i].pid = ++pid;
        s->procs[i].cmdline = snapshot_printf(s, "/tmp/job-%d --seed %d", (int)pid, (int)pid * 7);
    }
}

TEST(memory_stays_flat)
{
    static const char *const names[] = {"vm", "zen4", "command", "hostile"};
    const char *wish = env_get("SOAK_FRAMES");
    long frames = wish ? strtol(wish, NULL, 10) : DEFAULT_FRAMES;
    size_t half = 0;
    struct app *a = app_new(1, false, "rooftop-dark");
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 120, 40);
    for (long t = 0; t < frames; t++) {
        struct snapshot *s = scene(names[t / 200 % 4], (int)(t % 1000));
        let_them_come_and_go(s);
        s->seq = (uint64_t)t + 1;
        s->time_ns = 1000000000u * (uint64_t)(t + 1);
        s->wall_ns = s->time_ns;
        app_update(a, s);
        snapshot_unref(s);
        if (t % DRAW_EVERY == 0)
            app_draw(a, &c);
        if (t % BACK_EVERY == 0)
            look_back(a, &c);
        if (t == frames / 2)
            half = allocated_bytes() >> 10;
    }
    const size_t end = allocated_bytes() >> 10;
    print_message("%ld frames: %zu KiB at half, %zu KiB at the end\n", frames, half, end);
    if (end > half + SLACK_KB)
        fail_msg("grew from %zu to %zu KiB", half, end);
    app_free(a);
    canvas_free(&c);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
