/* The built-in presets of boxes; the user's presets come first (app_set_presets). */
#pragma once

/*
 * What is shown together, by name. boxes: "VIEW" or "VIEW: BOX BOX…", several separated by ';';
 * the first view is the one that opens. Without boxes all of them are shown.
 */
struct preset {
    const char *name, *boxes;
};
extern const struct preset preset_table[]; /* ends with name NULL */
