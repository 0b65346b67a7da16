/* What the files of the view of system calls share. */
#pragma once

#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "tui/model/view.h"
#include "tui/widgets/rows.h"

/* What the user set for a list, while another one is shown. */
struct syscalls_kept {
    int sort;
    bool reverse;
    char key[VIEW_TEXT_MAX];
};

/* view_state.own */
struct syscalls_view {
    /* a reference: the shown picture of the live trace, the newest one or an older one; NULL: none
     */
    const struct syscalls_snapshot *live;
    const struct syscalls_snapshot *p; /* of the current drawing; borrowed */
    enum syscalls_list list;
    uint64_t only;           /* the call that the list of origins is of; 0: all */
    struct list_rows listed; /* the shown list */
    struct rows_ops ops;
    struct rows rows;
    struct syscalls_kept kept[SYSCALLS_LISTS];
};

/* A number for a call; never 0. */
static inline uint64_t syscalls_call_id(unsigned abi, uint32_t number)
{
    return ((uint64_t)abi << 32 | number) + 1;
}
/* What is shown: of the live trace, else of the opened one; NULL: nothing. */
const struct syscalls_snapshot *syscalls_shown(const struct model *m, const struct view_state *st);
/* The list that the view shows. */
enum syscalls_list syscalls_list_of(const struct view_state *st);
/* The list after this one; one that can only be empty is left out. */
enum syscalls_list syscalls_next_list(const struct syscalls_snapshot *p, enum syscalls_list list);
/* Finds the row with this key, and sets *list to the list that the key belongs to. NULL: the row
 * is gone. buf: as in syscalls_list_ops. */
const void *syscalls_find(const struct syscalls_snapshot *p, const char *key,
                          enum syscalls_list *list, struct syscalls_event_row *buf);

/* Draws the shown list into r. */
void syscalls_list_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                        struct view_state *st);
/* Draws how it is traced, what was lost, and rates over time. held: a chosen call keeps the picture
 * as it is. Returns the number of rows used. */
int syscalls_head_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                       bool held);
/* Rows that the anti-patterns take below a list in an area of this height; 0: not shown. */
int syscalls_findings_rows(const struct syscalls_snapshot *p, int height);
void syscalls_findings_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p);
/* Draws evidence and remedy of the selected anti-pattern. Returns the rows used. */
int syscalls_finding_draw(struct canvas *c, struct rect r, const struct antipattern_finding *f);
/* Rows that the origins of a call take below a list in an area of this height; 0: not shown. */
int syscalls_origins_rows(const struct syscalls_snapshot *p, int height);
/* Draws which functions made this call, those with most time first. */
void syscalls_origins_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                           const struct syscalls_call_row *call);
/* Draws the selected origin in full: its numbers and the stack with the most time. */
void syscalls_origin_draw(struct canvas *c, struct rect r, const struct syscalls_origin_row *row);
/* Draws a stack, innermost first; the frame that made the call stands out. */
void syscalls_stack_draw(struct canvas *c, struct rect r, const struct syscall_stack *stack);
/* Draws the selected event in full: who, when, how long, all of its text. */
void syscalls_event_draw(struct canvas *c, struct rect r, const struct syscalls_event_row *row);
bool syscalls_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out);
/* Writes the page about the row with this key. */
void syscalls_explain(struct page *p, const struct model *m, const struct view_state *st,
                      const char *key);
