/* What the files of the view of system calls share. */
#ifndef ROOFTOP_TUI_VIEWS_SYSCALLS_SYSCALLS_H
#define ROOFTOP_TUI_VIEWS_SYSCALLS_SYSCALLS_H

#include "engine/syscalls/picture/picture.h"
#include "tui/model/view.h"
#include "tui/widgets/table.h"

/* What the user set for a list, while another one is shown. */
struct syscalls_kept {
    int sort;
    bool reverse;
    char key[VIEW_TEXT_MAX];
};

/* view_state.own */
struct syscalls_view {
    const struct syscalls_picture *p; /* of the current drawing; borrowed */
    enum syscalls_list list;
    uint32_t *rows; /* shown rows, as indices of the list */
    double *number; /* by the list's index: what the order compares; NULL: it compares texts */
    size_t n, cap, number_cap;
    /* what the rows were made for */
    uint64_t serial;
    const struct syscalls_picture *made_for;
    enum syscalls_list made_list;
    int sort;
    bool reverse;
    char filter[QUERY_MAX];
    bool given_up; /* the user did not wait for all rows */
    struct table_fields columns;
    struct syscalls_kept kept[SYSCALLS_LISTS];
};

/* The list that the view shows. */
enum syscalls_list syscalls_list_of(const struct view_state *st);
/* Writes the key of row i of a list ("y:c0:17"): it names the same thing in later pictures. */
void syscalls_key(const struct syscalls_picture *p, enum syscalls_list list, size_t i,
                  char out[VIEW_TEXT_MAX]);
/* Finds the row with this key, which must be of the list: NULL if it is gone. buf as in
 * syscalls_list_ops. *list is the list that the key is of. */
const void *syscalls_find(const struct syscalls_picture *p, const char *key,
                          enum syscalls_list *list, struct syscalls_event_row *buf);

/* Draws the shown list into r. */
void syscalls_list_draw(struct canvas *c, struct rect r, const struct syscalls_picture *p,
                        struct view_state *st);
/* Draws how it is traced, what was lost, and rates over time. Returns the number of rows used. */
int syscalls_head_draw(struct canvas *c, struct rect r, const struct syscalls_picture *p);
/* Rows that the anti-patterns take below a list in an area of this height; 0: not shown. */
int syscalls_findings_rows(const struct syscalls_picture *p, int height);
void syscalls_findings_draw(struct canvas *c, struct rect r, const struct syscalls_picture *p);
/* Draws evidence and remedy of the selected anti-pattern. Returns the rows used. */
int syscalls_finding_draw(struct canvas *c, struct rect r, const struct antipattern_finding *f);
bool syscalls_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out);

#endif
