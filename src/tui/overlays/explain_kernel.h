/* The page about one kernel of a profile: what bounds it, by which rule, from which facts. */
#ifndef ROOFTOP_TUI_OVERLAYS_EXPLAIN_KERNEL_H
#define ROOFTOP_TUI_OVERLAYS_EXPLAIN_KERNEL_H

#include "tui/model/view.h"
#include "tui/widgets/page.h"

/* Writes the page. key: "k:…", as the view names the kernel. */
void explain_kernel(struct page *p, const struct model *m, const char *key);

#endif
