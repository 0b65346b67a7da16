/*
 * "If this were twice as fast": finds the critical path again on the same graph with other times
 * for some nodes. The result is not scaled from the old path. The new path may run elsewhere, so a
 * kernel that is twice as fast may save less than half of its time (G. M. Amdahl, AFIPS 1967, is
 * the bound).
 *
 * A changed node takes less time, and so does everything inside it, but not what it launched. Nodes
 * that wait for it go on earlier, and all that follows moves. Of a launch
 * only the call changes. Pauses after what came last stay as measured. The graph is only read.
 * Memory: one byte for each node, and what critical_path_find needs.
 */
#pragma once

#include "base/error.h"
#include "engine/path/critical_path.h"
#include "engine/path/path_shares.h"

enum { WHAT_IF_MOST = 64, WHAT_IF_BEST = 8, WHAT_IF_TEXT = 4096 };
#define WHAT_IF_SLOWEST 0.001 /* a factor below is refused */

enum what_if_by { WHAT_IF_NAME, WHAT_IF_REGEX, WHAT_IF_NODE };
struct what_if_change {
    char text[WHAT_IF_TEXT]; /* the name, the expression, or the number */
    uint8_t by;              /* enum what_if_by */
    uint32_t node;           /* for WHAT_IF_NODE */
    double speed;            /* times as fast; INFINITY = takes no time */
};
/*
 * "NAME=2": all nodes of that name are twice as fast; "~REGEX=2" (POSIX extended): all nodes with a
 * match in their names; "#17=2": one node. "NAME=gone": it takes no time. 0, or -errno with
 * ERROR_USAGE.
 */
int what_if_parse(struct what_if_change *out, const char *spec, struct error *err);

struct what_if {
    uint64_t before, after;    /* ns, lengths of the paths */
    uint32_t changed;          /* number of nodes that the changes name */
    struct critical_path path; /* the new path */
    struct path_shares shares; /* of the new path; only its names */
};
/* Applies n changes and finds the path. If two changes name the same node, the later one counts.
 * Lanes are not changed, because they are as long as their spans. -errno with ERROR_INPUT if a
 * change names no node. Free *out in either case. */
int what_if_find(const struct graph *g, const struct critical_path *before,
                 const struct what_if_change *changes, size_t n, struct what_if *out,
                 struct error *err);
void what_if_free(struct what_if *w);

/* What a higher speed of one name would save, for the names with most time on the path. */
struct what_if_best {
    uint32_t row;          /* index into shares->names */
    uint64_t length, gain; /* ns: of the new path, and what is saved */
};
/* Fills out with at most *n entries, and at most WHAT_IF_BEST, in the order of shares->names; *n
 * becomes their number, 0 if it fails. w: of g, where `before` was found. */
int what_if_best(struct path_work *w, const struct graph *g, const struct critical_path *before,
                 const struct path_shares *shares, double speed, struct what_if_best *out,
                 uint32_t *n, struct error *err);
/* Finds a trace's path, its shares, and what twice the speed would save, in the time of about one
 * search. Free *path and *shares in either case. */
int what_if_path(const struct trace *t, struct critical_path *path, struct path_shares *shares,
                 struct what_if_best *best, uint32_t *nbest, struct error *err);
