/* The source of a kernel or function of the execution tree. The key is that of its row ("n:…"). */
#pragma once

#include "tui/overlays/overlay.h"

extern const struct overlay_ops overlay_source;
