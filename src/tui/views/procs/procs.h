/* The process list: a pane of the overview, sorted and filtered by what the user set. */
#ifndef ROOFTOP_TUI_VIEWS_PROCS_PROCS_H
#define ROOFTOP_TUI_VIEWS_PROCS_PROCS_H

#include "tui/model/view.h"

void procs_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st);
enum view_result procs_act(enum action a, const struct model *m, struct view_state *st);
extern const char *const procs_sorts[]; /* for view_ops.sorts */
/* What can be done with the process whose pid is key. */
bool procs_menu(const struct model *m, const struct view_state *st, const char *key,
                struct menu *out);
/* "cpu %": what the list is sorted by; how many processes pass the filter, and how many threads of
 * the kernel are hidden. */
const char *procs_sort_name(const struct view_state *st);
size_t procs_shown(const struct model *m, const struct view_state *st, size_t *kernel);
/* The processes in sight whose threads are to be shown, as drawn last. */
size_t procs_threads_wanted(const struct snapshot *s, const struct view_state *st, pid_t *out,
                            size_t max);
extern const struct query_field procs_fields[]; /* rows: struct proc */
/* The process with this pid, NULL when it is not in the snapshot. */
bool procs_is_tagged(const struct view_state *st, const struct proc *p);
/* Those of the snapshot that are tagged, `max` at most: how many. */
size_t procs_tagged(const struct snapshot *s, const struct view_state *st, const struct proc **out,
                    size_t max);
const struct proc *procs_find(const struct snapshot *s, const char *pid);

#endif
