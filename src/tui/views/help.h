/* The overlays: help (from the key table) and explanations (from the snapshot). They fill a page.
 */
#ifndef ROOFTOP_TUI_VIEWS_HELP_H
#define ROOFTOP_TUI_VIEWS_HELP_H

#include "tui/view.h"
#include "tui/widgets/page.h"

void help_fill(struct page *p, const struct model *m);
/* key: a view's selected_key: "m:METRIC", "c:SET/NAME" or a pid. */
void explain_fill(struct page *p, const struct model *m, const char *key);
/* Identity of a counter: "c:" and its name, and a hash of set and name, which may be long and
 * alike. */
void counter_key(const struct counter *k, char out[VIEW_TEXT_MAX]);
/* Keys of an action for people: "s, F6, >". */
const char *help_keys(enum action a, char out[64]);

#endif
