/* Two made-up thread traces for tests of the screen, the same in every run. */
#pragma once

#include "engine/att/att_digest.h"

/* Dispatch 4: a loop over tiles, 32 waves on two shader engines. Dispatch 9: sampled PCs, no waves.
 * Freed at exit. */
const struct att_set *att_scene(void);
