/* The parts of the view of what is watched. */
#pragma once

#include "tui/views/overview/overview.h"

/* Its boxes have the places of those of the overview, so that the same layout places them. */
enum { WATCHED_HOST = BOX_CPUS, WATCHED_CALLS = BOX_IO };
extern const struct view_box watched_boxes[BOX_COUNT + 1];

/* The first line: what is watched and how it is; at the right the host. */
void watched_head(struct canvas *c, struct rect r, const struct model *m);
void watched_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m);
/* A line about threads, page faults and system calls; expanded: the calls one by one. */
void watched_calls(struct canvas *c, struct rect r, const struct model *m);
void watched_calls_tall(struct canvas *c, struct rect r, const struct model *m);
/* How it ended: in the place of its processes, once none of them runs. */
void watched_end(struct canvas *c, struct rect r, const struct model *m);
bool watched_has_ended(const struct model *m);
/* "running 6.1 s", "ended with status 3 after 6.1 s", "killed by SIGSEGV after 6.1 s". */
void watched_state(const struct snapshot *s, bool ascii, char *out, size_t size);
