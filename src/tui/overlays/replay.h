/* The overlays of the replay menu; each is about the capture that overlay_key names. */
#pragma once

#include "tui/app/app_state.h"
#include "tui/views/replay/replay.h"

static inline struct replay_view *replay_state_of(struct app *a)
{
    return app_view_state(a, &view_replay)->own;
}
static inline const struct replay_row *replay_row_of(struct app *a)
{
    return replays_find(&replay_state_of(a)->all, a->overlay_key);
}
static inline struct capture_look *replay_look_of(struct app *a)
{
    return replay_look(app_view_state(a, &view_replay), a->overlay_key);
}
/* Opens the memory of the capture at this address, to follow a pointer. */
void replay_memory_go(struct app *a, uint64_t address);
