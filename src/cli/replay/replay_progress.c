#include "cli/replay/replay_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "engine/replay/replay_run.h"

enum { BETWEEN_NS = 100000000 };

struct replay_progress {
    struct replay_run run;
    uint64_t drawn_ns; /* when the line was drawn; 0: no line */
};

struct replay_progress *replay_progress_open(void)
{
    if (isatty(STDERR_FILENO) != 1)
        return NULL;
    struct replay_progress *p = xcalloc(1, sizeof *p);
    replay_run_start(&p->run, REPLAY_FULL_VM, env_now_ns());
    return p;
}

void replay_progress_clear(struct replay_progress *p)
{
    if (!p || !p->drawn_ns)
        return;
    fputs("\r\033[K", stderr); /* raw: our own sequence */
    fflush(stderr);
    p->drawn_ns = 0;
}

void replay_progress_told(struct replay_progress *p, const char *line)
{
    const uint64_t now = env_now_ns();
    char text[REPLAY_PROGRESS_MAX];
    if (!p)
        return;
    replay_run_line(&p->run, line, strlen(line), now);
    if (p->drawn_ns && now - p->drawn_ns < BETWEEN_NS)
        return;
    replay_run_progress(&p->run, now, true, text);
    fputs("\r\033[K", stderr); /* raw: our own sequence */
    print_text(stderr, "%s%s%s", replay_stage_name(p->run.stage), *text ? ": " : "", text);
    fflush(stderr);
    p->drawn_ns = now;
}

void replay_progress_close(struct replay_progress *p)
{
    if (!p)
        return;
    replay_progress_clear(p);
    replay_run_free(&p->run);
    free(p);
}
