/* Why hardware numbers are missing, in one line, from what the snapshot says. */
#ifndef ROOFTOP_TUI_VIEWS_NOTICE_H
#define ROOFTOP_TUI_VIEWS_NOTICE_H

#include "engine/live/snapshot.h"

/* The most important notice: errors first, then warnings; NULL when there is none above INFO. */
const struct notice *notice_worst(const struct snapshot *s);
/* The first level-1 top-down metrics of the snapshot, n at most; returns how many. */
size_t notice_topdown(const struct snapshot *s, const struct metric **out, size_t n);

#endif
