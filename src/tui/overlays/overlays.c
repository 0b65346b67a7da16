#include <stddef.h>

#include "tui/overlays/overlay.h"

extern const struct overlay_ops overlay_help, overlay_themes, overlay_cost, overlay_signals,
    overlay_users;

const struct overlay_ops *const overlays[] = {
    &overlay_help, &overlay_palette, &overlay_boxes, &overlay_themes,
    &overlay_cost, &overlay_signals, &overlay_users, NULL};
