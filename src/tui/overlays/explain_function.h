/* The page about one hot function. */
#ifndef ROOFTOP_TUI_OVERLAYS_EXPLAIN_FUNCTION_H
#define ROOFTOP_TUI_OVERLAYS_EXPLAIN_FUNCTION_H

#include "tui/model/functions.h"
#include "tui/widgets/page.h"

/* Writes the page. key: "f:…", as the views name the function. */
void explain_function(struct page *p, const struct functions *f, const char *key);

#endif
