/* Captures, their results and a replay, made up for the screen: the same at every run. */
#ifndef TESTS_SUPPORT_REPLAY_SCENE_H
#define TESTS_SUPPORT_REPLAY_SCENE_H

#include "tui/app/app.h"

/*
 * What the app shows in the replay menu: "captures" with results of earlier days, "running" with a
 * replay half done, "done" with one that verified, "different", "fault", "variants", "emulated",
 * "empty": nothing was found. Stays until the next call.
 */
void replay_scene_set(struct app *a, const char *what);

#endif
