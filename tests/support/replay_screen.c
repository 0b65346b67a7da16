#include "support/replay_screen.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/program.h"

void replay_screen_add_gpu(struct replay_host *h, const char *name, const char *isa)
{
    struct replay_gpu *g = &h->gpu[h->ngpus++];
    snprintf(g->name, sizeof g->name, "%s", name);
    snprintf(g->isa[g->nisas++], sizeof g->isa[0], "%s", isa);
}

void replay_screen_expect(struct replay_screen *r, const char *text, bool there)
{
    if (stage_sees(r->s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, r->s->screen);
}

void replay_screen_until(struct replay_screen *r, const char *text)
{
    while (!strstr(stage_look(r->s), text)) {
        struct pollfd p = {.fd = app_job_fd(r->s->a), .events = POLLIN};
        if (poll(&p, 1, 60000) != 1)
            fail_msg("never '%s' on\n%s", text, r->s->screen);
        app_job_done(r->s->a);
    }
}

static void start(struct replay_screen *r, replay_host_fn *ask, bool readonly)
{
    stage_open(r->s, "vm", 120, 40, 2);
    r->folders[0] = r->made.dir;
    app_set_state_dir(r->s->a, r->state_dir);
    app_set_readonly(r->s->a, readonly);
    r->captures = (struct replay_list_request){.folders = r->folders, .nfolders = 1, .ask = ask};
    app_set_captures(r->s->a, &r->captures, NULL);
    stage_view(r->s, "replay");
    replay_screen_until(r, "scale(float*");
}

void replay_screen_open(struct replay_screen *r, struct stage *s, replay_host_fn *ask)
{
    r->s = s;
    made_capture_make(&r->made);
    snprintf(r->state_dir, sizeof r->state_dir, "/tmp/replay-menu-XXXXXX");
    assert_non_null(mkdtemp(r->state_dir));
    snprintf(r->words, sizeof r->words, "%s/words", r->state_dir);
    setenv("ROOFTOP_SELF", "tests/support/fake_replay/rooftop", 1);
    setenv("FAKE_LOG", r->words, 1);
    setenv("FAKE_REPLAY", "good", 1);
    unsetenv("FAKE_EMULATED");
    start(r, ask, false);
}

void replay_screen_again(struct replay_screen *r, replay_host_fn *ask, bool readonly)
{
    stage_close(r->s);
    start(r, ask, readonly);
}

void replay_screen_close(struct replay_screen *r)
{
    char line[128];
    struct program p;
    stage_close(r->s);
    if (access(r->made.dir, F_OK) == 0)
        made_capture_remove(&r->made);
    snprintf(line, sizeof line, "rm -rf %s", r->state_dir);
    program_run(&p, line);
    program_free(&p);
}
