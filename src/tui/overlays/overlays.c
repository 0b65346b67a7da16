#include <stddef.h>

#include "tui/overlays/confirm.h"
#include "tui/overlays/overlay.h"
#include "tui/overlays/replay.h"

extern const struct overlay_ops overlay_help, overlay_themes, overlay_cost, overlay_source,
    overlay_signals;

const struct overlay_ops *const overlays[] = {&overlay_help,
                                              &overlay_explain,
                                              &overlay_menu,
                                              &overlay_palette,
                                              &overlay_boxes,
                                              &overlay_themes,
                                              &overlay_cost,
                                              &overlay_source,
                                              &overlay_replay_form,
                                              &overlay_replay_compare,
                                              &overlay_confirm,
                                              &overlay_replay_memory,
                                              &overlay_replay_arguments,
                                              &overlay_replay_code,
                                              &overlay_signals,
                                              NULL};
