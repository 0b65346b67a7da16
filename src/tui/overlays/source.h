/* The source of a kernel or function of the execution tree. The key is that of its row ("n:…"). */
#ifndef ROOFTOP_TUI_OVERLAYS_SOURCE_H
#define ROOFTOP_TUI_OVERLAYS_SOURCE_H

#include "tui/overlays/overlay.h"

extern const struct overlay_ops overlay_source;

#endif
