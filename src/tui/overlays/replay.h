/* What the replay menu opens over itself; each about the capture of overlay_key. */
#ifndef ROOFTOP_TUI_OVERLAYS_REPLAY_H
#define ROOFTOP_TUI_OVERLAYS_REPLAY_H

#include "tui/overlays/overlay.h"

extern const struct overlay_ops overlay_replay_form, overlay_replay_compare, overlay_replay_memory,
    overlay_replay_arguments, overlay_replay_code;

/* At this address of the capture: follows a pointer. */
void replay_memory_go(struct app *a, uint64_t address);

#endif
