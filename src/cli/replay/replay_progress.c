#include "cli/replay/replay_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "cli/run/progress_note.h"
#include "engine/replay/replay_run.h"

struct replay_progress {
    struct replay_run run;
    struct progress_note note;
};

struct replay_progress *replay_progress_open(void)
{
    struct replay_progress *p = xcalloc(1, sizeof *p);
    replay_run_start(&p->run, REPLAY_FULL_VM, env_now_ns());
    progress_note_begin(&p->note);
    return p;
}

void replay_progress_told(struct replay_progress *p, const char *line)
{
    const uint64_t now = env_now_ns();
    char text[REPLAY_PROGRESS_MAX], shown[REPLAY_PROGRESS_MAX + 64];
    replay_run_line(&p->run, line, strlen(line), now);
    if (!progress_note_due(&p->note))
        return;
    replay_run_progress(&p->run, now, true, text);
    snprintf(shown, sizeof shown, "%s%s%s", replay_stage_name(p->run.stage), *text ? ": " : "",
             text);
    progress_note_show(&p->note, shown);
}

void replay_progress_close(struct replay_progress *p)
{
    progress_note_end(&p->note);
    replay_run_free(&p->run);
    free(p);
}
