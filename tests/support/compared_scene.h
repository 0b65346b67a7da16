/* A comparison of two made-up GPU profiles, of which one kernel is slower in the second. */
#pragma once

#include "engine/compare/compare.h"
#include "support/profile_scene.h"

struct compared_scene {
    struct analysis profiles[2];
    struct comparison *made;
    struct shown_comparison shown;
};

void compared_scene_open(struct compared_scene *s);
void compared_scene_close(struct compared_scene *s);
