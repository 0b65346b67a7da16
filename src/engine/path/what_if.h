/*
 * "If this were twice as fast": the critical path of a profile in which some things take another
 * time, found anew on the same graph. Nothing is scaled afterwards: where the path then runs
 * elsewhere, a kernel that is twice as fast buys less than half of its time (G. M. Amdahl, AFIPS
 * 1967, is the bound).
 *
 * What a node takes shrinks, and what lies inside of it does with it, but not what it launched;
 * what others wait for it ends earlier, and all after it moves. Pauses, waits of others and what
 * launches take after their calls stay as measured. The graph is only read; a byte a node is held
 * meanwhile, and what critical_path_find holds.
 */
#ifndef ROOFTOP_ENGINE_PATH_WHAT_IF_H
#define ROOFTOP_ENGINE_PATH_WHAT_IF_H

#include "base/error.h"
#include "engine/path/critical_path.h"
#include "engine/path/path_shares.h"

enum { WHAT_IF_MOST = 64, WHAT_IF_BEST = 8, WHAT_IF_TEXT = 4096 };
#define WHAT_IF_SLOWEST 0.001 /* a factor below is refused */

enum what_if_by { WHAT_IF_NAME, WHAT_IF_REGEX, WHAT_IF_NODE };
struct what_if_change {
    char text[WHAT_IF_TEXT]; /* the name, the expression, or the number */
    uint8_t by;              /* enum what_if_by */
    uint32_t node;           /* of WHAT_IF_NODE */
    double speed;            /* times as fast; INFINITY = gone */
};
/*
 * "NAME=2": all that is called so; "~REGEX=2" (POSIX extended): all whose names have that in them;
 * "#17=2": one node. "NAME=gone": it takes no time. ERROR_USAGE with what is wrong.
 */
int what_if_parse(struct what_if_change *out, const char *spec, struct error *err);

struct what_if {
    uint64_t before, after;    /* ns, lengths of the paths */
    uint32_t changed;          /* nodes that a change names */
    struct critical_path path; /* the new one */
    struct path_shares shares; /* of it: names alone */
};
/* Where two changes name the same node, the later one holds. Lanes are not changed: they are as
 * long as what is in them. ERROR_INPUT where a change names nothing. Free it after either outcome.
 */
int what_if_find(const struct graph *g, const struct critical_path *before,
                 const struct what_if_change *changes, size_t n, struct what_if *out,
                 struct error *err);
void what_if_free(struct what_if *w);

/* What a factor of one name buys, for the names with the most time on the path. */
struct what_if_best {
    uint32_t row; /* index into shares->names */
    uint64_t length, gain;
};
/* At most WHAT_IF_BEST of them into out, by their order in shares; *n of them. */
int what_if_best(const struct graph *g, const struct critical_path *before,
                 const struct path_shares *shares, double speed, struct what_if_best *out,
                 uint32_t *n, struct error *err);

#endif
