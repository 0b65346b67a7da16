/* Made-up captures, results and a replay for tests of the screen, the same in every run. */
#pragma once

#include "tui/app/app.h"

/*
 * Sets what the app shows in the replay menu: "captures" with results of earlier days; "running",
 * a replay half done; "done", one that was verified; "different", "fault", "variants", "emulated";
 * "empty", no capture was found. It stays until the next call.
 */
void replay_scene_set(struct app *a, const char *what);
