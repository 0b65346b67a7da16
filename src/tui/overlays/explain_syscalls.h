/* The page about one row of the view of system calls. */
#ifndef ROOFTOP_TUI_OVERLAYS_EXPLAIN_SYSCALLS_H
#define ROOFTOP_TUI_OVERLAYS_EXPLAIN_SYSCALLS_H

#include "tui/model/view.h"
#include "tui/widgets/page.h"

/* Writes the page. key: "y:…", as the view names the row. */
void explain_syscalls(struct page *p, const struct model *m, const char *key);

#endif
