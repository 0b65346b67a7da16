/* The replay menu on a stage: a capture made by hand, a state folder of its own, and a program
 * that replays without a GPU in place of rooftop (tests/support/fake_replay). */
#pragma once

#include "engine/replay/replay_list.h"
#include "support/made_capture.h"
#include "support/stage.h"

struct replay_screen {
    struct stage *s;
    struct made_capture made;
    char state_dir[64], *folders[1];
    struct replay_list_request captures;
    char words[96]; /* a file with a line of arguments for each start of the program */
};

/* Opens s at view 6, with the capture in its list. */
void replay_screen_open(struct replay_screen *r, struct stage *s, replay_host_fn *ask);
/* Opens another dashboard with the same folders. */
void replay_screen_again(struct replay_screen *r, replay_host_fn *ask, bool readonly);
void replay_screen_close(struct replay_screen *r);

/* Does what the dashboard's loop does, until the screen shows the text. */
void replay_screen_until(struct replay_screen *r, const char *text);
/* Fails the test unless the screen shows the text (there), or does not show it (!there). */
void replay_screen_expect(struct replay_screen *r, const char *text, bool there);

void replay_screen_add_gpu(struct replay_host *h, const char *name, const char *isa);
#define ISA_GFX90A "amdgcn-amd-amdhsa--gfx90a"
#define ISA_GFX942 "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
