/* Dumps of a job of eight ranks that hangs, in a folder below /tmp: rank 5 never enters
 * all_reduce #1234, in which the others wait. */
#pragma once

#include <stdint.h>

#define HANG_SCENE_BEGIN UINT64_C(1764446866000000000) /* ns: the call that does not end */

enum { HANG_SCENE_RANKS = 8, HANG_SCENE_LATE = 5, HANG_SCENE_WAITED_S = 610 };

struct hang_scene {
    char dir[64];
};

void hang_scene_make(struct hang_scene *s);
void hang_scene_remove(struct hang_scene *s);
