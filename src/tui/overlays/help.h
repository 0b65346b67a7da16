#ifndef ROOFTOP_TUI_OVERLAYS_HELP_H
#define ROOFTOP_TUI_OVERLAYS_HELP_H

#include "tui/input/keys.h"

/* The keys of an action as text: "s, F6, >". */
const char *help_keys(enum action a, char out[64]);

#endif
