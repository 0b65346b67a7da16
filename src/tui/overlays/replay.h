/* The overlays of the replay menu; each is about the capture that overlay_key names. */
#pragma once

#include "tui/overlays/overlay.h"

extern const struct overlay_ops overlay_replay_form, overlay_replay_compare, overlay_replay_memory,
    overlay_replay_arguments, overlay_replay_code;

/* Opens the memory of the capture at this address, to follow a pointer. */
void replay_memory_go(struct app *a, uint64_t address);
