/* The process list: a pane of the overview, sorted and filtered as the user chose. */
#ifndef ROOFTOP_TUI_VIEWS_PROCS_PROCS_H
#define ROOFTOP_TUI_VIEWS_PROCS_PROCS_H

#include "tui/model/view.h"

void procs_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st);
enum view_result procs_act(enum action a, const struct model *m, struct view_state *st);
extern const char *const procs_sorts[]; /* for view_ops.sorts */
/* Fills the menu of the process whose pid is key. */
bool procs_menu(const struct model *m, const struct view_state *st, const char *key,
                struct menu *out);
/*
 * procs_sort_name: the column that sorts the list, like "cpu %". procs_shown: the number of
 * processes that pass the filter; *kernel: the number of hidden kernel threads.
 */
const char *procs_sort_name(const struct view_state *st);
size_t procs_shown(const struct model *m, const struct view_state *st, size_t *kernel);
/* Writes the pids of the visible processes whose threads are to be shown, as of the last draw. */
size_t procs_threads_wanted(const struct snapshot *s, const struct view_state *st, pid_t *out,
                            size_t max);
extern const struct query_field procs_fields[]; /* rows: struct proc */
bool procs_is_tagged(const struct view_state *st, const struct proc *p);
/* Writes the tagged processes of the snapshot, at most `max`. Returns how many. */
size_t procs_tagged(const struct snapshot *s, const struct view_state *st, const struct proc **out,
                    size_t max);
const struct proc *procs_find(const struct snapshot *s, const char *pid);

#endif
