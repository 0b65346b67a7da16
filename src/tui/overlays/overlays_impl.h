/* What the files of tui/overlays share among themselves. */
#pragma once

#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"
#include "tui/model/view.h"
#include "tui/widgets/page.h"

/* The keys of an action as text: "s, F6, >". */
const char *help_keys(enum action a, char out[64]);
