/* The presets of boxes that rooftop has; the user's stand before them (app_set_presets). */
#ifndef ROOFTOP_TUI_INPUT_PRESETS_H
#define ROOFTOP_TUI_INPUT_PRESETS_H

#include "tui/app/app.h"

extern const struct preset preset_table[]; /* ends with name NULL */

#endif
