/* The process list: a pane of the overview, sorted and filtered as the user chose. */
#pragma once

#include "engine/live/proc_rows.h"
#include "tui/model/view.h"

enum { PROCS_TAGGED_MAX = 64 };
/*
 * The state of the process list. It is part of the view_state.own of its view; view_ops.procs
 * returns it.
 */
struct procs_state {
    /* shown as a tree, with kernel threads, with threads of its processes */
    bool tree, kernel, threads;
    bool watched; /* only what is watched is shown */
    /* identities of tagged processes; 0 = unused; if there are too many, the oldest is dropped */
    uint64_t tagged[PROCS_TAGGED_MAX];
    struct proc_rows rows; /* the shown rows */
};
void procs_free(struct procs_state *ps);

void procs_draw(struct canvas *c, struct rect r, const struct model *m, struct view_state *st,
                struct procs_state *ps);
enum view_result procs_act(enum action a, const struct model *m, struct view_state *st,
                           struct procs_state *ps);
/* Whether the action can do something with one of the shown rows. */
bool procs_take(enum action a, const struct procs_state *ps);
/* Fills the menu of the process whose pid is key. */
bool procs_menu(const struct model *m, const struct view_state *st, const struct procs_state *ps,
                const char *key, struct menu *out);
/*
 * procs_sort_name: the column that sorts the list, like "cpu %". procs_shown: the number of
 * processes that pass the filter, of *all; *kernel: the number of hidden kernel threads.
 */
const char *procs_sort_name(const struct view_state *st);
size_t procs_shown(const struct model *m, const struct view_state *st, const struct procs_state *ps,
                   size_t *all, size_t *kernel);
/* Writes the pids of the visible processes whose threads are to be shown, as of the last draw. */
size_t procs_threads_wanted(const struct snapshot *s, const struct view_state *st,
                            const struct procs_state *ps, pid_t *out, size_t max);
bool procs_is_tagged(const struct procs_state *ps, const struct proc *p);
/* Writes the tagged processes of the snapshot, at most `max`. Returns how many; none for ps NULL.
 */
size_t procs_tagged(const struct snapshot *s, const struct procs_state *ps, const struct proc **out,
                    size_t max);
const struct proc *procs_find(const struct snapshot *s, const char *pid);
