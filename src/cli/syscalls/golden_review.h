/*
 * The differences of a golden trace on a terminal: one is shown, and each is accepted or rejected
 * with a key. The review itself knows no terminal; golden_review_run gives it one.
 */
#ifndef ROOFTOP_CLI_SYSCALLS_GOLDEN_REVIEW_H
#define ROOFTOP_CLI_SYSCALLS_GOLDEN_REVIEW_H

#include "cli/options/options.h"
#include "engine/golden/golden_diff.h"
#include "tui/canvas/canvas.h"

enum golden_verdict { GOLDEN_UNDECIDED, GOLDEN_ACCEPTED, GOLDEN_REJECTED };

struct golden_review {
    const char *name;
    const struct golden *stored, *run;
    const struct golden_diff *d;
    uint8_t *verdict;        /* enum golden_verdict, by hunk */
    size_t at;               /* the hunk that is shown */
    int scroll, lines, page; /* of its text; set by the drawing */
    bool over, store;        /* the user has left, and wants what was accepted stored */
};

/* All are borrowed and outlive the review; free it with golden_review_end. */
void golden_review_begin(struct golden_review *r, const char *name, const struct golden *stored,
                         const struct golden *run, const struct golden_diff *d);
void golden_review_draw(struct golden_review *r, struct canvas *c);
/* key: a code point or enum key_code. */
void golden_review_key(struct golden_review *r, uint32_t key);
size_t golden_review_count(const struct golden_review *r, enum golden_verdict v);
/* Takes the accepted hunks into stored, which must be the review's. d is used up. */
void golden_review_take(const struct golden_review *r, struct golden *stored);
void golden_review_end(struct golden_review *r);

/* Shows the review until the user leaves. 0, or -errno with err where there is no terminal. */
int golden_review_run(struct golden_review *r, const struct options *o, struct error *err);

#endif
