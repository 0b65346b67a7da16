#include <stddef.h>

#include "tui/overlay.h"

extern const struct overlay_ops overlay_help, overlay_themes, overlay_cost, overlay_source;

const struct overlay_ops *const overlays[] = {
    &overlay_help,  &overlay_explain, &overlay_code, &overlay_menu,   &overlay_palette,
    &overlay_boxes, &overlay_themes,  &overlay_cost, &overlay_source, NULL};
